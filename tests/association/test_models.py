"""The models: equation (1) and (2) against their formulas, causality, truncation against SVD at every rank."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.association.model import (
    LinearMemory,
    SimplifiedModel,
    Transformer,
    TransformerConfig,
    block_weights,
)
from lemmata.papers.association.model.truncate import Spectrum, decompose, truncate, truncate_compiled, weight_matrices

CONFIG = TransformerConfig(vocab=7, length=10, width=8, feeds=("mlp", "linear", "none"), hidden=12, value_width=6)
call = eqx.filter_jit(lambda model, tokens: model(tokens))
traced = eqx.filter_jit(lambda model, tokens: model.trace(tokens))
at = eqx.filter_jit(lambda model, tokens, queries: model.at(tokens, queries))
TOKENS = jnp.array([3, 1, 4, 1, 5, 0, 2, 6, 5, 3])


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def equation_one(model: Transformer, tokens: np.ndarray) -> np.ndarray:
    """Equation (1) as printed, one position and one sum at a time."""
    x = list(np.asarray(model.tokens, float)[tokens] + np.asarray(model.positions, float)[: len(tokens)])
    d = len(x[0])
    for block in model.blocks:
        key, value, output = (np.asarray(w, dtype=float) for w in (block.key, block.value, block.output))
        new = []
        for t in range(len(tokens)):
            weights = softmax(np.array([x[t] @ key @ x[s] for s in range(t + 1)]) / np.sqrt(d))
            y = x[t] + sum(w * (output @ (value @ x[s])) for s, w in enumerate(weights))
            feed = block.feed
            if feed is not None and hasattr(feed, "inner"):
                y = y + np.asarray(feed.outer, float) @ np.maximum(y @ np.asarray(feed.inner, float), 0)
            elif feed is not None:
                y = y + np.asarray(feed.weight, float) @ y
            new.append(y)
        x = new
    return np.stack(x) @ np.asarray(model.output, float).T


def test_transformer_is_equation_one() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    logits = call(model, TOKENS)
    np.testing.assert_allclose(logits, equation_one(model, np.asarray(TOKENS)), rtol=2e-4, atol=2e-4)
    trace = traced(model, TOKENS)
    np.testing.assert_allclose(trace.logits, logits, rtol=1e-5, atol=1e-5)
    assert trace.attention.shape == (3, 10, 10)
    assert trace.residuals.shape == (4, 10, 8)
    np.testing.assert_allclose(trace.attention.sum(axis=-1), 1, rtol=1e-5)
    assert np.all(np.triu(np.asarray(trace.attention[1]), 1) == 0)
    queries = jnp.array([9, 0, 4])
    np.testing.assert_allclose(at(model, TOKENS, queries), logits[queries], rtol=1e-5, atol=1e-5)


def test_the_future_does_not_change_the_past() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    logits, changed = (np.asarray(call(model, tokens)) for tokens in (TOKENS, TOKENS.at[6].set(0)))
    np.testing.assert_array_equal(changed[:6], logits[:6])
    assert np.all(np.any(changed[6:] != logits[6:], axis=1))


def test_bfloat16_is_named_and_differs_a_little() -> None:
    exact = Transformer.create(CONFIG, key=named_key(0, "init"))
    rough = Transformer.create(dataclasses.replace(CONFIG, precision="bfloat16"), key=named_key(0, "init"))
    gap = np.max(np.abs(call(exact, TOKENS) - call(rough, TOKENS)))
    assert 0 < gap < 0.3
    assert call(rough, TOKENS).dtype == jnp.float32


def test_what_learns_is_a_filter() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    learned = eqx.filter(model, block_weights(model))
    assert set(weight_matrices(learned)) == {path for path in weight_matrices(model) if path.startswith("blocks.")}


def test_simplified_model_is_equation_two() -> None:
    with precision("float64"):
        model = SimplifiedModel.create(7)
        embeddings = np.concatenate([model.tokens, model.previous])
        np.testing.assert_allclose(embeddings @ embeddings.T, np.eye(14), atol=1e-12)
        names = ("attention", "value", "feed")
        drawn = [jax.random.normal(named_key(0, name), (14, 14)) for name in names]
        model = eqx.tree_at(lambda m: (m.attention, m.value, m.feed), model, tuple(drawn))
        tokens, own, previous = np.asarray(TOKENS), np.asarray(model.tokens), np.asarray(model.previous)
        x = [own[z] + (previous[tokens[t - 1]] if t else 0) for t, z in enumerate(tokens)]
        t = 9
        weights = softmax(np.array([x[t] @ np.asarray(model.attention) @ x[s] for s in range(t + 1)]))
        attended = sum(w * (np.asarray(model.value) @ x[s]) for s, w in enumerate(weights))
        expected = np.asarray(model.output) @ (attended + np.asarray(model.feed) @ x[t])
        np.testing.assert_allclose(at(model, TOKENS, jnp.array([2, t]))[1], expected, rtol=1e-9)
        everywhere = at(model, TOKENS, jnp.arange(10))
        np.testing.assert_allclose(at(model, TOKENS, jnp.array([2, t])), everywhere[jnp.array([2, t])], rtol=1e-9)


def test_linear_memory() -> None:
    model = LinearMemory.random(3, 8, key=named_key(0, "init"))
    np.testing.assert_allclose(np.linalg.norm(model.inputs, axis=1), 1, rtol=1e-6)
    i, j = 2, 3
    expected = np.asarray(model.outputs[j]) @ np.asarray(model.weight) @ np.asarray(model.inputs[i])
    np.testing.assert_allclose(model.logits()[i, j], expected, rtol=1e-5)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(24, 9), (9, 24), (10, 10)])
def test_truncation_is_svd_at_every_rank(kind: str, shape: tuple[int, int]) -> None:
    stream = np.random.default_rng(0)
    matrix = (stream.standard_normal(shape) * np.geomspace(30, 1e-3, shape[1])).astype(kind)
    left, values, right = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)
    spectrum = Spectrum.of("w", matrix)
    tolerance = values[0] * (2e-6 if kind == "float32" else 1e-14)
    np.testing.assert_allclose(spectrum.values, values, atol=tolerance)
    for rank in range(min(shape) + 1):
        expected = (left[:, :rank] * values[:rank]) @ right[:rank]
        np.testing.assert_allclose(spectrum.low_rank(rank), expected, atol=tolerance)
        removed = np.sqrt(np.sum(values[rank:] ** 2))
        np.testing.assert_allclose(spectrum.change(rank).removed, removed, atol=2 * tolerance)
        assert spectrum.low_rank(rank).dtype == matrix.dtype
    assert np.array_equal(spectrum.low_rank(min(shape)), matrix)


def test_truncation_is_a_pure_edit_that_says_what_it_did() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    before = jax.tree.map(lambda x: np.array(x), eqx.filter(model, eqx.is_array))
    edited, changes = truncate(model, "blocks.0.feed.inner", rank=3)
    assert [change.path for change in changes] == ["blocks.0.feed.inner"]
    assert (changes[0].shape, changes[0].rank) == ((8, 12), 3)
    for old, now in zip(jax.tree.leaves(before), jax.tree.leaves(eqx.filter(model, eqx.is_array)), strict=True):
        np.testing.assert_array_equal(old, now)
    old, new = weight_matrices(model), weight_matrices(edited)
    assert [path for path in old if not np.array_equal(old[path], new[path])] == ["blocks.0.feed.inner"]
    gap = np.linalg.norm(np.asarray(old["blocks.0.feed.inner"] - new["blocks.0.feed.inner"]))
    np.testing.assert_allclose(changes[0].removed, gap, rtol=1e-5)
    np.testing.assert_allclose(changes[0].relative, gap / np.linalg.norm(old["blocks.0.feed.inner"]), rtol=1e-5)


def test_dropping_a_layer_is_rank_zero() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    dropped, changes = truncate(model, "blocks.0.feed", rank=0)
    assert {change.path for change in changes} == {"blocks.0.feed.inner", "blocks.0.feed.outer"}
    without = eqx.tree_at(lambda m: m.blocks[0].feed, model, None)
    np.testing.assert_allclose(call(dropped, TOKENS), call(without, TOKENS), rtol=1e-6)


def test_one_decomposition_serves_every_fraction_and_the_compiled_edit_agrees() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    cached = decompose(model, "blocks.0.feed.inner")
    fractions = (0.0, 0.3, 0.75, 1.0)
    compiled = jax.jit(lambda m: truncate_compiled(m, "blocks.0.feed.inner", fractions))(model)
    for fraction, fast in zip(fractions, compiled, strict=True):
        exact, changes = cached.truncate(fraction=fraction)
        assert changes[0].rank == int(fraction * 8 + 1e-9)
        np.testing.assert_allclose(exact.blocks[0].feed.inner, fast.blocks[0].feed.inner, atol=1e-5)
        assert np.linalg.matrix_rank(np.asarray(exact.blocks[0].feed.inner), tol=1e-4) == changes[0].rank
    wide = jax.jit(lambda m: truncate_compiled(m, "blocks.0.feed.outer", (0.5,)))(model)[0]
    expected, _ = truncate(model, "blocks.0.feed.outer", fraction=0.5)
    np.testing.assert_allclose(wide.blocks[0].feed.outer, expected.blocks[0].feed.outer, atol=1e-5)


def test_truncation_refuses_clearly() -> None:
    model = Transformer.create(CONFIG, key=named_key(0, "init"))
    with pytest.raises(UserError, match=r"did you mean 'blocks\.0\.feed\.inner'"):
        truncate(model, "blocks.0.feed.iner", rank=1)
    with pytest.raises(UserError, match=r"rank = 9 is not possible: blocks\.0\.feed\.inner is 8 x 12: 0 to 8"):
        truncate(model, "blocks.0.feed.inner", rank=9)
    with pytest.raises(UserError, match=r"fraction = 1\.5"):
        truncate(model, "blocks.0.feed.inner", fraction=1.5)
    with pytest.raises(UserError, match="either a rank or a fraction"):
        truncate(model, "blocks.0.feed.inner")


def test_bad_model_configs() -> None:
    with pytest.raises(UserError, match="width"):
        TransformerConfig(width=0)
    with pytest.raises(UserError, match="feeds"):
        TransformerConfig(feeds=())
    with pytest.raises(UserError, match="width"):
        LinearMemory.orthonormal(4, 4, seed=0)
