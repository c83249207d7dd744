"""Names that SQL takes for several: a query that fails on one says how it is written."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from lemmata.core import RunConfig, RunContext, RunOutput, UserError
from lemmata.run import Store, query, views
from obtaining import obtain


@dataclass(frozen=True, kw_only=True)
class Dotted(RunConfig):
    kind: ClassVar[str] = "test/dotted-names"

    def execute(self, context: RunContext) -> RunOutput:
        return RunOutput({"full.noise": np.arange(2.0), "step": np.arange(2)})


@pytest.fixture
def compute_each(store: Store) -> Store:
    obtain([Dotted()], store)
    return store


QUOTED = 'query: the column full.noise needs double quotes: "full.noise"'
VIEW = 'query: the view test/dotted-names needs double quotes: "test/dotted-names"'


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT full.noise FROM metrics", QUOTED),
        ('SELECT one.full.noise FROM "test/dotted-names" one', QUOTED),
        ("SELECT step FROM metrics WHERE full.noise > 0", QUOTED),
        ("SELECT step FROM test/dotted-names", VIEW),
        (
            "SELECT config.task.alpha FROM metrics",
            "config.task.alpha stands in the view runs, .*: config->'task'->>'alp",
        ),
        ("SELECT 'full.noise', nothing FROM metrics", "Binder Error"),  # the name is quoted, the fault another
        ('SELECT "full.noise", nothing FROM metrics', "Binder Error"),
    ],
)
def test_what_needs_quotes_is_said_in_one_line(compute_each: Store, sql: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as refusal:
        query(compute_each, sql)
    assert "\n" not in str(refusal.value)


def test_with_quotes_it_is_found(compute_each: Store) -> None:
    assert query(compute_each, 'SELECT "full.noise" FROM "test/dotted-names"')[1] == [(0.0,), (1.0,)]


def test_every_view_says_in_a_sentence_what_it_holds() -> None:
    for view, what in views().items():
        assert 20 < len(what) < 300, f"{view}: {what!r}"
        assert not what.endswith((",", "..", ":")), f"{view}: {what!r}"
