"""The word problem by chain of thought: words as sentences, and runs that cannot decide them."""

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.lego.run.theory import TheoryRun
from lemmata.papers.lego.run.words import words
from lemmata.papers.lego.task import Vocabulary, action, to_text


def test_words_are_what_they_are_said_to_be() -> None:
    acting = action("S3")
    clauses, truth = words(acting, 12, 40, 5, np.random.default_rng(0))
    v = Vocabulary(12, 6, 3)
    assert clauses.shape == (40, 3, 6, 5)
    assert truth[::2].all()
    assert not truth[1::2].all()
    for sentences, identity in zip(clauses, truth, strict=True):
        ends = []
        for first, sentence in enumerate(sentences):
            to_text(sentence, acting, 12)  # refuses what is no sentence
            assert len({*sentence[:5, 0], *sentence[:5, 2]}) == 6, "a chain of six variables"
            assert sentence[5, 3] == sentence[0, 2]
            assert sentence[5, 4] == v.first_value + first
            value = first
            for clause in sentence[:5]:
                value = acting.table[clause[1] - v.first_action, value]
            ends.append(value == first)
        assert all(ends) == identity


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"lengths": (2, 41)}, "at most 40 steps"),
        ({"word_length": 41, "words": 4}, "at most 40 steps"),
        ({"action": "C4:[[0,1],[1,0],[0,1],[1,0]]", "words": 4}, "faithful"),
    ],
)
def test_impossible_runs_are_refused(changes: dict, says: str) -> None:
    with pytest.raises(UserError, match=says):
        TheoryRun(**changes)
