"""The length of a file that may not be there, and of none."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lemmata.core import Natural, RunConfig, RunContext, RunOutput


@dataclass(frozen=True, kw_only=True)
class Constant(RunConfig):
    kind = "needy/constant"
    value: Natural = 1

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({"length": np.array([self.value])})


@dataclass(frozen=True, kw_only=True)
class Length(RunConfig):
    kind = "needy/length"
    name: str = "weights"

    @property
    def path(self) -> Path:
        return Path(os.environ["NEEDY_FOLDER"]) / self.name

    def lacks(self) -> str | None:
        return None if self.path.is_file() else f"no weights {self.name!r}: `fetch {self.name}`"

    def input_hashes(self) -> tuple[str, ...]:
        return (hashlib.sha256(self.path.read_bytes()).hexdigest(),)

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({"length": np.array([len(self.path.read_bytes())])})
