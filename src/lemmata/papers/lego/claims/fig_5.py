"""Figure 5: with predicates in another order, attention follows the variable."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunResult, Runs, near
from lemmata.papers.lego.claims._attention_maps import JUDGED, NEEDS, draw_maps, maps
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import length_runs

SAME = 1e-5  # a permuted map, put back in order


def on_predicates(run: RunResult, permuted: bool) -> np.ndarray:
    attention = maps(run, "trained", permuted)
    return attention[:, :, : attention.shape[1]]


def followed(run: RunResult) -> np.ndarray:
    """What stands at each place of the permuted sentences, if attention follows the variable."""
    return on_predicates(run, permuted=False)[:, :, run.arrays["trained.order"]]


def stayed(run: RunResult) -> np.ndarray:
    """The same, if it stays in place."""
    return on_predicates(run, permuted=False)


def both(runs: Runs, read: Callable[[RunResult], np.ndarray]) -> dict[str, np.ndarray]:
    return {kind: read(runs[name]) for kind, name in JUDGED.items()}


FIGURE_5 = Claim(
    id="fig-5",
    locus="Section 7, Figure 5",
    statement="With predicate clauses in another order attention follows the variable they share, not their place: the "
    "map of the same sentences with permuted predicates is the permuted map. (The model has no positions, so this is "
    "exact up to rounding.)",
    subject=lambda runs: both(runs, followed),
    wrong=lambda runs: both(runs, stayed),
    parts={
        kind: Part(
            lambda seen, kind=kind: seen[kind],
            near(lambda runs, name=name: on_predicates(runs[name], permuted=True), atol=SAME),
        )
        for kind, name in JUDGED.items()
    },
    needs=NEEDS,
)

EXPERIMENT = Experiment(
    title="Attention follows the variable",
    runs=lambda scale: length_runs(scale, "sharp"),
    needs=FAMILIES,
    claims=(FIGURE_5,),
    draw=lambda runs: draw_maps(
        runs, "The same models and sentences, predicates permuted as the column names say", permuted=True
    ),
)
