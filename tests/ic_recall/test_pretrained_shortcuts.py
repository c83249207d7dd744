"""The pre-trained transformer's shorter ways: each against the dense model, sequence by sequence, in float64."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lemmata.core import Batch, named_key, precision
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    KeyQuery,
    both_attentions,
    full_key_query,
    pair_logits,
    recalled,
    recalled_logits,
    token_loss,
    whole_transformer,
)
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.run.pretraining import pair_loss, recalled_loss
from lemmata.papers.ic_recall.task import RandomBijections, TripletPairs, stored
from lemmata.train import Autodiff, Batches, Descent, fit, masked_cross_entropy, only

N, RELATIONS, HIDDEN = 6, 12, 20
WORLD = RandomBijections(n=N, relations=RELATIONS).draw(0)


def _transformer(k: int) -> DenseTransformer:
    """Any memory, any W^KQ."""
    model = DenseTransformer.untrained(N, RELATIONS, k, HIDDEN, named_key(0, "init"))
    width = 2 * k + 3 + model.vocabulary.size
    weights = 0.5 * jax.random.normal(named_key(0, "w"), (width, width))
    return eqx.tree_at(lambda m: m.key_query, model, KeyQuery.split(weights, 2 * k + 3))


def _sequences(num: int, k: int) -> Batch:
    return stored(WORLD, WORLD.sequences(num, k, seed=0, name="x")).batch


def _close(one: Any, other: Any, within: float) -> None:
    for ours, theirs in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=within, rtol=0)


@pytest.mark.parametrize(("k", "num"), [(2, 5), (2, 40), (3, 40)])  # fewer sequences than relations, and more
def test_attention_of_a_batch_is_that_of_each_sequence_in_value_and_gradient(k, num):
    with precision("float64"):
        model, tokens = _transformer(k), _sequences(num, k).tokens
        weights = [jax.random.normal(named_key(i, "weights"), (num, 2 * k + 2 + i)) for i in range(2)]

        def one_by_one(model):
            last = 2 * k + 2
            return jax.vmap(lambda row: (model.attention_at(row, last - 1), model.attention_at(row, last)))(tokens)

        def total(key_query, attentions):
            found = attentions(eqx.tree_at(lambda m: m.key_query, model, key_query))
            return sum(jnp.sum(weight * part) for weight, part in zip(weights, found, strict=True))

        ways = (one_by_one, lambda model: both_attentions(model, tokens))
        _close(ways[0](model), ways[1](model), 1e-13)
        slopes = [jax.grad(total)(model.key_query, way) for way in ways]
        _close(slopes[0], slopes[1], 1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_quadratic_forms_are_the_memory_in_value_and_gradient(k):
    with precision("float64"):
        model, batch = _transformer(k), _sequences(9, k)
        forms = recalled(model, batch.tokens, batch.targets)
        plain = jax.vmap(lambda row: (model.relation_logits(row), model.answer_logits(row)))(batch.tokens)
        _close(recalled_logits(model, forms), plain, 1e-12)

        def by_forms(key_query):
            changed = eqx.tree_at(lambda m: m.key_query, model, key_query)
            return recalled_loss(changed, FineTuning(forms, 0.1), named_key(0, "unused"))

        def by_tokens(key_query):
            changed = eqx.tree_at(lambda m: m.key_query, model, key_query)
            return sum(token_loss(changed, batch.tokens, batch.targets, 0.1))

        found = [jax.value_and_grad(loss)(model.key_query) for loss in (by_forms, by_tokens)]
        _close(found[0], found[1], 1e-10)


def _plain_pair_loss(model: DenseTransformer, batch: Batch) -> Any:
    logits = jax.vmap(lambda tokens: model.logits_at(tokens, 1, model.vocabulary.everything))(batch.tokens)
    return masked_cross_entropy(logits[:, None], batch.targets[:, 1:], batch.mask[:, 1:])


def test_pair_logits_are_those_of_the_dense_model():
    with precision("float64"):
        model, tokens = _transformer(2), TripletPairs(WORLD).sample(50, key=named_key(0, "batch")).tokens
        plain = jax.vmap(lambda pair: model.logits_at(pair, 1, model.vocabulary.everything))(tokens)
        _close(pair_logits(model, tokens), plain, 1e-12)


def test_pre_training_and_fine_tuning_follow_the_dense_model_for_100_steps():
    how: dict[str, Any] = {"key": named_key(0, "train"), "steps": 100, "every": 10}
    with precision("float64"):
        blank, batch = DenseTransformer.untrained(N, RELATIONS, 2, HIDDEN, named_key(0, "init")), _sequences(30, 2)
        trained = []
        for loss in (pair_loss, _plain_pair_loss):
            algorithm = Descent(Batches(loss, 32), only(whole_transformer), optax.adam, 1e-3)
            trained.append(fit(algorithm, TripletPairs(WORLD), blank, **how))
        (model, history), (other, plain) = trained
        _close(model, other, 1e-9)
        np.testing.assert_allclose(history["loss"], plain["loss"], atol=1e-10)
        tuned = []
        forms = recalled(model, batch.tokens, batch.targets)
        for loss, data in ((recalled_loss, forms), (chain_of_thought_loss, batch)):
            algorithm = Descent(Autodiff(loss), only(full_key_query), optax.adam, 1e-3)
            tuned.append(fit(algorithm, FineTuning(data, 0.1), model, **how)[0].key_query)
        _close(tuned[0], tuned[1], 1e-9)
        assert jnp.abs(tuned[0].matrix() - model.key_query.matrix()).max() > 0.01
