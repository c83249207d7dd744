"""In which order to compute: what is cheap first, so that there is soon something to read."""

import math
from collections.abc import Sequence

from lemmata.core import Paper, Scale
from lemmata.core.registry import Selection
from lemmata.record import baselines, findings, read_baseline
from lemmata.run import Store, missing

READ_FIRST = 0.25  # what a finding rests on counts as so much of its cost: findings are what a report is opened for


def cheapest_first(selections: Sequence[Selection], scale: Scale, store: Store) -> list[Selection]:
    """Experiments whose runs are all there, then the others by what the reference's runs cost.

    Experiments of equal cost share their runs more often than not: they stay together, in reading order. One whose cost
    nobody recorded comes last.
    """
    papers = {selection.paper.id: selection.paper for selection in selections}
    recorded = {id: _seconds(paper, scale) for id, paper in papers.items()}
    wanted = {f"{id}/{name}" for id, paper in papers.items() for one in findings(paper) for name in one.rests_on}

    def cost(selection: Selection) -> float:
        if not missing(selection.experiment.runs(scale).values(), store):
            return 0.0
        claims = [claim.id for claim in selection.experiment.claims]
        seconds = min((recorded[selection.paper.id].get(id, math.inf) for id in claims), default=math.inf)
        return seconds * (READ_FIRST if wanted & set(claims) else 1)

    return sorted(selections, key=cost)


def _seconds(paper: Paper, scale: Scale) -> dict[str, float]:
    """What the runs behind each claim cost at this scale, else at the documented one; under whichever rule."""
    kept = {**read_baseline(paper).claims, **baselines(paper, scale.name)}
    return {id: one.seconds for id, one in kept.items() if one.seconds is not None}
