"""The one-layer model: its formula by hand, its edits, and the closed-form gradient against autodiff in float64."""

from dataclasses import replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig, low_rank_factors, trainable
from lemmata.papers.knowledge.run.fast.sentence_gradient import sentence_gradient
from lemmata.papers.knowledge.task import ASK, DUMMY, START, Facts, FactsConfig, random_stream
from lemmata.train import next_token_loss

FACTS = FactsConfig(subjects=12, templates=5, multiplicity=2)


def build(config: OneLayerConfig, facts: FactsConfig = FACTS, seed: int = 0) -> OneLayer:
    return OneLayer.create(config, facts, seed)


def test_some_neuron_of_d_responds_to_o() -> None:
    """With one neuron a class, in half of the seeds it would not; nothing else is turned, there or elsewhere."""
    config, turned = OneLayerConfig(width=6, neurons=1), 0
    for seed in range(12):
        model = build(config, seed=seed)
        drawn = config.neuron_start * random_stream(seed, "neurons").standard_normal(model.neurons.shape)
        response = float(model.embeddings[START] @ model.neurons[:, 0, 0])
        assert response > 0
        sign = np.sign(float(model.embeddings[START] @ drawn[:, 0, 0]))
        turned += sign < 0
        np.testing.assert_allclose(model.neurons[:, :, 0], sign * drawn[:, :, 0], rtol=1e-6)
        np.testing.assert_allclose(model.neurons[:, :, 1:], drawn[:, :, 1:], rtol=1e-6)
    assert 0 < turned < 12


def stirred(model: OneLayer, size: float = 0.3) -> OneLayer:
    """A model far from its start: attention off 0, neurons of size one."""
    where = lambda one: (one.attention, one.neurons)  # noqa: E731
    keys = jax.random.split(named_key(0, "stir"))
    new = [size * jax.random.normal(key, leaf.shape) for key, leaf in zip(keys, where(model), strict=True)]
    return eqx.tree_at(where, model, new)


def test_the_formula_by_hand() -> None:
    with precision("float64"):
        model = stirred(build(OneLayerConfig(width=6, neurons=3, scale=2.0)))
        tokens = jnp.array([0, 3 + 5 + 4, ASK])
        run = eqx.filter_jit(lambda tokens: model(tokens))
        logits = np.asarray(run(tokens))
        x, a, w = (np.asarray(part) for part in (model.embeddings[tokens], model.attention, model.neurons))
        scores = np.array([x[2] @ a @ x[i] for i in range(3)])
        alpha = np.exp(scores) / np.exp(scores).sum()
        xi = x[2] + alpha @ x
        expected = 2.0 / 3 * np.maximum(np.einsum("d,dmc->mc", xi, w), 0).sum(axis=0)
        assert np.allclose(logits[2][np.asarray(model.classes)], expected, rtol=1e-12)
        others = np.setdiff1d(np.arange(len(logits[2])), model.classes)
        assert np.isneginf(logits[2][others]).all()
        assert np.allclose(model.trace(tokens).attention[0, 2], alpha)
        assert np.allclose(run(tokens[:2])[1], logits[1]), "later tokens do not change an earlier prediction"


@pytest.mark.parametrize(
    ("reading", "opened"),
    [({}, True), ({"attention": "uniform"}, True), ({"query": "first"}, True), ({}, False)],
    ids=["last token asks", "uniform", "one query", "without o"],
)
@pytest.mark.parametrize("batch", [4, 8, 64])  # fewer and more sentences than templates, than subjects: three ways
def test_the_closed_form_gradient_is_autodiffs(reading: dict[str, Any], opened: bool, batch: int) -> None:
    with precision("float64"):
        world = replace(FACTS, opened=opened)
        facts = Facts.create(world, 0)
        model = stirred(build(OneLayerConfig(width=7, neurons=3, **reading), world))
        drawn = facts.draw(batch, key=named_key(0, "data"))
        said, d_attention, d_neurons = eqx.filter_jit(sentence_gradient)(model, facts, *drawn)
        loss = said.loss(opened)
        chosen, fixed = eqx.partition(model, trainable(model))
        loss_of = lambda part: next_token_loss(eqx.combine(part, fixed), facts.sentences(*drawn))  # noqa: E731
        value, gradient = eqx.filter_jit(jax.value_and_grad(loss_of))(chosen)
        assert float(loss) == pytest.approx(float(value), rel=1e-12)
        assert np.allclose(d_attention, gradient.attention, rtol=1e-9, atol=1e-12)
        assert np.allclose(d_neurons, gradient.neurons, rtol=1e-9, atol=1e-12)
        assert float(jnp.abs(d_neurons).max()) > 1e-3


def with_low_rank(model: OneLayer, rank: int, room: int | None = None) -> OneLayer:
    return model.with_factors(*low_rank_factors(model.neurons.shape, rank, 0, room))


def test_low_rank_starts_as_the_same_function_and_merges_into_one() -> None:
    model = stirred(build(OneLayerConfig(width=8)))
    tokens = jnp.array([0, 3 + 5, ASK])
    thin = with_low_rank(model, 2)
    assert np.array_equal(thin(tokens), model(tokens))
    where = lambda one: (one.attention_update.right, one.neuron_update.right)  # noqa: E731
    moved = eqx.tree_at(where, thin, tuple(jnp.ones_like(leaf) for leaf in where(thin)))
    assert not np.allclose(moved(tokens)[2, DUMMY], model(tokens)[2, DUMMY])
    matrices = lambda one: (one.attention, one.neurons)  # noqa: E731
    flat = eqx.tree_at(matrices, moved, moved.matrices()).with_factors(None, None)
    assert np.allclose(flat(tokens)[:, flat.classes], moved(tokens)[:, flat.classes], rtol=1e-5)
    change = np.asarray(flat.neurons - model.neurons).reshape(8, -1)
    assert np.linalg.matrix_rank(change, tol=1e-4) <= 2


def test_filters_name_what_learns() -> None:
    model = build(OneLayerConfig(width=8))
    count = lambda tree: sum(bool(leaf) for leaf in jax.tree.leaves(tree))  # noqa: E731
    assert count(trainable(model)) == 2
    both = trainable(with_low_rank(model, 1))
    assert both.attention_update.right
    assert both.neuron_update.left
    assert not both.neurons
    assert not both.attention


def test_room_for_a_larger_rank_leaves_the_drawn_factors() -> None:
    model = build(OneLayerConfig(width=8))
    thin, roomy = (with_low_rank(model, 1, room) for room in (None, 4))
    assert roomy.neuron_update.left.shape[1] == 4
    assert np.array_equal(roomy.neuron_update.left[:, :1], thin.neuron_update.left)
    assert not np.any(roomy.neuron_update.left[:, 1:])


def test_embeddings_orthogonal_of_one_length_or_gaussian() -> None:
    model = build(OneLayerConfig(width=19, embeddings="orthonormal"))  # o, p, 5 templates, 12 subjects
    read = FACTS.vocabulary().read()
    gram = np.asarray(model.embeddings[read] @ model.embeddings[read].T)
    assert np.allclose(gram, 19 * np.eye(19), atol=1e-4)
    with pytest.raises(UserError, match=r"model\.width = 18 is not possible: at least 19"):
        build(OneLayerConfig(width=18, embeddings="orthonormal"))
    wide = build(OneLayerConfig(width=400), FactsConfig(subjects=200))
    numbers = np.asarray(wide.embeddings[FactsConfig(subjects=200).vocabulary().read()])
    assert abs(numbers.std() - 1) < 0.01


def test_padding_changes_no_number_of_a_model() -> None:
    padded = FactsConfig(subjects=12, templates=5, multiplicity=2, pad_subjects=20, pad_templates=9)
    small, wide = build(OneLayerConfig(), FACTS), build(OneLayerConfig(), padded)
    assert np.array_equal(wide.neurons[:, :, wide.present], small.neurons)
    real = padded.present()
    assert np.array_equal(wide.embeddings[real], small.embeddings)
    assert int(wide.present.sum()) == 1 + 5 + 12


def test_impossible_models_are_refused() -> None:
    model = build(OneLayerConfig(width=8))
    with pytest.raises(UserError, match="rank = 9 is not possible: 1 to 8"):
        with_low_rank(model, 9)
    for fields in ({"width": 0}, {"neurons": 0}, {"scale": 0.0}, {"sigma": -1.0}, {"neuron_start": -1.0}):
        with pytest.raises(UserError, match=next(iter(fields))):
            OneLayerConfig(**fields)
