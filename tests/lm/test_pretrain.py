"""A small model trained on a text: checkpoints that load, a recipe by which the same bytes come again."""

import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli, Refused
from lemmata.core import UserError
from lemmata.lm.model import load
from lemmata.lm.pretrain import HELD_OUT, RECIPE, Recipe, checkpoint_steps, in_random_order, pretrain, split
from lemmata.lm.roles import Matrix
from lm_stories import story

TINY = Recipe(steps=12, vocabulary=320, width=16, layers=2, heads=2, context=32, batch=8, learning_rate=0.01, warmup=2)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "story.txt"
    file.write_text(story(20_000))
    return file


def test_every_checkpoint_is_a_model_of_ours(text: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    about = pretrain(text, tmp_path / "out", TINY, progress=lambda done, total: seen.append((done, total)))
    assert [f"step-{step}" for step in (0, 1, 2, 4, 8, 12)] == list(about["sha256"])
    assert seen[-1] == (12, 12)
    models = {step: load(str(tmp_path / "out" / f"step-{step}")) for step in (0, 8, 12)}
    assert {step: model.weights for step, model in models.items()} == {
        step: about["sha256"][f"step-{step}"] for step in models
    }
    assert models[12].network.config.model_type == "gpt_neox"
    assert Matrix(2, "mlp in").get(models[12].network).shape == (64, 16)
    first, last = about["losses"][0][2], about["losses"][-1][2]
    assert first == pytest.approx(np.log(320), rel=0.05)
    assert last < first - 0.5
    logits = models[12].last_logits(["Anna went to"])
    assert logits.shape == (1, 320)
    assert (tmp_path / "out" / HELD_OUT).read_text() == split(text.read_text(), TINY.held_out)[1]
    assert json.loads((tmp_path / "out" / RECIPE).read_text())["recipe"]["steps"] == 12


def test_the_recipe_gives_the_same_bytes_again(text: Path, tmp_path: Path) -> None:
    runs = [pretrain(text, tmp_path / name, TINY) for name in ("one", "two")]
    assert runs[0] == runs[1]
    other = pretrain(text, tmp_path / "three", Recipe(**(vars(TINY) | {"seed": 1})))
    assert set(other["sha256"].values()).isdisjoint(runs[0]["sha256"].values())
    shuffled = pretrain(text, tmp_path / "four", Recipe(**(vars(TINY) | {"shuffled": True})))
    assert shuffled["sha256"]["step-0"] == runs[0]["sha256"]["step-0"], "the same start and tokens"
    assert shuffled["sha256"]["step-12"] != runs[0]["sha256"]["step-12"]


def test_the_pieces() -> None:
    assert checkpoint_steps(1) == (0, 1)
    assert checkpoint_steps(100) == (0, 1, 2, 4, 8, 16, 32, 64, 100)
    seen, unseen = split("".join(f"{i % 10}" * 100 for i in range(100)), 0.2)
    assert (len(seen), len(unseen)) == (8000, 2000)
    assert unseen[:100] == "4" * 100, "the end of the first block of five hundred"
    lines = "".join(f"line {i}\n\n" for i in range(2000))
    parts = split(lines, 0.2)
    assert sorted("".join(parts).split("\n\n")) == sorted(lines.split("\n\n")), "cut between lines, none lost"
    words = story(2000)
    assert sorted(in_random_order(words, 0).split()) == sorted(words.split())
    assert in_random_order(words, 0) != words
    rates = [Recipe(steps=100, warmup=10, learning_rate=1.0).rate(step) for step in (1, 10, 55, 100)]
    assert rates == pytest.approx([0.1, 1.0, 0.55, 0.1])


def test_the_command(cli: Cli, text: Path) -> None:
    small = ("--vocabulary", "300", "--width", "16", "--layers", "1", "--heads", "2", "--context", "16")
    code, out, _ = cli("lm", "pretrain", "--text", str(text), "--out", "mine", "--steps", "2", *small)
    assert code == 0
    assert "3 checkpoints" in out
    load(str(Path("mine") / "step-2"))


def test_what_is_not_possible_is_one_line_and_leaves_nothing(refused: Refused, text: Path, tmp_path: Path) -> None:
    given = ("lm", "pretrain", "--text", str(text), "--out", "mine")
    refused("lm", "pretrain", "--text", "none.txt", "--out", "mine", says="cannot be read")
    refused(*given, "--steps", "0", says="steps = 0 is not possible: at least 1")
    refused(*given, "--width", "20", says="a multiple of 8")
    refused(*given, "--context", "100000", says="tokens")
    refused(*given, "--device", "abacus", "--steps", "1", says="device = 'abacus'")
    (tmp_path / "there").mkdir()
    with pytest.raises(UserError, match="exists already"):
        pretrain(text, tmp_path / "there", TINY)
    short = tmp_path / "short.txt"
    short.write_text("too short")
    with pytest.raises(UserError, match="at least 10000 characters; it has 9"):
        pretrain(short, tmp_path / "new", TINY)
    assert not (tmp_path / "new").exists()
