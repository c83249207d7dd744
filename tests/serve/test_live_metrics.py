"""Watch: what a claim's rule asks of a number, drawn beneath it and judged while it is recorded."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from lemmata.core import Follow, Live, Scale, at_least, at_most, exactly, near
from lemmata.core.registry import select
from lemmata.run import Store, evaluate
from live_page import needs_serve

pytestmark = needs_serve
FOLLOWING = ("association/fig-3", "association/fig-10")


def main_run(experiment: str, changes: dict[str, str]) -> tuple:
    from lemmata.serve.question import requested

    question = requested(experiment, "smoke", changes)
    made = question.made()
    runs = made.after if made else question.selection.experiment.runs(Scale("smoke"))
    return question, runs["main"].digest


def test_the_band_is_the_rules_and_follows_changed_settings() -> None:
    from lemmata.serve.live_rules import rules_of

    found = rules_of(*main_run("association/fig-3", {}))
    assert set(found) == {"full.noise", "without_F2.correct", "without_F2.noise"}
    shown = found["full.noise"].of(np.full(5, 0.5))
    assert shown["band"] == pytest.approx((0.45, 0.55))
    assert shown["predicted"] == 0.5
    assert shown["claim"] == "association/fig-3"
    assert found["without_F2.correct"].of(np.ones(5))["band"] == (0.9, None)
    changed = rules_of(*main_run("association/fig-3", {"task.alpha": "0.3"}))
    assert changed["full.noise"].of(np.full(5, 0.5))["band"] == pytest.approx((0.25, 0.35))
    assert rules_of(main_run("association/fig-3", {})[0], "another run") == {}


def test_the_verdict_turns_as_data_arrive() -> None:
    from lemmata.serve.live_rules import rules_of

    noise = rules_of(*main_run("association/fig-3", {}))["full.noise"]
    course = [np.full(3, 0.95), np.array([0.35, 0.5, 0.65]), np.full(3, 0.51)]
    assert [noise.of(now)["status"] for now in course] == ["fails", "undecided", "holds"]


def test_bands_of_rules() -> None:
    from lemmata.serve.live_rules import between

    assert between(near(2.0, atol=0.1, rtol=0.1), 2.0) == pytest.approx((1.7, 2.3))
    assert between(at_least(1.0, slack=0.2), 1.0) == (0.8, None)
    assert between(at_most(1.0), 1.0) == (None, 1.0)
    assert between(exactly(1), 1.0) is None


def test_a_checkpoints_curve_carries_what_is_asked_of_it(tmp_path) -> None:
    from lemmata.serve.live_metrics import so_far
    from lemmata.serve.live_rules import rules_of

    question, digest = main_run("association/fig-3", {})
    names = ["a", "b", "c", "d", "e", "f", "full.noise"]
    rows = {f"leaf_{i:04d}": np.full((3, 8), 0.1 * i) for i in range(len(names))}
    rows["leaf_0006"][:, :2] = [0.9, 0.5]
    about = json.dumps({"rows": names, "every": 5}).encode()
    folder = tmp_path / ".partial" / digest
    folder.mkdir(parents=True)
    arrays = rows | {"about": np.frombuffer(about, np.uint8), "__step__": np.array([2])}
    save_file(arrays, folder / "noisy.safetensors")
    views = so_far(Store(tmp_path), digest, rules_of(question, digest))
    assert len(views) == 6  # what is followed comes first
    assert views[0]["title"] == "noisy: full.noise"
    assert views[0]["series"] == {"full.noise": [0.9, 0.5]}
    assert views[0]["steps"] == [0, 5]
    assert views[0]["status"] == "holds"
    assert views[0]["now"] == 0.5
    assert "status" not in views[1]


@pytest.mark.parametrize("id", FOLLOWING)
def test_what_is_followed_is_recorded_and_read(id: str, smoke_store: Store) -> None:
    (item,) = evaluate(select([id]), Scale("smoke"), smoke_store)
    assert item.experiment.live.follows
    for follow in item.experiment.live.follows:
        assert follow.row in item.runs.by_name[follow.run].metrics


def test_following_no_part_is_refused() -> None:
    (selection,) = select(["association/fig-3"])
    with pytest.raises(ValueError, match="which is no part"):
        replace(
            selection.experiment, live=Live(follows=(Follow(run="main", row="loss", claim="fig-3", part="the moon"),))
        )
