"""The map: each of its numbers is that of one edit on the whole model."""

import os
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.lm import Edit, Largest, Question, edited, load, measure_map
from lemmata.lm.cities import CITIES, where_is
from lemmata.lm.map import softmax
from lemmata.lm.map_figure import draw_map
from lemmata.lm.map_workers import jobs_for, measure_map_by
from lm_models import save_tiny, tiny

QUESTIONS = (("Madrid is located in", " Spain"), ("w9 Paris is located in", " France"), ("w1", " w2"))


def test_every_cell_is_the_edit_made_on_the_whole_model() -> None:
    model = tiny("gpt2")
    requested = [Question(prompt, model.first_token(answer)) for prompt, answer in QUESTIONS]
    steps: list[tuple[int, int]] = []
    found = measure_map(model, requested, shares=(0.1, 0.5), progress=lambda done, total: steps.append((done, total)))
    assert found.ratio.shape == (3, 6, 2)
    assert (steps[0], steps[-1]) == ((0, 36), (36, 36))
    table, the = found.table(), model.first_token(" the")
    prompts = [question.prompt for question in requested]
    for row in range(36):
        with edited(model, Edit(table["layer"][row], table["matrix"][row], Largest(table["share"][row]))):
            chances = softmax(model.last_logits(prompts))
        answer = np.mean([chances[i, question.answer] for i, question in enumerate(requested)])
        assert table["ratio"][row] == pytest.approx(answer / chances[:, the].mean(), rel=1e-5)
        assert table["over_base"][row] == pytest.approx(table["ratio"][row] / found.base)
    chances = softmax(model.last_logits(prompts))
    assert found.base_reference == pytest.approx(chances[:, the].mean(), rel=1e-6)
    layer, role, share = found.best()
    best = np.argmax(table["ratio"])
    assert (layer, role, share) == (table["layer"][best], table["matrix"][best], table["share"][best])


def test_the_figure_names_what_it_shows() -> None:
    model = tiny("llama")
    requested = [Question("Madrid is located in", model.first_token(" Spain"))]
    found = measure_map(model, requested, roles=("mlp in", "q"), layers=(2, 3), shares=(0.2, 0.5, 0.8))
    drawn = draw_map(found)
    assert drawn.figure is not None
    first, second, bar = drawn.figure.axes
    assert (first.get_title(), second.get_title()) == ("mlp in", "q")
    assert first.get_ylabel() == "layer (from 1)"
    assert [label.get_text() for label in first.get_xticklabels()] == ["0.2", "0.5", "0.8"]
    assert [label.get_text() for label in first.get_yticklabels()] == ["2", "3"]
    assert "log2" in bar.get_ylabel()
    assert f"whole model {found.base:.3g}" in drawn.figure.get_suptitle()
    assert len(drawn.table["ratio"]) == 12
    assert "the best of 12 cuts" in drawn.caption.lower()


def test_what_cannot_be_mapped_is_refused_before_it_takes_long() -> None:
    model = tiny("gpt2")
    requested = [Question("Madrid", 1)]
    with pytest.raises(UserError, match="'mlp gate' is not possible: gpt2 has none"):
        measure_map(model, requested, roles=("mlp gate",))
    with pytest.raises(UserError, match="it keeps none"):
        measure_map(model, requested, shares=(0.001,))
    with pytest.raises(UserError, match=r"shares = .* at least one"):
        measure_map(model, requested, shares=())
    with pytest.raises(UserError, match="layer = 4"):
        measure_map(model, requested, layers=(1, 4))
    with pytest.raises(UserError, match="no prompts"):
        measure_map(model, [])


def test_the_built_in_questions_hold_no_the() -> None:
    assert len(CITIES) == len(set(CITIES)) == 20
    assert not any("the" in where_is(city).split() for city, _ in CITIES)
    assert not any(country.startswith(" ") for _, country in CITIES), "the space before it is the asker's"


def test_several_processes_draw_the_same_map(tmp_path: Path) -> None:
    model = load(str(save_tiny("gpt2", tmp_path / "model")))
    requested = [Question(prompt, model.first_token(answer)) for prompt, answer in QUESTIONS]
    alone, steps = measure_map_by(1, model, requested, shares=(0.1, 0.5)), list[tuple[int, int]]()
    threads = os.environ.get("OMP_NUM_THREADS")
    together = measure_map_by(2, model, requested, shares=(0.1, 0.5), progress=lambda *step: steps.append(step))
    assert (together.layers, together.ranks, together.base) == (alone.layers, alone.ranks, alone.base)
    np.testing.assert_allclose(together.ratio, alone.ratio, rtol=1e-5)
    assert steps == [(12, 36), (24, 36), (36, 36)]
    assert os.environ.get("OMP_NUM_THREADS") == threads
    with pytest.raises(UserError, match="it keeps none"):
        measure_map_by(2, model, requested, shares=(0.001,))
    assert jobs_for(model) <= (os.cpu_count() or 1)
