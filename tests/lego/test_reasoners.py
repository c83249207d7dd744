"""What the trained theory models are read with: attention at every length from one pass, and words to decide."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.probe import look
from lemmata.papers.lego.run.reasoners import TrainedReasoner, prefix_epsilons, words
from lemmata.papers.lego.task import Lego, LegoConfig, Vocabulary, action, to_text


def test_one_pass_gives_the_attention_of_every_length() -> None:
    task = Lego.create(LegoConfig(action="C3", variables=9, length=6))
    model = TheoryTransformer.create(TheoryConfig(variables=9, actions=3, values=3, width=3), key=jax.random.key(0))
    blocks = np.random.default_rng(0).normal(size=(2, 9, 9))
    model = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, (jnp.array(blocks[0]), jnp.array(blocks[1])))
    sentence = task.draw(1, key=jax.random.key(1))[0]
    found = eqx.filter_jit(prefix_epsilons)(model, sentence)
    for length in (2, 6):
        cut = jnp.concatenate([sentence[:length], sentence[6 : 6 + length + 1]])
        np.testing.assert_allclose(found[length - 1, :length], eqx.filter_jit(look)(model, cut).epsilon, atol=1e-6)


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
        ({"lengths": (5, 10)}, "2 among them"),
        ({"lengths": (2, 41)}, "at most 40 steps"),
        ({"width": 4}, "at least 5"),
        ({"action": "C4:[[0,1],[1,0],[0,1],[1,0]]", "words": 4}, "faithful"),
    ],
)
def test_impossible_runs_are_refused(changes: dict, says: str) -> None:
    with pytest.raises(UserError, match=says):
        TrainedReasoner(**changes)
