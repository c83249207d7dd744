"""What Table 3 and Lemma D.1 share: the runs, and what was found for each row of the table."""

from typing import Any, NamedTuple

import numpy as np

from lemmata.core import OutsideSetting, RunConfig, RunResult, Runs, Scale, Undecided, of_config
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.gradients import LeadingCoefficients, SampledGradients
from lemmata.papers.association.theory import RecallChain, one_step
from lemmata.papers.association.theory.one_step import TABLE_3

MANY = 1000  # an N at which ranges are those of N → ∞


ROW_NAMES = [f"({entry.output}, {entry.input})" for entry in TABLE_3]


class Rows(NamedTuple):
    """What was found for the rows of Table 3; read wrongly, each row is its neighbour's, in a world where ȳ ≠ q."""

    exact: RunResult
    sampled: RunResult
    neighbour: bool = False

    @property
    def chain(self) -> RecallChain:
        config = self.sampled.config
        return RecallChain(config.num_tokens, config.length, config.alpha, exclude_trigger=self.neighbour)

    def coefficients(self, *names: str) -> np.ndarray:
        """[name, alpha, row], of the exact chain at a large size."""
        columns = [self.exact.column(name).reshape(-1, len(TABLE_3)) for name in names]
        return np.roll(columns, int(self.neighbour), axis=2)

    def sampled_over_exact(self, name: str) -> np.ndarray:
        """[seed, row], at the sampled size."""
        return sampled_moments(self.sampled, name) / exact_moments(self.chain)[name]

    def ranges(self) -> np.ndarray:
        """[N, row], at the sampled N and at a large one."""
        own = self.sampled.config.chain
        chains = (own, RecallChain(MANY, own.length, own.alpha))
        found = [[one_step.exact_range(entry, chain) for entry in TABLE_3] for chain in chains]
        return np.roll(found, int(self.neighbour), axis=1)


def sampled_moments(run: RunResult, name: str, matrix: str = "value") -> np.ndarray:
    """[seed, row]."""
    return run.column(name, matrix=matrix).reshape(len(run.config.seeds), -1)


def exact_moments(chain: RecallChain) -> dict[str, np.ndarray]:
    means, variances = zip(*(one_step.exact_moments(entry, chain) for entry in TABLE_3), strict=True)
    return {"mean": np.array(means), "variance": np.array(variances)}


def rows(runs: Runs, neighbour: bool = False) -> Rows:
    return Rows(runs["exact"], runs["sampled"], neighbour)


@of_config
def asymptotic(config: Any) -> Undecided | None:
    n, length = config.num_tokens, config.length
    enough = n >= 10**4 and length >= 10**4 * n
    small = f"coefficients of leading order are not read at N = {n:g}, T = {length:g}"
    return None if enough else OutsideSetting(small)


def gradient_runs(scale: Scale) -> dict[str, RunConfig]:
    seeds = unseen(scale.seeds(smoke=12, laptop=24, paper=48))
    return {
        "sampled": SampledGradients(seeds=seeds, samples=scale.pick(smoke=512, laptop=2048, paper=8192)),
        "exact": LeadingCoefficients(alphas=scale.pick(smoke=(0.3,), laptop=(0.3, 0.6), paper=(0.1, 0.3, 0.6, 0.9))),
    }
