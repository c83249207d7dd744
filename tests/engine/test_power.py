"""Wrong versions of a theory: which slips there are, what becomes of them, and that nothing of them stays."""

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mutants
from lemmata.commands.power import picture, totals
from lemmata.core import Claim, Paper, Part, Runs, at_most, near
from lemmata.record.power import Power, Version, compared, power_of
from lemmata.record.slips import slips

PAPER = Paper(id="halves", title="Halves", authors="A. Body", year=2026, sentence="Half is left.", package="halves")
THEORY = """
import numpy as np
TABLE = np.array([1.0, 4.0])

def left(rate, steps):
    return (1 - rate) ** steps * TABLE

def most(n):
    return n + 1

def endless(n):
    while n > 0:
        n = n - 1
    return n
"""
CLAIMS = """
from halves.theory import decay

def left(runs):
    return decay.left(0.5, 2)

def most(runs):
    return decay.most(3)

def endless(runs):
    return decay.endless(2)
"""


@pytest.fixture
def halves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Paper]:
    """A paper of its own for each test: what is known of a paper's code is remembered."""
    folder = tmp_path / "halves"
    for name, text in {
        "theory/decay": THEORY,
        "claims/one": CLAIMS,
        "theory/__init__": "",
        "claims/__init__": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(text)
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield replace(PAPER, title=str(tmp_path))
    for name in [name for name in sys.modules if name.split(".")[0] == "halves"]:
        del sys.modules[name]


def claim(part: Part, measured: object, wrong: object) -> Claim:
    return Claim(
        id="halves/one",
        locus="Section 1",
        statement="Half is left.",
        subject=lambda runs: measured,
        wrong=lambda runs: wrong,
        parts=part,
    )


def power(paper: Paper, part: Part, measured: object, wrong: object) -> Power:
    found = power_of(claim(part, measured, wrong), Runs({}), paper)
    assert found is not None
    return found


def test_the_slips_of_a_formula() -> None:
    found = [(one.kind, one.text) for one in slips(ast.parse("y = 2 * x ** 2 - v[0] / np.sqrt(n - 1)"))]
    assert ("exponent", "x ** 2 → x ** 3") in found
    assert ("index", "0 → 1") in found
    assert ("off by one", "1 → 2") in found
    assert ("a term dropped", "n - 1 → n") in found
    assert ("sqrt left out", "np.sqrt(n - 1) → n - 1") in found
    assert {"sign", "factor 2", "a factor dropped", "times for over", "over for times"} <= {kind for kind, _ in found}


def test_a_slip_leaves_the_tree_as_it_was() -> None:
    tree = ast.parse("def f(x):\n    return 3 * x - 1\n")
    before = ast.dump(tree, include_attributes=True)
    values = set()
    for slip in list(slips(tree)):
        scope: dict = {}
        exec(slip.compiled(tree, "f"), scope)
        values.add(scope["f"](2))
    assert ast.dump(tree, include_attributes=True) == before
    assert 5 not in values
    assert len(values) >= 5


def test_every_wrong_version_of_a_formula_is_rejected_and_none_stays(halves: Paper) -> None:
    one, decay = importlib.import_module("halves.claims.one"), importlib.import_module("halves.theory.decay")
    found = power(halves, Part(lambda x: x, near(one.left, rtol=1e-9)), np.array([0.25, 1.0]), np.array([1.0, 1.0]))
    assert (found.about, found.count("accepted"), found.count("weaker")) == ("formula", 0, 0)
    assert {"decay.left", "decay.TABLE"} <= {version.place for version in found.versions}
    assert decay.left(0.5, 2).tolist() == [0.25, 1.0]


def test_a_bound_that_is_only_weakened_is_counted_apart(halves: Paper) -> None:
    one = importlib.import_module("halves.claims.one")
    tight = power(halves, Part(lambda x: x, at_most(one.most, paper="every n")), 4.0, 5.0)
    assert tight.about == "bound"
    assert tight.count("weaker") >= 1
    assert tight.count("accepted") == 0
    assert tight.count("rejected") >= 2
    loose = power(halves, Part(lambda x: x, at_most(one.most, paper="every n")), 0.1, 5.0)
    assert (loose.about, loose.count("rejected")) == ("loose", 0)
    ours = power(halves, Part(lambda x: x, at_most(4.0)), 1.0, 5.0)
    assert (ours.about, ours.versions) == ("other", ())


def test_a_version_that_does_not_end_is_rejected(halves: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lemmata.record.power.SECONDS", 1)
    one = importlib.import_module("halves.claims.one")
    found = power(halves, Part(lambda x: x, near(one.endless, atol=0.5)), 0.0, 3.0)
    assert any(version.kind == "sign" and version.outcome == "rejected" for version in found.versions)


def test_a_paper_names_versions_of_its_own(halves: Paper) -> None:
    (halves.folder / "claims/_wrong_versions.py").write_text("WRONG_VERSIONS = {'one': {'two for four': {'': 2.0}}}\n")
    found = power(halves, Part(lambda x: x, at_most(4.0, paper="every n")), 3.0, 5.0)
    assert Version("by name", "target", "two for four", "rejected") in found.versions


def test_a_unit_in_which_both_are_read_is_no_version() -> None:
    parts = {"": Part(lambda x: x, near(1.0, rtol=0.1))}
    assert compared(parts, {"": (1.0, 1.05)}, {"": (2.0, 2.1)}) is None
    assert compared(parts, {"": (1.0, 1.05)}, {"": (2.0, 1.05)}) == "rejected"
    assert compared(parts, {"": (1.0, 1.05)}, {"": (1.01, 1.05)}) == "accepted"


def test_totals_and_picture() -> None:
    versions = [Version("sign", "f", "1 → -1", outcome) for outcome in ("rejected", "rejected", "accepted", "weaker")]
    found = [Power("halves/one", "bound", tuple(versions))]
    (line,) = totals(found)
    assert line.startswith("bounds with slack under 3: 2 of 3 wrong versions rejected (0.667), 1 more")
    assert [tick.get_text() for tick in picture("Halves", found).axes[0].get_yticklabels()] == ["one"]


def test_a_slip_in_a_file_changes_one_place_and_keeps_its_comments() -> None:
    places = mutants.places(["association/probe"])
    assert len(places) > 50
    for file, slip in places[::25]:
        before = file.read_text()
        after = mutants.with_slip(before, slip)
        ast.parse(after)
        assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))
        assert [line for line in after.splitlines() if "#" in line][:1] == [
            line for line in before.splitlines() if "#" in line
        ][:1]
