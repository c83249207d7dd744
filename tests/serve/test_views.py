"""What papers declare to be played back can be played back."""

import json

import numpy as np
import pytest

from lemmata.core import Curves, Frames, Scale, Track
from lemmata.core.registry import select
from lemmata.run import Store, evaluate
from live_page import needs_serve

pytestmark = needs_serve


DECLARED = (
    *("ic-recall/fig-2", "ic-recall/thm-4-2", "association/fig-3", "association/fig-4", "association/thm-3"),
    *("lego/separation", "lego/thm-5-1", "lego/curriculum-order"),
)
SHARES = ("Attention", "What is predicted")  # whose rows add up to 1


@pytest.mark.parametrize("id", DECLARED)
def test_declared_views_are_sent_small(id: str, smoke_store: Store) -> None:
    from lemmata.serve.playback import playback
    from lemmata.serve.question import requested

    (item,) = evaluate(select([id]), Scale("smoke"), smoke_store)
    declared = item.experiment.live.views(item.runs)
    assert declared
    data = playback(requested(id, "smoke", {}), smoke_store)
    assert [one["title"] for one in data["views"][: len(declared)]] == [one.title for one in declared]
    assert len(json.dumps(data)) < 2_000_000
    assert len({one.clock for one in declared}) == 1  # one slider moves them all
    for view in declared:
        assert len(view.steps) > 1
        assert np.all(np.diff(view.steps) > 0)
        if isinstance(view, Frames):
            assert not np.allclose(view.values[0], view.values[-1], equal_nan=True)
            if view.title.startswith(SHARES):
                np.testing.assert_allclose(np.nansum(view.values, axis=-1), 1, atol=1e-4)


def test_the_escape_ends_on_the_pairwise_line(smoke_store: Store) -> None:
    (item,) = evaluate(select(["ic-recall/thm-4-2"]), Scale("smoke"), smoke_store)
    tracks = [view for view in item.experiment.live.views(item.runs) if isinstance(view, Track)]
    assert tracks
    for track in tracks:
        start, end = (np.interp(track.x[i], *track.line) for i in (0, -1))
        np.testing.assert_allclose(track.y[[0, -1]], [start, end], atol=2e-2)
        assert track.y[-1] < np.log(2) <= track.y[0] + 1e-3


def test_what_a_rule_wants_is_drawn_beneath_the_curves(smoke_store: Store) -> None:
    for id in ("association/fig-3", "ic-recall/thm-4-2"):
        (item,) = evaluate(select([id]), Scale("smoke"), smoke_store)
        assert all(view.band for view in item.experiment.live.views(item.runs) if isinstance(view, Curves))
