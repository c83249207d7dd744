"""Sentences as text and as clauses, both ways."""

import jax
import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.lego.task import Lego, LegoConfig, action, from_text, to_text

SYMMETRIC = action("S3")


def test_the_papers_example() -> None:
    clauses = from_text("x3 = (0 2 1)(x1), x1 = 2", SYMMETRIC, 4)
    send = SYMMETRIC.element_names.index("(0 2 1)")
    blank = 4 + 6 + 3
    assert clauses.tolist() == [[3, 4 + send, 1, blank, blank], [blank, blank, blank, 1, 4 + 6 + 2]]
    assert to_text(clauses, SYMMETRIC, 4) == "x3 = (0 2 1)(x1), x1 = 2"


def test_spaces_lines_and_the_identity() -> None:
    loose = from_text(" x3=( 0 2  1 )( x1 );\n x0 = ()(x3)\nx1=2 ", SYMMETRIC, 4)
    assert to_text(loose, SYMMETRIC, 4) == "x3 = (0 2 1)(x1), x0 = ()(x3), x1 = 2"


@pytest.mark.parametrize("name", ["C6", "S5", "C2xC3", "S3:self", "C2:[[0,1],[1,0]]"])
def test_drawn_sentences_survive_the_round_trip(name: str) -> None:
    task = Lego.create(LegoConfig(action=name, variables=12, length=4))
    for sentence in np.asarray(task.draw(20, key=jax.random.key(3))):
        text = to_text(sentence, action(name), 12)
        assert text.count("=") == 9
        assert np.array_equal(from_text(text, action(name), 12), sentence)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at least one clause"),
        ("x1 is 2", "neither a predicate"),
        ("x1 = 2, x9 = 1", "x9"),
        ("x1 = 3", "0, ..., 2"),
        ("x1 = (0 5)(x2)", "is not an element of S3"),
        ("x1 = (0 2 1)(x7)", "x7"),
    ],
)
def test_wrong_text_is_one_clear_line(text: str, says: str) -> None:
    with pytest.raises(UserError) as error:
        from_text(text, SYMMETRIC, 4)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_tokens_that_are_no_clause_are_refused() -> None:
    for wrong in ([0, 1, 2, 3, 4], [13, 13, 13, 1, 13], [1, 4, 13, 13, 13], [13, 13, 13, 4, 11]):
        with pytest.raises(UserError, match="is not a clause"):
            to_text(np.array([wrong]), SYMMETRIC, 4)
