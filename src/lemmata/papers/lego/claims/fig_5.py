"""Figure 5: with predicates in another order, attention follows the variable."""

from operator import itemgetter
from typing import Any

import numpy as np

from lemmata.core import Claim, Experiment, Part, RunResult, Runs, near
from lemmata.papers.lego.claims._attention_maps import draw_maps
from lemmata.papers.lego.claims._length_curves import JUDGED, NEEDS
from lemmata.papers.lego.run.length_training import length_runs

SAME = 1e-5  # a permuted map, put back in order


def on_predicates(run: RunResult, name: str = "map") -> np.ndarray:
    attention = run.arrays[f"trained.{name}"]
    return attention[:, :, : attention.shape[1]]


def followed(run: RunResult) -> np.ndarray:
    """What stands at each place of the permuted sentences, if attention follows the variable."""
    return on_predicates(run)[:, :, run.arrays["trained.order"]]


def _places(name: str) -> dict[str, Any]:
    def numbers(runs: Runs) -> range:
        return range(on_predicates(runs[name]).shape[1])

    return {"seed": lambda runs: runs[name].config.seeds, "from answer": numbers, "to place": numbers}


FIGURE_5 = Claim(
    id="fig-5",
    locus="Section 7, Figure 5",
    statement="With predicate clauses in another order attention follows the variable they share, not their place. "
    "Judged: the map of the same sentences with permuted predicates is the permuted map; the model has no positions, "
    "so this is exact up to rounding. Control: a map that stays in place.",
    subject=lambda runs: {kind: followed(runs[name]) for kind, name in JUDGED.items()},
    wrong=lambda runs: {kind: on_predicates(runs[name]) for kind, name in JUDGED.items()},  # it stays in place
    parts={
        kind: Part(
            itemgetter(kind),
            near(lambda runs, name=name: on_predicates(runs[name], "map_permuted"), atol=SAME),
            along=_places(name),
        )
        for kind, name in JUDGED.items()
    },
)

EXPERIMENT = Experiment(
    title="Attention follows the variable",
    runs=length_runs,
    needs=NEEDS,
    claims=(FIGURE_5,),
    draw=lambda runs: draw_maps(
        runs, "The same models and sentences, predicates permuted as the column names say", permuted=True
    ),
)
