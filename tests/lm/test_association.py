"""The experiments on language models, run on tiny models: what they record is what edits do, and nothing is hidden."""

import re
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import Scale, Unattended, UserError
from lemmata.core.condition import each_condition
from lemmata.core.config import override
from lemmata.core.registry import select
from lemmata.lm import Edit, Largest, Scaled, Without, edited, load
from lemmata.lm.map import softmax
from lemmata.papers.association.claims._knows import knows, too_little
from lemmata.papers.association.run._questions import facts_of
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation
from lemmata.papers.association.run.fixed_truncation import FixedTruncation
from lemmata.papers.association.run.noise_directions import NoiseDirections
from lemmata.record import ExperimentResult
from lemmata.run import Store, apart, evaluate
from lemmata.testing.paper_checks import _drawn, _judged
from lm_models import save_tiny

OURS = ("truncation-ioi", "truncation-facts", "truncation-matrices", "noise-directions")
PAPERS = ("tab-1", "fig-5-fact", "fig-5-ioi", "fig-15", "fig-16", "fig-17")


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(request.param, tmp_path_factory.mktemp(request.param) / "model")


def unexplained(found: ExperimentResult) -> list[str]:
    """What a reader would miss. (What holds of random weights is chance, so a control may pass where a claim fails.)"""
    return [problem for problem in _judged(found) if "control passed" not in problem]


@pytest.mark.parametrize("name", OURS)
def test_any_model_can_be_asked(name: str, folder: Path, tmp_path: Path) -> None:
    changes = {"model": str(folder), "upper": "0.6", "shares": "0.3,0.8"} | ({"every": "1"} if "noise" in name else {})
    (found,) = evaluate(select([f"association/{name}"]), Scale("smoke"), Store(tmp_path), changes=changes)
    assert [*unexplained(found), *_drawn(found)] == []


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_cuts_can_be_made_in_any_model(name: str, folder: Path, tmp_path: Path) -> None:
    """No tiny model has sixteen layers, so the cut is moved; the hub's revisions are not a folder's."""
    changes = {"model": str(folder), "layers": "2", "shares": "0.3", "sentences": "6"}
    selection = select([f"association/{name}"])
    if name.startswith(("tab", "fig-5")):
        changes["revision"] = "None"
    (found,) = evaluate(selection, Scale("smoke"), Store(tmp_path), changes=changes)
    assert [*unexplained(found), *_drawn(found)] == []


@pytest.mark.parametrize("name", PAPERS)
def test_without_the_weights_they_are_not_run_and_say_what_would_help(name: str, tmp_path: Path) -> None:
    can, (cannot,) = apart(select([f"association/{name}"]), Scale(), Store(tmp_path))
    assert can == []
    assert "is not on this machine" in cannot.reason
    assert "lemmata lm fetch" in cannot.reason


def test_an_unknown_model_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'smollm2-135m-instruct'"):
        evaluate(
            select(["association/truncation-ioi"]),
            Scale("smoke"),
            Store(tmp_path),
            changes={"model": "smollm2-135m-instrct"},
        )


def test_the_weights_are_part_of_the_digest(tmp_path: Path) -> None:
    one = ChosenTruncation(model=str(save_tiny("gpt2", tmp_path / "a")))
    before = one.digest
    save_tiny("llama", tmp_path / "a")
    assert one.digest != before


def test_chosen_cuts_are_the_edits_they_say(folder: Path) -> None:
    config = ChosenTruncation(model=str(folder), prompts=6, upper=0.6, shares=(0.3, 0.8), keeps=0.1, subspaces=2)
    table = config.compute(Unattended()).metrics
    model = load(str(folder))
    the = model.first_token(" the")
    cut = (table["edit"] == "cut") & (table["half"] == "judge")
    assert cut.any()
    prompts = [fact.prompt for fact in facts_of("judge")[:6]]
    for layer in sorted(set(table["layer"][cut])):
        rows = cut & (table["layer"] == layer)
        share = float(table["share"][rows][0])
        with edited(model, Edit(int(layer), "mlp in", Largest(share))):
            probabilities = softmax(model.last_logits(prompts))
        np.testing.assert_allclose(table["the"][rows], probabilities[:, the], rtol=1e-4)
        on_choice = (table["edit"] == "cut") & (table["half"] == "choose") & (table["layer"] == layer)
        ratios = {
            one: table["answer"][on_choice & (table["share"] == one)].mean()
            / table["the"][on_choice & (table["share"] == one)].mean()
            for one in config.shares
        }
        assert share == max(ratios, key=ratios.__getitem__)


def test_a_cut_stands_beside_the_matrix_dropped_and_scaled(folder: Path) -> None:
    config = ChosenTruncation(
        model=str(folder), prompts=5, upper=0.3, shares=(0.5,), keeps=0.01, subspaces=2, matrices=("mlp out",)
    )
    table = config.compute(Unattended()).metrics
    model, layer = load(str(folder)), int(max(table["layer"]))
    prompts = [fact.prompt for fact in facts_of("judge")[:5]]
    for name, keep in (("dropped", Largest(0)), ("scaled", Scaled(0.5))):
        with edited(model, Edit(layer, "mlp out", keep)):
            probabilities = softmax(model.last_logits(prompts))[:, model.first_token(" the")]
        mine = (table["edit"] == name) & (table["layer"] == layer)
        np.testing.assert_allclose(table["the"][mine], probabilities, rtol=1e-4)


@pytest.mark.parametrize("name", ["truncation-ioi", "truncation-facts", "truncation-matrices", *PAPERS])
def test_a_model_that_knows_nothing_decides_nothing(name: str) -> None:
    """Every claim on a language model's cuts has the need, and it is not met where answers are all but impossible."""
    experiment = select([f"association/{name}"])[0].experiment
    needs = [each for claim in experiment.claims for each in each_condition({**experiment.needs, **claim.needs})]
    asked = {name for name, condition in needs if condition is knows}
    assert asked >= set(experiment.runs(Scale("smoke"))) - {"exchanged"}
    assert "its weights are wrong or broken" in str(too_little("a model", 2e-5))
    assert too_little("a model", 0.3) is None


def test_a_statement_names_the_matrix_that_is_cut(folder: Path, tmp_path: Path) -> None:
    changes = {"model": str(folder), "matrices": "mlp out", "shares": "0.3"}
    (found,) = evaluate(select(["association/truncation-ioi"]), Scale("smoke"), Store(tmp_path), changes=changes)
    for record in found.records():
        assert "MLP output matrix" in str(record.to_json())
        assert "MLP input matrix" not in str(record.to_json())


def test_sentences_in_the_printed_words(folder: Path) -> None:
    asked = FixedTruncation(model=str(folder), task="ioi", sentences=8)._questions(load(str(folder)))
    assert len(set(asked.prompts)) == 8
    for prompt in asked.prompts:
        assert re.fullmatch(r"When (\w+) and (\w+) went to a store, (\1|\2) gave a drink to", prompt)


def test_a_direction_removed_alone_is_that_edit(folder: Path) -> None:
    config = NoiseDirections(model=str(folder), prompts=4, layer=2, counts=(1, 3))
    found = config.compute(Unattended())
    model = load(str(folder))
    arrays = found.arrays
    prompts = [fact.prompt for half in ("choose", "judge") for fact in facts_of(half)[:4]]
    the = model.first_token(" the")
    assert arrays["chooses"].tolist() == [True] * 4 + [False] * 4
    for place in (0, len(arrays["directions"]) - 1):
        with edited(model, Edit(2, "mlp in", Without((int(arrays["directions"][place]),)))):
            probabilities = softmax(model.last_logits(prompts))
        np.testing.assert_allclose(arrays["alone"][place, 1], probabilities[:, the], rtol=1e-4)
    assert arrays["energy"].sum() == pytest.approx(1.0, abs=1e-3), "the directions span the inputs"
    by_effect = found.metrics["the"][(found.metrics["by"] == "effect") & (found.metrics["count"] == 1)]
    effect = np.log(arrays["alone"][..., :4].mean(-1)[:, 0] / arrays["alone"][..., :4].mean(-1)[:, 1])
    np.testing.assert_allclose(by_effect, arrays["alone"][np.argmax(effect), 1, 4:], rtol=1e-4)


def test_a_layer_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="layer = 16 is not possible: 1 to 3"):
        FixedTruncation(model=str(folder)).compute(Unattended())
    with pytest.raises(UserError, match="all different"):
        override(ChosenTruncation(), {"shares": "0.5,0.5"})
