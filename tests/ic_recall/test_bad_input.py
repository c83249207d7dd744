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
        (("run", "ic-recall/low-temperature", "--set", "n=9"), "prime"),
    ],
)
def test_refused_in_one_line(refused: Refused, arguments: tuple[str, ...], message: str) -> None:
    refused(*arguments, says=message)
