"""What papers declare to be played back can be played back."""

import json

import numpy as np
import pytest

from lemmata.core import Curves, Frames, Scale, select
from lemmata.run import Store, examine
from live_page import needs_serve

pytestmark = needs_serve


@pytest.mark.parametrize("id", ["ic-recall/fig-2", "ic-recall/warmup-dynamics", "association/fig-3"])
def test_declared_views_are_sent_small(id: str, smoke_store: Store) -> None:
    from lemmata.serve.playback import playback
    from lemmata.serve.question import asked

    (item,) = examine(select([id]), Scale("smoke"), smoke_store)
    declared = item.experiment.views(item.runs)
    assert declared
    data = playback(asked(id, "smoke", {}), smoke_store)
    assert [one["title"] for one in data["views"][: len(declared)]] == [one.title for one in declared]
    assert len(json.dumps(data)) < 2_000_000
    for view in declared:
        assert len(view.steps) > 2
        assert np.all(np.diff(view.steps) > 0)
        if isinstance(view, Frames):  # attention, which moves and adds up
            assert not np.allclose(view.values[0], view.values[-1], equal_nan=True)
            np.testing.assert_allclose(np.nansum(view.values, axis=-1), 1, atol=1e-4)
        if isinstance(view, Curves):
            assert view.band is not None
