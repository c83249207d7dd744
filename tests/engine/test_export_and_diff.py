"""An experiment leaves the house as an RO-Crate; `diff` says what moved between two states of the house."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli
from lemmata.commands.diff import compare
from lemmata.record import Record

pytest.importorskip("rocrate")


def test_export_writes_a_process_run_crate(cli: Cli) -> None:
    from rocrate.rocrate import ROCrate

    code, _, _ = cli("export", "toy/decay", "--scale", "smoke", "--out", "crate")
    assert code == 0
    crate = ROCrate("crate")
    assert crate.root_dataset["conformsTo"].id.startswith("https://w3id.org/ro/wfrun/process/")
    actions = {action.id: action for action in crate.get_by_type("CreateAction")}
    assert set(actions) == {"#run-main", "#verdict"}
    assert {action["instrument"]["name"] for action in actions.values()} == {"lemmata"}
    config = Path("crate") / actions["#run-main"]["object"].id
    assert json.loads(config.read_text())["rate"] == 0.5
    for result in (*actions["#run-main"]["result"], *actions["#verdict"]["result"]):
        assert (Path("crate") / result.id).stat().st_size > 0
    rows = json.loads((Path("crate") / "verdicts.json").read_text())
    assert {row["id"]: row["status"] for row in rows} == {"toy/rate": "holds", "toy/typo": "erratum"}
    (paper,) = crate.get_by_type("ScholarlyArticle")
    assert paper["name"] == "On the Decay of Everything"
    code, _, err = cli("export", "toy/decay", "--scale", "smoke", "--out", "crate")
    assert (code, err.count("\n")) == (2, 1)
    assert "is there already" in err


def test_diff_of_two_stores(cli: Cli) -> None:
    cli("check", "toy", "--scale", "smoke", "--store", "old")
    code, out, _ = cli("diff", "old", "toy", "--scale", "smoke")
    assert code == 0
    assert "0 of 7 claims moved" in out
    verdict = Path("old/verdicts/toy__rate@smoke.json")
    verdict.write_text(json.dumps(json.loads(verdict.read_text()) | {"status": "fails", "measured": 0.25}))
    code, out, _ = cli("diff", "old", "toy", "--scale", "smoke", "--json")
    assert code == 1
    (moved,) = json.loads(out)
    assert (moved["id"], moved["before"], moved["after"]) == ("toy/rate", "fails", "holds")
    assert moved["numbers"] == [{"where": "measured", "before": 0.25, "after": 0.5}]


def test_diff_refuses_what_is_neither(cli: Cli) -> None:
    code, _, err = cli("diff", "no-such-commit", "toy", "--scale", "smoke")
    assert code == 2
    assert "neither a store's folder nor a commit" in err


def test_diff_against_a_commit(cli: Cli) -> None:
    top = Path(__file__).parents[2]
    commit = subprocess.run(["git", "-C", str(top), "rev-parse", "HEAD"], capture_output=True, text=True)
    if commit.returncode:
        pytest.skip("not a git checkout")
    code, out, _ = cli("diff", commit.stdout.strip(), "toy", "--scale", "smoke")
    assert code == 0
    assert "0 of 7 claims moved" in out


def test_compare_names_what_is_new_and_gone() -> None:
    holds, fails = Record(id="a", status="holds", measured=[1.0, 2.0]), Record(id="c", status="fails")
    before, after = {"a": holds, "b": holds}, {"a": replace(holds, measured=[1.0, 2.5]), "c": fails}
    moved = {row["id"]: row for row in compare(before, after)}
    assert moved["a"]["numbers"] == [{"where": "measured[1]", "before": 2.0, "after": 2.5}]
    assert (moved["b"]["after"], moved["c"]["before"]) == ("not there", "not there")
