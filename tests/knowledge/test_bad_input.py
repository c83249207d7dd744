"""Impossible requests about facts: one clear line, exit 2, nothing written. Through the real command line."""

from pathlib import Path

import pytest

from lemmata.cli import main

BASE = ("run", "knowledge/pretrain-near-optimal", "--scale", "smoke", "--set")
FIGURE = ("run", "knowledge/fig-2b", "--scale", "smoke", "--set")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*BASE, "facts.multiplicity=7"), "multiplicity = 7 is not possible: 1 to templates = 6"),
        ((*BASE, "facts.templates=2"), "multiplicity = 3 is not possible: 1 to templates = 2"),
        ((*BASE, "tuning.coverage.templates=7"), "tuning.coverage.templates = 7 is not possible: None, or 1 to"),
        ((*BASE, "tuning.coverage.subjects=9"), "tuning.coverage.subjects = 9 is not possible: None, or 1 to 8"),
        ((*BASE, "model.embeddings=orthonormal"), "model.width = 12 is not possible: at least 24"),
        ((*BASE, "tuning.rank=13"), "tuning.rank = 13 is not possible: 1 to 12, the rank of the matrix"),
        ((*BASE, "tuning.rank=0"), "tuning.rank = 0 is not possible"),
        ((*BASE, "tuning.part=atention"), "did you mean 'attention'"),
        ((*BASE, "facts.multiplicty=2"), "did you mean 'facts.multiplicity'"),
        ((*BASE, "facts.name_length=5"), "facts.name_length = 5 is not possible"),
        ((*BASE, "pretraining.steps=-1"), "steps = -1 is not possible"),
        ((*BASE, "pretraining.steps=0"), "steps = 0 is not possible: at least 1"),
        ((*BASE, "tuning.steps=0"), "steps = 0 is not possible: at least 1"),
        ((*BASE, "tuning.rate=-1"), "rate = -1.0 is not possible: above 0"),
        ((*BASE, "pretraining.neuron_rate=fast"), "expected float"),
        ((*BASE, "facts.pad_subjects=4"), "pad_subjects = 4 is not possible: None, or at least 16"),
        ((*FIGURE, "cells=[[16, 3, 4]]"), "multiplicity = 4 is not possible: 1 to templates = 3"),
        ((*FIGURE, "cells=[[17, 6, 3]]"), "at most one of the shapes"),
        ((*FIGURE, "seeds="), "seeds = () is not possible"),
    ],
)
def test_bad_input_is_one_line_exit_2_nothing_written(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEMMATA_STORE", raising=False)
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    captured = capfd.readouterr()
    assert ended.value.code == 2
    assert message in captured.err
    assert captured.err.strip().count("\n") == 0
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []
