"""Models along their training: checkpoints that are read, claims that are judged, mistakes that are refused."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from lemmata.core import RunResult, Runs, Scale, Unattended, UserError, judge
from lemmata.core.config import override
from lemmata.core.registry import experiments
from lemmata.lm.model import load
from lemmata.lm.place import VARIABLE
from lemmata.lm.pretrain import Recipe, pretrain
from lemmata.papers.association.run.checkpoints import Checkpoints
from lemmata.papers.association.run.own_training import OwnTraining, probabilities
from lemmata.papers.association.task.language.repeats import repeats
from lm_stories import NAMES, story

RECIPE = {
    **{"steps": 256, "vocabulary": 400, "width": 32, "layers": 2, "heads": 2, "context": 128, "batch": 16},
    **{"learning_rate": 0.01, "warmup": 8, "dropout": 0.0},
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text in which context tells, and the same words in random order: seconds each."""
    root = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(root / "cache"))
        (root / "story.txt").write_text(story(60_000))
        for name in ("text", "shuffled"):
            pretrain(root / "story.txt", root / name, Recipe(**RECIPE, shuffled=name == "shuffled"))
    return root


def computed(config: Checkpoints | OwnTraining) -> RunResult:
    made = config.compute(Unattended())
    return RunResult(config, made.metrics, made.arrays)


def test_our_own_training_is_judged(trained: Path) -> None:
    both = [experiments("association")[f"association/{name}"] for name in ("own-training", "own-truncation")]
    experiment, runs = both[0], {}
    for name, config in experiment.runs(Scale("smoke")).items():
        config = override(config, {"root": str(trained), "shares": "0.1,0.5", "most": "40"})
        assert config.lacks() is None
        runs[name] = computed(config)
    given = Runs(runs, Scale("smoke"))
    found = {claim.id: judge(claim, given, one.needs) for one in both for claim in one.claims}
    first = found["association/own-training"]
    assert first.status in ("holds", "fails", "undecided")
    assert first.control_status == "fails"
    assert found["association/own-truncation"].control_status == "fails"
    for one in found.values():
        assert "Names are" in one.remark
    artefact = experiment.draw(Runs(runs, Scale("smoke")))
    assert len(artefact.table["name"]) == 2 * 4 * len(runs["text"].config.steps)
    article = runs["text"].column("the", step=0, edit=0).mean(), runs["text"].column("the", step=64, edit=0).mean()
    assert article[1] > 10 * article[0], "the article is learned in the first steps"


def test_the_cut_is_chosen_on_other_prompts_than_it_is_judged_on(trained: Path) -> None:
    text = (trained / "text" / "held_out.txt").read_text()
    halves = [repeats(text, seed=0, half=half, is_single_token=lambda text: True) for half in ("choose", "judge")]
    for one, other in (halves, halves[::-1]):
        assert one
        assert {item.name for item in one}.isdisjoint({item.name for item in other})
        assert {item.prompt for item in one}.isdisjoint({item.prompt for item in other})
        for item in one:
            assert item.name in NAMES
            assert item.prompt.count(item.name) == 1
            assert item.absent not in item.prompt
            trigger = item.prompt.split()[-1]
            assert f"{trigger} {item.name}" in item.prompt
            assert item.prompt.split(item.name)[1].split().count(trigger) == 1, "at the end alone"


def test_checkpoints_give_what_the_models_say(trained: Path) -> None:
    run = computed(Checkpoints(model=str(trained / "text"), steps=(0, 256), prompts="prepositions"))
    model = load(str(trained / "text" / "step-256"))
    logits = model.last_logits(["to"])[0]
    token = model.first_token(" the")
    chance = np.exp(logits[token]) / np.exp(logits.astype(float)).sum()
    (place,) = [i for i, word in enumerate(_prepositions()) if word == "to"]
    assert run.column("the", step=256, edit=0)[place] == pytest.approx(chance, rel=1e-5)
    assert run.column("rank of the", step=256, edit=0)[place] == 1 + (logits > logits[token]).sum()
    assert run.column("rank of the", step=0).mean() > 2 * run.column("rank of the", step=256).mean()
    cut = computed(Checkpoints(model=str(trained / "text"), steps=(256,), prompts="facts", layer=2, rank=0.1))
    assert sorted(set(cut.metrics["edit"])) == [0, 1, 2]
    whole, truncated, random = (cut.column("the", edit=edit) for edit in range(3))
    assert not np.allclose(whole, truncated)
    assert not np.allclose(truncated, random)


def _prepositions() -> tuple[str, ...]:
    from lemmata.papers.association.task.language.sentences import PREPOSITIONS

    return PREPOSITIONS


def test_what_is_not_here_is_said(trained: Path, tmp_path: Path) -> None:
    missing = Checkpoints(steps=(1, 2)).lacks()
    assert missing is not None
    assert "EleutherAI/pythia-1b at revision 'step1' is not on this machine" in missing
    own = OwnTraining(root=str(tmp_path), trained="shuffled").lacks()
    assert own is not None
    assert "lemmata lm pretrain --text FILE" in own
    assert "--shuffled" in own
    shutil.copytree(trained / "text", tmp_path / "text")
    shutil.copy(tmp_path / "text" / "step-1" / "model.safetensors", tmp_path / "text" / "step-2" / "model.safetensors")
    swapped = OwnTraining(root=str(tmp_path)).lacks()
    assert swapped is not None
    assert "steps 1 and 2 have the same weights" in swapped
    (tmp_path / "text" / "step-4" / "model.safetensors").write_bytes(b"cut off")
    assert "damaged" in str(OwnTraining(root=str(tmp_path)).lacks())
    with pytest.raises(UserError, match="above 0 where a layer is cut"):
        Checkpoints(layer=3)


def test_probabilities_are_those_of_the_softmax(trained: Path) -> None:
    model = load(str(trained / "text" / "step-256"))
    requested = repeats(
        (trained / "text" / "held_out.txt").read_text(), seed=0, half="judge", is_single_token=lambda text: True, most=5
    )
    found = probabilities(model, requested)
    assert all((values > 0).all() and (values < 1).all() for values in found.values())
    assert len(found["name"]) == 5
