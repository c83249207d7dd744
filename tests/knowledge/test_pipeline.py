"""The pipeline's run at its smallest, and what claims read of replies that are made up for the purpose."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest

from lemmata.core import Recorded, RunResult, Scale, UserError
from lemmata.papers.knowledge.claims._pipeline import ALL, ATTENTION, COVERED, Tuned, covering_tunings, main_tunings
from lemmata.papers.knowledge.claims.covering import Covering
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.run.covering import CoveringCells, model_before
from lemmata.papers.knowledge.run.pipeline import Pipeline, StagesConfig, answered, theory_model
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions

SMOKE = Scale("smoke")
WORLD = FactsConfig(subjects=8, templates=4, multiplicity=2)


def replies(*given: int) -> Covering:
    """Four held-out subjects with the templates 0, 1, 2, 3 of four, after questions about the first two."""
    config = Pipeline(facts=FactsConfig(subjects=6, templates=4, multiplicity=1), tunings=(*tuned(),), seeds=(0,))
    reply = np.zeros((2, 1, 6), int)
    reply[:, 0, :4] = given
    arrays: dict[str, Any] = {
        "templates": np.array([0, 1, 2, 3, 0, 1]).reshape(1, 6, 1),
        "held_out": np.array([[True] * 4 + [False] * 2]),
        "asked": np.array([[[False] * 4 + [True] * 2]] * 2),
        "reply": reply,
        "before.reply": np.zeros((1, 6), int),
        "recalled": np.ones((2, 1, 6, 1)),
    }
    run = RunResult(config, Recorded({}), Recorded(arrays), {})
    return Covering(Tuned(run, covering_tunings(SMOKE), COVERED))


def tuned() -> Any:
    return covering_tunings(SMOKE).values()


def test_a_subjects_own_relation_is_the_one_it_has() -> None:
    # Classes: d, four relations, six answers. Subjects 2 and 3 are not covered: their own relations are classes 3, 4.
    found = replies(5, 6, 3, 4)
    np.testing.assert_array_equal(found.own, [1.0])
    np.testing.assert_array_equal(found.gap, [1.0])
    np.testing.assert_array_equal(found.error, [0.5])
    np.testing.assert_array_equal(found.error_bound, [0.5])
    next_one = replies(5, 6, 4, 1)
    np.testing.assert_array_equal(next_one.own, [0.0])
    np.testing.assert_array_equal(next_one._replace(shift=1).own, [1.0])


def test_every_reply_is_of_one_kind() -> None:
    kinds = replies(5, 2, 3, 10).kinds()
    np.testing.assert_array_equal(np.sum(list(kinds.values()), axis=0), np.ones((1, 6)))
    assert [bool(kinds[kind][0, place]) for place, kind in enumerate(("right", "own relation", "own relation"))] == [
        True
    ] * 3
    assert kinds["another answer"][0, 3]


def test_all_are_read_after_as_many_steps() -> None:
    tunings = main_tunings(Scale("laptop"))
    config = Pipeline(tunings=tuple(tunings.values()), seeds=(0, 1))
    columns = {"seed": [], "tuning": [], "step": [], "extraction": []}
    for number, tuning in enumerate(tunings.values()):
        for step in np.linspace(0, tuning.steps, tuning.records + 1).astype(int):
            for seed in (0, 1):
                for name, value in zip(columns, (seed, number, step, step / 1000 + seed), strict=True):
                    columns[name].append(value)
    run = RunResult(config, Recorded({name: np.array(of) for name, of in columns.items()}), Recorded({}), {})
    shown = Tuned(run, tunings)
    for name in (ALL, ATTENTION):
        np.testing.assert_allclose(shown.after(name).extraction, [0.12, 1.12])
    np.testing.assert_allclose(shown.untuned().extraction, [0, 1])
    assert shown.curve()[0][-1] == 240


def test_answered_counts_facts_that_are_held_out() -> None:
    facts = Facts.create(WORLD, 0)
    model = OneLayer.create(theory_model(width=16, neurons=4), WORLD, 0)
    for split in ("subject", "tuple"):
        questions = Questions.choose(facts, CoverageConfig(split=split), 0)
        found = jax.jit(answered)(model, questions)
        right = np.asarray(found["reply"]) == 1 + 4 + np.arange(8)
        weights = np.asarray(questions.test).sum(axis=1)
        assert float(found["extraction"]) == pytest.approx((right * weights).sum() / weights.sum())
        assert found["recalled"].shape == (8, 2)


def test_what_the_law_reads_of_a_model() -> None:
    facts, config = Facts.create(WORLD, 0), theory_model(width=16, neurons=4)
    model = OneLayer.create(config, WORLD, 0)
    found = jax.jit(model_before)(model, facts)
    assert float(found["to_subject"]) == pytest.approx(1 / 3)  # attention at the start
    w, x = np.asarray(model.neurons), np.asarray(model.embeddings)
    active = []
    for subject, templates in enumerate(np.asarray(facts.templates)):
        features = x[1] + (x[0] + x[1] + x[3 + 4 + subject]) / 3
        active += [(features @ w[:, :, 1 + one] > 0).mean() for one in templates]
    assert float(found["active_relation"]) == pytest.approx(np.mean(active))
    assert 0 <= float(found["shared"]) <= 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"facts": replace(WORLD, opened=False), "model": OneLayerConfig()}, "stages"),
        ({"facts": replace(WORLD, pad_subjects=9)}, "facts.pad"),
        ({"model": theory_model(width=8)}, "width = 8"),
        ({"model": OneLayerConfig(attention="uniform")}, "stages"),
    ],
)
def test_impossible_pipelines_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Pipeline(**{"facts": WORLD, **changes})


def test_stages_are_left_out_where_adamw_pre_trains() -> None:
    adamw = Pipeline(facts=WORLD, model=OneLayerConfig(), stages=None, pretraining=PreTrainingConfig(steps=4))
    assert adamw.stages is None
    assert StagesConfig().descent(2.0).lr[1] == 40.0


def test_a_cell_without_questions_is_refused() -> None:
    with pytest.raises(UserError, match="some numbers for N = 16"):
        CoveringCells(worlds=((16, 4, 2),), asked=((32, 4),))
