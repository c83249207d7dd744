"""No group is named: two simply transitive actions of one order concentrate along one curve."""

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunResult, Runs, Scale, near
from lemmata.papers.lego.claims._concentration import EXCESS, drawing, split, two_free
from lemmata.papers.lego.claims._population import by_record, families, finished, stabilizer
from lemmata.papers.lego.run.population import PopulationRun

FAMILY = "order twelve"
SAME = 0.2  # of a ratio: a stabilizer of two makes it larger by far
Pair = list[RunResult]


def unequal_pair(runs: Runs) -> Pair:
    """The action with the smallest stabilizer in the place of the second."""
    bound, free = split(runs, FAMILY)
    return [free[0], min(bound, key=stabilizer)]


def apart(pair: Pair) -> list[float]:
    """The ratio of the two curves of ε, each the geometric mean over seeds, at every record up to convergence."""
    first, second = (np.log(by_record(run, "epsilon_22")).mean(axis=0) for run in pair)
    return np.exp(second - first)[_going(pair)].tolist()


def _going(pair: Pair) -> np.ndarray:
    """The records before either is converged."""
    return np.min([by_record(run, "excess").min(axis=0) for run in pair], axis=0) > EXCESS


def _times(runs: Runs) -> list[float]:
    pair = two_free(runs)[:2]
    return np.array(pair[0].config.records)[_going(pair)].tolist()


SAME_CURVE = Claim(
    id="one-curve",
    locus="beyond the paper; Assumption 4.1 names no group",
    statement="Two simply transitive actions of one order, a commutative one and one that is not ($C_{12}$, and $A_4$ "
    r"on itself), concentrate along one curve. Judged: the ratio of their $\varepsilon^{2,2}$, geometric means over "
    f"seeds, at every record until a loss is {EXCESS:.0%} above its floor. Control: an action of the same group order "
    "with a stabilizer of two ($D_6$) in the place of the second.",
    subject=lambda runs: two_free(runs)[:2],
    wrong=unequal_pair,
    parts=Part(apart, near(1.0, atol=SAME), along={"time": _times}),
)


def runs_of(scale: Scale) -> dict[str, PopulationRun]:
    return {name: run for name, run in families(scale).items() if name.startswith(FAMILY)}


EXPERIMENT = Experiment(
    title="Two groups, one curve", runs=runs_of, needs={FAMILY: finished}, claims=(SAME_CURVE,), draw=drawing(FAMILY)
)
