"""Sentences as text."""

import jax
import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.lego.task import Lego, LegoConfig, action, to_text

SYMMETRIC = action("S3")
BLANK = 4 + 6 + 3


def test_the_papers_example() -> None:
    send = SYMMETRIC.element_names.index("(0 2 1)")
    clauses = [[3, 4 + send, 1, BLANK, BLANK], [0, 4, 3, BLANK, BLANK], [BLANK, BLANK, BLANK, 1, 4 + 6 + 2]]
    assert to_text(np.array(clauses), SYMMETRIC, 4) == "x3 = (0 2 1)(x1), x0 = ()(x3), x1 = 2"


@pytest.mark.parametrize("name", ["C6", "S5", "C2xC3", "S3:self", "C2:[[0,1],[1,0]]"])
def test_different_sentences_have_different_texts(name: str) -> None:
    task = Lego.create(LegoConfig(action=name, variables=12, length=4))
    sentences = np.asarray(task.draw(20, key=jax.random.key(3)))
    texts = [to_text(sentence, action(name), 12) for sentence in sentences]
    assert all(text.count("=") == 9 for text in texts)
    assert len(set(texts)) == len(np.unique(sentences, axis=0))


def test_tokens_that_are_no_clause_are_refused() -> None:
    for wrong in ([0, 1, 2, 3, 4], [13, 13, 13, 1, 13], [1, 4, 13, 13, 13], [13, 13, 13, 4, 11]):
        with pytest.raises(UserError, match="is not a clause"):
            to_text(np.array([wrong]), SYMMETRIC, 4)
