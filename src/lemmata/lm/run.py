"""A run that asks a language model: its weights are looked for before it starts, and hashed into its digest."""

import abc
from dataclasses import dataclass

from lemmata.core import RunConfig
from lemmata.lm.embedded import DEFAULT
from lemmata.lm.model import LanguageModel, load
from lemmata.lm.source import absence, weights_hash


@dataclass(frozen=True, kw_only=True)
class LanguageModelRun(RunConfig, abc.ABC):
    """`model` is a hub name, a folder, a GGUF file, or the embedded default; `revision` is the hub's."""

    model: str = DEFAULT
    revision: str | None = None

    def lacks(self) -> str | None:
        return absence(self.model, self.revision)

    def input_hashes(self) -> tuple[str, ...]:
        return (weights_hash(self.model, self.revision),)

    def loaded(self) -> LanguageModel:
        return load(self.model, revision=self.revision)
