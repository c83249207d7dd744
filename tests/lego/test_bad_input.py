"""Mistakes in a LEGO world, through the real command line: one clear line, exit 2, nothing written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lemmata.cli import main

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEMMATA_STORE", raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        captured = capfd.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


@pytest.mark.parametrize(
    ("experiment", "assignments", "says"),
    [
        ("lego/permutation-invariance", ["task.length=41"], "at most 40 steps"),
        ("lego/permutation-invariance", ["task.variables=5"], "at most 4 steps"),
        ("lego/permutation-invariance", ["task.length=0"], "at least 1 step"),
        ("lego/permutation-invariance", ["task.action=B5"], "unknown group 'B5'"),
        ("lego/permutation-invariance", ["task.action=S5:slef"], "did you mean 'self'"),
        ("lego/permutation-invariance", ["task.action=C3:[[0,1,2],[1,0,2],[2,0,1]]"], "not an action"),
        ("lego/permutation-invariance", ["task.action=C3:[[0,1,2]]"], "each of the 3 elements"),
        ("lego/permutation-invariance", ["task.acton=C3"], "task.action"),
        ("lego/fig-1a", ["task.action=D5"], "needs model.variables=9 model.actions=10 model.values=5"),
        ("lego/feature-structure", ["task.action=C5"], "needs model.variables=7 model.actions=5 model.values=5"),
        ("lego/fig-1b", ["stages=2"], "each longer than the training length 2"),
        ("lego/fig-2", ["model.heads=3"], "a divisor of 5 width = 20"),
        ("lego/distractors", ["actions=C6,Q8"], "unknown group 'Q8'"),
        ("lego/distractors", ['actions=["C2:[[0,1],[0,1]]","C6"]', "sampled=C6", "length=99"], "at most 40 steps"),
        ("lego/distractors", ["length=0"], "at least 1 step"),
        ("lego/distractors", ['actions=["C2:[[1,0],[0,1]]"]'], "the identity"),
        ("lego/regime-map", ["evaluations=0"], "evaluations = 0"),
        ("lego/regime-map", ["vocabulary=8"], "three variables"),
        ("lego/regime-map", ["test_sentences=0"], "test_sentences = 0"),
        ("lego/regime-map", ["clips=2,0"], "clips[1] = 0"),
        ("lego/regime-map", ["widths=0"], "widths[0] = 0"),
        ("lego/regime-map", ["one_step.steps=0"], "steps = 0"),
        ("lego/thm-4-1", ["records=5,1"], "increasing"),
        ("lego/thm-5-1", ["test_sentences=0"], "test_sentences = 0"),
        ("lego/thm-5-1", ["one_step.stride=0"], "stride = 0"),
        ("lego/thm-5-1", ["lengths=[]"], "lengths = ()"),
        ("lego/self-train-cost", ["stages=9"], "at most 29 steps"),
        ("lego/dilution", ['plans=[{"name": "a", "stages": [{"every": 0}]}]'], "every = 0"),
        ("lego/dilution", ['plans=[{"name": "a", "stages": [{"batch": 0}]}]'], "batch = 0"),
        ("lego/dilution", ['plans=[{"name": "a", "stages": []}]'], "stages = ()"),
    ],
)
def test_one_line_exit_2_nothing_written(
    cli: Cli, tmp_path: Path, experiment: str, assignments: list[str], says: str
) -> None:
    code, out, err = cli("run", experiment, "--set", *assignments, "--scale", "smoke", "--jobs", "1")
    assert code == 2
    assert out == ""
    assert says in err
    assert err.strip().count("\n") == 0
    assert list(tmp_path.iterdir()) == []
