"""Verdicts that come with the package stand where nobody has computed any, say so, and give way to one's own."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import TOY, Cli
from lemmata.core import registry
from lemmata.core.registry import papers, select
from lemmata.record import STALE, current_rules, fresh, read_baseline
from lemmata.report.evidence_rows import NEAREST
from lemmata.run import environment as environment_module
from lemmata.run.environment import code_name

OURS = {id: paper for id, paper in papers().items() if paper.package.startswith("lemmata.")}
SMOKE = ("--scale", "smoke", "--jobs", "1")


@pytest.fixture
def kept(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the toy paper that keeps its verdicts at smoke scale, and a store that knows nothing."""
    copy = tmp_path / "toy"
    shutil.copytree(TOY, copy)
    (copy / "README.md").write_text("")
    paper = papers()["toy"]  # imported from where it is: modules outlive this test, the copy's would bring its verdicts
    monkeypatch.setenv(registry.PATHS, str(copy))
    monkeypatch.setattr(type(paper), "folder", copy)
    registry.forget()
    cli("check", "toy", *SMOKE)
    cli("docs", "toy", "--scale", "smoke")
    shutil.rmtree(".lemmata")
    return copy / "verdicts.json"


def rows(cli: Cli, *arguments: str) -> dict[str, dict]:
    return {row["id"]: row for row in json.loads(cli(*arguments, "--json")[1])}


def test_a_reference_is_shown_as_one_until_it_is_replaced(cli: Cli, kept: Path) -> None:
    before = rows(cli, "list", "toy", "--scale", "smoke")
    assert before["toy/rate"]["status"] == "holds"
    assert before["toy/rate"]["reference"].startswith("lemmata ")
    assert "smoke scale" in before["toy/rate"]["reference"]
    out = cli("list", "toy", "--scale", "smoke")[1]
    assert "✓ holds (reference)" in out
    assert "not computed here" in out
    shown = cli("show", "toy/sure", "--scale", "smoke")[1]
    assert "reference" in shown
    assert "mean of 2 seeds" in shown
    assert before["toy/sure"]["evidence"][0]["rows"][0]["seeds"] == 2
    cli("check", "toy/rate", *SMOKE)
    after = rows(cli, "list", "toy", "--scale", "smoke")
    assert after["toy/rate"]["reference"] is None
    assert after["toy/rate"]["status"] == "holds"
    assert after["toy/bound"]["reference"]


def test_a_reference_says_nothing_of_another_rule_scale_or_randomness(cli: Cli, kept: Path) -> None:
    data = json.loads(kept.read_text())
    data["claims"]["toy/rate"]["digest"] = "0" * 20
    kept.write_text(json.dumps(data))
    row = rows(cli, "show", "toy/rate", "--scale", "smoke")["toy/rate"]
    assert (row["status"], row["reference"]) == (None, STALE)
    assert f"{STALE}: toy/rate" in cli("list", "toy", "--scale", "smoke")[1]
    assert rows(cli, "list", "toy", "--scale", "laptop")["toy/bound"]["status"] is None
    assert rows(cli, "list", "toy", "--scale", "smoke")["toy/bound"]["status"] == "fails"


def test_what_is_recorded_at_the_papers_scale_is_kept_beside_it(cli: Cli, kept: Path) -> None:
    data = json.loads(kept.read_text())
    digest = current_rules(["toy"], "paper")["toy/rate"].digest
    data["paper"] = {"toy/rate": {"status": "fails", "digest": digest, "version": "0.0", "device": "a large one"}}
    kept.write_text(json.dumps(data))
    row = rows(cli, "list", "toy", "--scale", "paper")["toy/rate"]
    assert (row["status"], row["reference"]) == ("fails", "lemmata 0.0, paper scale, a large one")
    cli("check", "toy", *SMOKE)
    cli("docs", "toy", "--scale", "smoke")
    assert json.loads(kept.read_text())["paper"] == data["paper"]


@pytest.mark.parametrize("id", OURS)
def test_the_package_carries_references_of_its_claims(id: str) -> None:
    """Most of them of the claims as they stand; one whose rule has changed since is shown as such."""
    kept, rules = read_baseline(OURS[id]), current_rules([id])
    assert kept.scale == "laptop"
    assert set(kept.claims) <= set(rules)
    still = fresh(kept.claims, rules)
    assert len(still) > 0.5 * len(rules)
    with_extras = {claim.id for one in select([id]) if one.experiment.extra for claim in one.claims}
    for name, one in still.items():
        apart = name in with_extras or one.status == "undecided"  # of an older store, or without numbers
        assert one.evidence or apart, f"{name}: its numbers have no labels"
        assert all(len(part.elements) <= NEAREST for part in one.evidence), name
    for one in (*kept.claims.values(), *kept.paper.values()):
        assert all((one.status, one.digest, one.version, one.date, one.device)), one.id
    page = (OURS[id].folder / "README.md").read_text()
    for name, one in fresh(kept.paper, current_rules([id], "paper")).items():
        lines = [line for line in page.splitlines() if name.split("/")[1] in line and f"| {one.status} |" in line]
        assert lines, f"{name} is {one.status} at the paper's size, and the page does not say so"


def test_a_store_of_a_part_of_the_paper_renews_that_part(cli: Cli, kept: Path) -> None:
    before = json.loads(kept.read_text())
    for one in before["claims"].values():
        one["date"] = "1999-01-01"
    kept.write_text(json.dumps(before))
    cli("check", "toy/rate", *SMOKE)
    cli("docs", "toy", "--scale", "smoke")
    after = json.loads(kept.read_text())
    assert list(after["claims"]) == list(before["claims"])
    assert after["claims"]["toy/rate"]["date"] > "2000"
    assert after["claims"]["toy/bound"] == before["claims"]["toy/bound"]
    assert after["seconds"] >= 0


def test_a_claim_without_any_verdict_keeps_the_page_as_it_was(cli: Cli, kept: Path) -> None:
    before = json.loads(kept.read_text())
    before["claims"]["toy/bound"]["digest"] = "0" * 20
    kept.write_text(json.dumps(before))
    cli("check", "toy/rate", *SMOKE)
    out = " ".join(cli("docs", "toy", "--scale", "smoke")[1].split())
    assert "claim is not judged" in out
    assert json.loads(kept.read_text()) == before


def test_a_verdict_that_was_kept_without_numbers_says_how_to_get_them(cli: Cli, kept: Path) -> None:
    data = json.loads(kept.read_text())
    del data["claims"]["toy/rate"]["evidence"]
    data["claims"]["toy/rate"].pop("detail", None)
    kept.write_text(json.dumps(data))
    out = " ".join(cli("show", "toy/rate", "--scale", "smoke")[1].split())
    assert "No number is kept of it here: `lemmata check toy/rate --scale smoke` measures it." in out


def test_code_is_named_by_its_commit_or_by_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert code_name({"version": "1.2", "commit": "abc", "dirty": True}) == "abc with changes"
    assert code_name({"version": "1.2", "commit": None, "dirty": None}) == "lemmata 1.2"
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "somebody's own project"], check=True)
    installed = tmp_path / ".venv" / "lemmata" / "provenance.py"
    installed.parent.mkdir(parents=True)
    installed.write_text("")
    monkeypatch.setattr(environment_module, "__file__", str(installed))
    assert environment_module._git_state() == (None, None)


def test_an_installed_wheel_knows_its_verdicts(tmp_path: Path) -> None:
    top, site = Path(__file__).parents[2], tmp_path / "site"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=top, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    command = [sys.executable, "-P", "-m", "lemmata", "show", "lego/separation", "--json"]
    environment = os.environ | {"PYTHONPATH": str(site)}
    shown = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    (row,) = json.loads(shown.stdout)
    assert row["file"].startswith(str(site)), "it is the wheel that answers"
    assert row["reference"] == STALE or (row["status"] and "laptop scale" in row["reference"])


def test_replications_are_set_against_the_verdict_that_is_kept_now(cli: Cli, kept: Path) -> None:
    cli("confirm", "toy/sure", "--replications", "1", *SMOKE)
    data = json.loads(kept.read_text())
    assert data["claims"]["toy/sure"]["status"] == "holds"
    data["claims"]["toy/sure"]["status"] = "undecided"
    kept.write_text(json.dumps(data))
    cli("docs", "toy", "--scale", "smoke")
    assert json.loads((kept.parent / "replications.json").read_text())["toy/sure"]["reference"] == "undecided"


def test_a_plan_counts_what_kept_verdicts_cost(cli: Cli, kept: Path) -> None:
    plan = ("reproduce", "toy", "--dry-run", "--scale", "smoke")
    facts = json.loads(cli(*plan, "--jobs", "4", "--json")[1])
    (toy,) = facts["papers"]
    assert toy["unknown"] == 0
    assert toy["runs"] > 0 == toy["stored"]
    assert facts["core_seconds"] == toy["core_seconds"] > 0
    assert facts["expected_seconds"] >= max(facts["critical_path"], facts["core_seconds"] / 4) - 0.1
    assert not Path(".lemmata").exists(), "a plan computes nothing"
    assert not Path("report").exists()
    cli("check", "toy", *SMOKE)
    again = json.loads(cli(*plan, "--json")[1])
    assert (again["papers"][0]["runs"], again["core_seconds"]) == (0, 0)
    lines = cli(*plan, "--replication", "1")[1]
    assert "critical path" in lines
    assert "expected with" in lines


def test_costs_are_of_present_runs(cli: Cli, kept: Path) -> None:
    data = json.loads(kept.read_text())
    assert data["costs"]
    data["costs"]["0" * 12] = 5.0
    kept.write_text(json.dumps(data))
    cli("check", "toy", *SMOKE)
    cli("docs", "toy", "--scale", "smoke")
    assert "0" * 12 not in json.loads(kept.read_text())["costs"]
