"""What Lemmas D.1 and D.2 and Table 3 share: the runs, what was found for each row of the table, deviations."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import Artefact, OutsideSetting, RunConfig, RunResult, Runs, Scale, Undecided, of_config
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.run.gradients import LeadingCoefficients, SampledGradients
from lemmata.papers.association.sizes import FirstGradients
from lemmata.papers.association.theory import RecallChain, one_step
from lemmata.papers.association.theory.one_step import TABLE_3
from lemmata.report.plots import ceiling, new_figure

MANY = 1000  # an N at which ranges are those of N → ∞
DELTA = 0.05  # of Lemmas D.1 and D.2: the share of samples that may break a bound


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


def sampled_run(scale: Scale) -> dict[str, RunConfig]:
    seeds = unseen(scale, FirstGradients.SEEDS)
    return {"sampled": SampledGradients(seeds=seeds, samples=FirstGradients.SAMPLES.at(scale))}


def exact_run(scale: Scale) -> dict[str, RunConfig]:
    return {"exact": LeadingCoefficients(alphas=FirstGradients.ALPHAS.at(scale))}


def farthest(run: RunResult, matrix: str, centres: np.ndarray) -> np.ndarray:
    """[seed, row]: the largest distance of a sampled mean from its row's centre, over the row's (j, k)."""
    lowest, highest = (sampled_moments(run, name, matrix=matrix) for name in ("lowest", "highest"))
    return np.maximum(np.abs(lowest - centres), np.abs(highest - centres))


def exceeded_by(excess: Sequence[np.ndarray]) -> np.ndarray:
    """By size, the deviation over the bound that a share δ of the samples exceed."""
    return np.array([np.quantile(one, 1 - DELTA) for one in excess])


SIZES = ("sampled", "paper's N")  # runs
BY_SIZE = {"N": lambda runs: [runs[name].config.num_tokens for name in SIZES]}


def draw_deviations(runs: Runs, deviations: Sequence[np.ndarray], title: str) -> Artefact:
    config, excess = runs["sampled"].config, deviations[0]
    figure, ax = new_figure(width=4.6, height=3.4)
    for name, one in zip(SIZES, deviations, strict=True):
        ax.plot(runs[name].config.seeds, one, "o", ms=3, alpha=0.6, label=f"N = {runs[name].config.num_tokens}")
    ceiling(ax, 1.0, "the bound")
    ax.set(xlabel="sample", ylabel="largest deviation / bound", ylim=(0, 1.1), title=title)
    ax.legend(fontsize=7)
    caption = (
        f"N = {config.num_tokens}, T = {config.length}, α = {config.alpha:g}, δ = {DELTA:g}: {len(config.seeds)} "
        f"samples of m = {config.samples} sequences, the largest deviation of each from the stated means, over the "
        "bound."
    )
    return Artefact(figure, {"seed": np.array(config.seeds), title: excess}, caption)
