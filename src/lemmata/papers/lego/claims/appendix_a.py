"""Appendix A: W_4 that reads all five slots learns to copy x_1, and nothing else in it grows."""

from dataclasses import dataclass, replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, TooShort, Undecided, of_result
from lemmata.core.rule import at_least, at_most
from lemmata.papers.lego import sizes
from lemmata.papers.lego.run.variable_flow import VariableFlow

POLYLOG = 2.0  # of mu = sigma_0 log d: what O~(sigma_0) comes to
EXPLICIT = 3.0  # of mu, the proof of Lemma A.10
SHARE = 0.5  # of 2B: what Omega(log d) comes to
SMALLER = 0.03  # sigma_0 of the control: log d / d is no longer small against it


def runs_of(scale: Scale) -> dict[str, VariableFlow]:
    actions, counts = sizes.VARIABLE_ACTIONS.at(scale), sizes.VARIABLE_SIZES.at(scale)
    seeds = sizes.seeds(sizes.VARIABLE_SEEDS, scale)
    found = {f"main/|X| = {x}": VariableFlow(action=actions[0], variables=x, seeds=seeds) for x in counts}
    found |= {f"main/{name}": VariableFlow(action=name, variables=counts[0], seeds=seeds) for name in actions[1:]}
    return found | {"smaller": VariableFlow(action=actions[-1], variables=8, scale=SMALLER, seeds=seeds)}


@of_result
def learned(run: RunResult) -> Undecided | None:
    excess = float(np.max(run.metrics["excess"]))
    return None if excess <= 0.05 else TooShort(f"the loss ends {excess:.1%} above its floor")


@dataclass(frozen=True)
class Weights:
    """Of one run, by slot [seed, token, class, neuron]; the first `count` classes are variables, as slot 1's tokens."""

    run: RunResult
    tables: list[np.ndarray]
    count: int

    @property
    def own(self) -> np.ndarray:
        return np.eye(len(self.tables[0][0]), self.count, dtype=bool)

    def total(self) -> float:
        """The least Phi_{4,j} over variables, in units of 2B."""
        diagonal = self.tables[0][:, :, : self.count][:, self.own]
        awake = np.where(diagonal > self.run.config.bias, diagonal, 0).sum(axis=-1)
        return float(awake.min() / (2 * self.run.config.model().bound))

    def largest(self, *slots: int, off: bool = False) -> float:
        """The largest magnitude for classes of variables, in units of mu; `off` the diagonal of slot 1."""
        found = [self.tables[slot - 1][:, :, : self.count] for slot in slots]
        return float(max(np.abs(t[:, ~self.own] if off else t).max() for t in found) / self.run.config.bias)

    def elsewhere(self) -> float:
        """For all other classes and every slot."""
        return float(max(np.abs(t[:, :, self.count :]).max() for t in self.tables) / self.run.config.bias)


def weights(run: RunResult) -> Weights:
    return Weights(run, [run.arrays[f"slot {slot}"] for slot in range(1, 6)], run.config.variables)


def everything(runs: Runs) -> list[Weights]:
    return [weights(run) for run in runs.group("main").values()]


def spoiled(runs: Runs) -> list[Weights]:
    return [weights(runs["smaller"])]


def worst(*slots: int, off: bool = False):
    return lambda found: [one.largest(*slots, off=off) for one in found]


def off_diagonal_as_elsewhere(runs: Runs) -> list[Weights]:
    """The weights off the diagonal in the place of other classes'."""
    found = weights(runs["smaller"])
    off = np.where(found.own[None, :, :, None], 0, found.tables[0][:, :, : found.count])
    return [replace(found, tables=[off], count=0)]


def of_bystanders(runs: Runs) -> list[Weights]:
    """Slot 3 in the place of slot 1: what is not copied."""
    return [replace(one, tables=[one.tables[2], *one.tables[1:]]) for one in everything(runs)]


def worlds(runs: Runs) -> list[str]:
    return [f"{run.config.action}, |X| = {run.config.variables}" for run in runs.group("main").values()]


AXES = {"world": worlds}

APPENDIX = Claim(
    id="appendix-a",
    locus="Appendix A: Induction A.1, Lemmas A.4 to A.12",
    uses=("gradients", "retrieval"),
    statement=r"With $\sigma_0 = d^{-1/2}$ and neurons that read all five slots, stage 1 ends with $\Phi_{4,j} = "
    r"\sum_r \langle W_{4,j,r,1}, e_j \rangle \ge \Omega(\log d)$ for every variable $j$, while correlations with "
    r"actions and values (A.6, A.7), off the diagonal (A.8), with $x_0$ (A.9) and of all classes that are no variables "
    r"(A.10) stay $\tilde{O}(\sigma_0)$; by the proof of A.10 at most $3\mu$. Judged along the exact flow over all "
    r"sentences, the worst of all seeds: $\Phi$ in units of $2B$, all others in units of $\mu = \sigma_0 \log d$. "
    r"Control: a smaller $\sigma_0$, against which $\log d/d$ is large; of $\Phi$ slot 3.",
    needs={"main": learned},
    subject=everything,
    wrong=spoiled,
    parts={
        "A.12, Φ over 2B": Part(
            lambda found: [one.total() for one in found], at_least(SHARE), wrong=of_bystanders, along=AXES
        ),
        "A.6, A.7, actions and values": Part(worst(2, 5), at_most(POLYLOG), along=AXES),
        "A.8, off the diagonal": Part(worst(1, off=True), at_most(POLYLOG), along=AXES),
        "A.9, x₀": Part(worst(3, 4), at_most(POLYLOG), along=AXES),
        "A.10, other classes": Part(
            lambda found: [one.elsewhere() for one in found],
            at_most(EXPLICIT, paper="every class that is no variable"),
            wrong=off_diagonal_as_elsewhere,
            along=AXES,
        ),
    },
    remark=r"The lemmas need $\sigma_0$ as large as the paper's. Where it is small against $\log d/d$, correlations "
    "with actions and values grow with the diagonal, and weights off the diagonal fall until they cancel them: that is "
    "the control.",
)


def draw(runs: Runs) -> Artefact:
    rows = {"world": [], "Phi / 2B": [], "off the diagonal / mu": [], "x_0 / mu": [], "other classes / mu": []}
    for name, run in runs.items():
        one = weights(run)
        values = (name, one.total(), one.largest(1, off=True), one.largest(3, 4), one.elsewhere())
        for column, value in zip(rows, values, strict=True):
            rows[column].append(value)
    caption = "The largest weight of each kind at the end of stage 1 of W₄ with all five slots, in units of μ."
    return Artefact(None, {name: np.array(column) for name, column in rows.items()}, caption)


EXPERIMENT = Experiment(title="The variable is copied, all slots read", runs=runs_of, claims=(APPENDIX,), draw=draw)
