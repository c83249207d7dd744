"""Impossible requests about noise, corpora and truncation: one clear line, exit 2, nothing written."""

import pytest

from conftest import Refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("run", "association/fig-3", "--set", "task.alpha=1"),
            "lemmata: task.alpha = 1.0 is not possible: at least 0 and",
        ),
        (("run", "association/fig-3", "--set", "task.alpha=2."), "lemmata: task.alpha = 2.0 is not possible: at least"),
        (("run", "association/fig-3", "--set", "model.hidden=0"), "lemmata: model.hidden = 0 is not possible"),
        (("run", "association/fig-3", "--set", "task.symbols=12"), "lemmata: --set task.symbols=12: model.vocab = 16"),
        (("run", "association/table-3", "--set", "alpha=1.5"), "alpha = 1.5 is not possible"),
        (("run", "association/table-3", "--set", "batch=0"), "batch = 0 is not possible"),
        (("run", "association/fig-3", "--set", "task.source=/dev/null"), "the file is empty"),
        (("run", "association/fig-3", "--set", "task.source=nowhere.txt"), "a text file"),
        (("run", "association/fig-13", "--set", "truncated=blocks.1.feed.iner"), "unknown weight"),
        (("run", "association/fig-13", "--set", "fractions=2"), "fractions[0] = 2.0 is not possible"),
    ],
)
def test_refused_in_one_line(refused: Refused, arguments: tuple[str, ...], message: str) -> None:
    refused(*arguments, says=message)
