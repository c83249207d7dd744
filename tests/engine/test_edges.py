"""Wherever a user's value enters, a wrong type is refused in one line that names the field; paths may be strings."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from lemmata.core import Config, Experiment, Runs, Some, UserError
from lemmata.core.constraints import Count, Share
from lemmata.core.registry import Selection, add_paper_path, papers
from lemmata.record.result import ExperimentResult


@dataclass(frozen=True, kw_only=True)
class Inner(Config):
    n: Count = 3


@dataclass(frozen=True, kw_only=True)
class World(Config):
    triggers: Some[int] = (1,)
    alpha: Share = 0.5
    kind: Literal["mlp", "linear"] = "mlp"
    pair: tuple[int, float] = (1, 0.5)
    hidden: Count | None = None
    inner: Inner = Inner()
    maps: bool = False


WRONG: dict[str, tuple[Any, str]] = {
    "triggers": (2, "triggers = 2 is not possible: expected list of int, no fewer than 1; did you mean (2,)?"),
    "alpha": ("much", "alpha = 'much' is not possible: expected float, at least 0 and at most 1"),
    "kind": ("lin", "did you mean 'linear'?"),
    "pair": ((1,), "pair = (1,) is not possible: expected list of int, float"),
    "hidden": (2.5, "hidden = 2.5 is not possible: expected int, at least 1 or None"),
    "inner": (3, "inner = 3 is not possible: expected Inner"),
    "maps": (1, "maps = 1 is not possible: expected bool"),
}


@pytest.mark.parametrize("field", WRONG)
def test_a_wrong_type_is_refused_in_one_line(field: str) -> None:
    value, says = WRONG[field]
    with pytest.raises(UserError) as refusal:
        World(**{field: value})
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_lists_for_tuples_and_truth_values_for_numbers_are_refused_too() -> None:
    with pytest.raises(UserError, match=r"did you mean \(1, 2\)\?"):
        World(triggers=[1, 2])  # pyright: ignore[reportArgumentType]
    with pytest.raises(UserError, match="alpha = True"):
        World(alpha=True)
    assert World(alpha=1, hidden=4, pair=(1, 2)).alpha == 1, "a whole number may stand for a float"


REFUSED = {  # a call of the front door -> what its refusal says
    "lemmata.check(3)": "id = 3 is not possible",
    "lemmata.claims(None)": "id = None is not possible",
    "lemmata.results(['lego'])": "id = ['lego'] is not possible",
    "lemmata.check('toy/decay', changes='rate=1')": "changes = 'rate=1' is not possible: a dict",
    "lemmata.check('toy/decay', seeds='3')": "seeds = '3' is not possible: int, at least 1",
    "lemmata.check('toy/decay', seeds=0)": "seeds = 0 is not possible: int, at least 1",
    "lemmata.check('toy/decay', replication=-1)": "replication = -1 is not possible",
    "lemmata.check('toy/decay', jobs=0)": "jobs = 0 is not possible: int, at least 1",
    "lemmata.check('toy/decay', store=3)": "store = 3 is not possible: a path",
    "lemmata.Scale('tiny')": "unknown scale 'tiny'",
    "Store(3)": "store = 3 is not possible: a path",
}


def test_the_front_door_refuses_in_one_line(toy: Path, tmp_path: Path) -> None:
    """In a process of its own: in this one the type checker of the tests would speak first."""
    lines = ["import lemmata", "from lemmata.core import UserError", "from lemmata.run import Store"]
    for call in REFUSED:
        lines += ["try:", f"    {call}", "except UserError as error:", "    print(error)"]
    found = run_python("\n".join(lines), tmp_path)
    assert len(found) == len(REFUSED)
    for line, says in zip(found, REFUSED.values(), strict=True):
        assert says in line


def test_paths_may_be_strings(toy: Path, tmp_path: Path) -> None:
    code = "import lemmata; from lemmata.run import Store; print(Store('kept').root.name)\n"
    code += "print(len(lemmata.check('toy/decay', scale='smoke', store='kept')) > 0)"
    assert run_python(code, tmp_path) == ["kept", "True"]
    assert (tmp_path / "kept").is_dir()
    add_paper_path(str(toy))
    assert "toy" in papers()


def run_python(code: str, folder: Path) -> list[str]:
    finished = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


def test_an_experiment_need_not_draw() -> None:
    plain = Experiment(title="", runs=lambda scale: {}, claims=())
    artefact = ExperimentResult(Selection(plain, ()), Runs({}), ()).draw()
    assert (artefact.figure, artefact.caption) == (None, "Nothing is drawn.")
