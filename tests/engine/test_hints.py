"""A command that is printed can be pasted: it names the store and the paper's folder that were named."""

import json
import re
import shlex
from pathlib import Path

import pytest

from conftest import TOY, Cli
from lemmata.core import registry
from lemmata.core.cli_hints import cli_options, command

WHERE = ("--store", "my runs", "--paper-path", str(TOY))
PASTED = shlex.join(WHERE)


@pytest.fixture
def alone(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The toy paper is known by its folder alone, so a command without it fails; each call is a shell's."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setenv(registry.PATHS, "")
        registry.forget()
        return cli(*words)

    return call


def hints(text: str) -> list[str]:
    """The commands in backticks, whatever was folded."""
    return re.findall(r"`(lemmata [^`]+)`", " ".join(text.split()))


def test_a_command_is_as_it_was_where_nothing_was_named() -> None:
    assert command("check", "toy/rate") == "lemmata check toy/rate"
    with cli_options(WHERE):
        assert command("check", "ID", scale="smoke") == f"lemmata check ID --scale smoke {PASTED}"
    assert command("check", "ID", scale="smoke") == "lemmata check ID --scale smoke"


@pytest.mark.parametrize(
    "words",
    [
        ("list", "toy", "--scale", "smoke"),
        ("list", "toy", "--unstable"),
        ("show", "toy/decay", "--scale", "smoke"),
        ("query", "SELECT 1"),
        ("views",),
        ("runs", "show"),
        ("report", "toy/decay", "--scale", "smoke"),
    ],
)
def test_every_hint_says_where(alone: Cli, words: tuple[str, ...]) -> None:
    _, out, err = alone(*words, *WHERE)
    found = hints(out + err)
    assert found
    assert [one for one in found if not one.endswith(PASTED)] == []


def test_a_pasted_hint_works(alone: Cli) -> None:
    (hint,) = hints(alone("report", "toy/decay", "--scale", "smoke", *WHERE)[2])
    assert alone(*shlex.split(hint)[1:], "--json")[0] == 0
    assert alone("report", "toy/decay", "--scale", "smoke", *WHERE)[0] == 0
    assert alone("report", "toy/decay", "--scale", "smoke")[0] == 2, "without them there is no such paper"


def test_the_command_under_a_figure_and_of_a_claim_can_be_pasted(alone: Cli) -> None:
    assert alone("reproduce", "toy/decay", "--scale", "smoke", *WHERE)[0] == 0
    made = json.loads(next(Path("report").rglob("*.json")).read_text())
    assert made["command"] == f"lemmata reproduce toy/decay --scale smoke {PASTED}"
    (row,) = json.loads(alone("show", "toy/rate", "--scale", "smoke", "--json", *WHERE)[1])
    assert row["command"] == f"lemmata check toy/rate --scale smoke {PASTED}"
    assert alone(*shlex.split(row["command"])[1:])[0] == 0


def test_the_default_store_of_the_environment_need_not_be_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEMMATA_STORE", "elsewhere")
    assert hints(cli("query", "SELECT 1")[2]) == ["lemmata reproduce"]
    assert hints(cli("query", "SELECT 1", "--store", "elsewhere")[2]) == ["lemmata reproduce"]
    assert hints(cli("query", "SELECT 1", "--store", "here")[2]) == ["lemmata reproduce --store here"]
