"""Impossible requests about worlds and temperatures: one clear line, exit 2, nothing written."""

import pytest

from conftest import Refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "ic-recall/tabel-2"), "did you mean 'ic-recall/table-2'"),
        (("run", "ic-recall/fig-2", "--set", "temperature=0"), "temperature = 0.0 is not possible"),
        (("run", "ic-recall/fig-2", "--set", "temprature=1"), "did you mean 'temperature'"),
        (("run", "ic-recall/fig-2", "--set", "k=9"), "at most n - 1"),
        (("run", "ic-recall/fig-2", "--set", "world.relations=0"), "relations = 0 is not possible"),
        (("run", "ic-recall/lemma-c-3", "--set", "n=9"), "prime"),
        (
            ("run", "ic-recall/lemma-b.6", "--set", "temperatures=0.1"),
            "temperatures[0] = 0.1 is not possible: at least 0.002 and at most 0.08",
        ),
    ],
)
def test_refused_in_one_line(refused: Refused, arguments: tuple[str, ...], message: str) -> None:
    refused(*arguments, says=message)
