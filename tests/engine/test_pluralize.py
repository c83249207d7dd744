"""Counts agree with what they count: one claim, two claims."""

import re
from pathlib import Path

import lemmata
from conftest import Cli
from lemmata.commands.docs import documented
from lemmata.core import Scale
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import papers, select
from lemmata.record import NotRun, read_baseline
from lemmata.report.summary import card
from pages import line_of

ROOT = Path(lemmata.__file__).parent
NOUNS = "claims|experiments|runs|cells|verdicts|papers|statements|rules|folders|programs|reasons"


def test_one_is_not_several() -> None:
    assert [pluralize(n, "claim") for n in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    assert [pluralize(n, "run is", "runs are") for n in (1, 2)] == ["1 run is", "2 runs are"]


def test_one_claim_is_counted_as_one(cli: Cli) -> None:
    assert "\n1 claim: ✓ 1 holds" in cli("check", "toy/sure", "--scale", "smoke")[1]
    assert "\n3 claims: " in cli("check", "toy/noisy", "--scale", "smoke")[1]
    code, out, _ = cli("report", "toy/noisy", "--scale", "smoke")
    assert code == 0
    assert "(1 experiment)" in out


def test_the_engine_counts_nothing_by_hand() -> None:
    """`{len(found)} claims` is wrong of one."""
    by_hand = re.compile(rf"\{{len\([^}}]*\)[^}}]*\}} ({NOUNS})\b|== 1 else 's'")
    files = [file for file in ROOT.rglob("*.py") if "papers" not in file.relative_to(ROOT).parts]
    assert len(files) > 100
    assert {file.name: found[0] for file in files if (found := by_hand.findall(file.read_text()))} == {}


def test_what_is_not_run_here_and_what_is_kept_of_it_make_up_the_papers_claims() -> None:
    """A language model's claims: some are judged in the reference, others nowhere yet."""
    paper, scale = papers()["association"], Scale("laptop")
    not_run = [NotRun(one, scale, "no weights") for one in select(["association"]) if one.experiment.extra == "lm"]
    count = sum(len(one.selection.claims) for one in not_run)
    kept = read_baseline(paper).claims
    known = sum(claim.id in kept for one in not_run for claim in one.selection.claims)
    assert 0 < known < count
    words = f"(of {known} of these the package keeps a verdict, {count} claims in all)"
    assert words in card(paper, [], [], not_run)
    assert f"{count} not run here" in card(paper, [], [], not_run)
    judged = len(documented(paper)) - (count - known)
    assert f"{len(documented(paper))} claims: {judged} judged (" in line_of(paper)
    assert f"), {count - known} not run (" in line_of(paper)
