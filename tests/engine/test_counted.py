"""Counts agree with what they count: one claim, two claims."""

import re
from pathlib import Path

import lemmata
from conftest import Cli
from lemmata.core import counted

ROOT = Path(lemmata.__file__).parent
NOUNS = "claims|experiments|runs|cells|verdicts|papers|statements|rules|folders|programs|reasons"


def test_one_is_not_several() -> None:
    assert [counted(n, "claim") for n in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    assert [counted(n, "run is", "runs are") for n in (1, 2)] == ["1 run is", "2 runs are"]


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
