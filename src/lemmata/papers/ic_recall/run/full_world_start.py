"""What the constant attention v = 1/6 gives in full worlds, where every count of Lemma C.1's proof is attained."""

from dataclasses import dataclass
from typing import Annotated

import jax.numpy as jnp
import numpy as np

from lemmata.core import Bound, Positive, RunConfig, RunContext, RunOutput, Some, precision, to_jax
from lemmata.papers.ic_recall.run.first_step import affine_log_counts, loss_in_v
from lemmata.papers.ic_recall.task import Affine


@dataclass(frozen=True, kw_only=True)
class FullWorldStart(RunConfig):
    """p(r_1) at v = 1/6 in the full affine world of each n, by temperature."""

    kind = "ic-recall/full-world-start"

    sizes: Some[Annotated[int, Bound(least=5, most=251)]] = (5, 11, 101)
    temperatures: Some[Positive] = (0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0)

    def cross_check(self) -> None:
        for n in self.sizes:
            Affine(n=n)

    def execute(self, context: RunContext) -> RunOutput:
        cells = [(n, t) for n in self.sizes for t in self.temperatures]
        with precision("float64"):
            counts = {n: affine_log_counts(n) for n in self.sizes}
            losses = [float(loss_in_v(jnp.full(6, 1 / 6), counts[n], to_jax(t))) for n, t in cells]
        n, temperature = np.array(cells).T
        return RunOutput({"n": n, "temperature": temperature, "p": np.exp(-np.array(losses))})
