"""The run behind Table 2: its printed accuracies, and what so many questions can tell of their differences."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Count, RunConfig, RunContext, RunOutput, Share, Some, require
from lemmata.papers.association.theory import paired

Z = 1.959964  # two-sided 5%


@dataclass(frozen=True, kw_only=True)
class PrintedAccuracies(RunConfig):
    """`full` and `truncated`: a share for each model (outer) and number of shots (inner)."""

    kind = "association/printed-accuracies"

    models: Some[str] = ("Phi-3", "Llama-3.1-8B", "Llama-3.1-8B-Instruct")
    shots: Some[Count] = (1, 2, 4, 8)
    full: Some[Share] = (0.560, 0.722, 0.782, 0.827, 0.447, 0.500, 0.576, 0.560, 0.726, 0.747, 0.785, 0.797)
    truncated: Some[Share] = (0.661, 0.744, 0.770, 0.823, 0.461, 0.507, 0.559, 0.538, 0.736, 0.756, 0.777, 0.770)
    questions: Count = 1319  # of GSM8K's test set, which the paper does not print

    def cross_check(self) -> None:
        cells = len(self.models) * len(self.shots)
        for name in ("full", "truncated"):
            values = getattr(self, name)
            require(len(values) == cells, name, values, f"a list of {cells}: one for each model and number of shots")
        require(len(set(self.shots)) == len(self.shots), "shots", self.shots, "all different")

    def execute(self, context: RunContext) -> RunOutput:
        full, truncated = np.array(self.full), np.array(self.truncated)
        gain = truncated - full
        error = paired.unpaired_error(full, truncated, self.questions)
        table = {
            "model": np.repeat(np.arange(len(self.models)), len(self.shots)),
            "shots": np.tile(self.shots, len(self.models)),
            "full": full,
            "truncated": truncated,
            "gain": gain,
            "error": error,
            "z": np.divide(gain, error, out=np.zeros_like(gain), where=error > 0),
            "favourable_z": paired.favourable_z(gain, self.questions),
            "most_changed": paired.most_changed(gain, self.questions, Z),
        }
        return RunOutput(table)
