"""The decoder against plain NumPy, one position at a time; its parts, its sizes, its precisions, and that it learns."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lemmata.core import Batch, UserError, named_key, precision
from lemmata.models.matmul import MatmulPrecision
from lemmata.papers.knowledge.model.gpt2 import GPT2, GPT2Config, gpt2_small, matrices
from lemmata.train import Batches, Descent, QueryLoss, next_token_loss

CONFIG = GPT2Config(vocab=11, length=9, width=12, layers=3, heads=4, hidden=20, initial_std=0.3)
TOKENS = np.array([3, 1, 4, 1, 5, 9, 2])
call = eqx.filter_jit(lambda model, tokens: model(tokens))


def compute_each(config: GPT2Config, dtype: type = np.float32) -> GPT2:
    """A model with no bias or scale at the value that would hide it."""
    stream = np.random.default_rng(0)
    shapes = eqx.filter_eval_shape(lambda: GPT2.create(config, key=named_key(0, "init")))
    return jax.tree.map(lambda leaf: jnp.asarray(0.4 * stream.normal(size=leaf.shape), dtype), shapes)


def to_json(tree: object) -> dict[str, np.ndarray]:
    return {jax.tree_util.keystr(p): np.asarray(x, float) for p, x in jax.tree_util.tree_leaves_with_path(tree)}


def by_hand(model: GPT2, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits, residual stream and attention of each head, with loops over layers, heads and positions."""
    w, config = to_json(model), model.config

    def norm(x: np.ndarray, scale: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * scale + bias

    def gelu(x: np.ndarray) -> np.ndarray:
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

    x = [w[".tokens"][token] + w[".positions"][t] for t, token in enumerate(tokens)]
    stream, attention = [np.stack(x)], np.zeros((config.layers, config.heads, len(tokens), len(tokens)))
    size = config.width // config.heads
    for layer in range(config.layers):
        b = {name.removeprefix(".blocks"): value[layer] for name, value in w.items() if name.startswith(".blocks")}
        read = [norm(v, b[".before_attention.scale"], b[".before_attention.bias"]) for v in x]
        qkv = [v @ b[".query_key_value.weight"] + b[".query_key_value.bias"] for v in read]
        for t in range(len(tokens)):
            heads = []
            for head in range(config.heads):
                here = slice(head * size, (head + 1) * size)
                query = qkv[t][here]
                scores = np.array([query @ qkv[s][config.width :][here] for s in range(t + 1)]) / np.sqrt(size)
                weights = np.exp(scores) / np.exp(scores).sum()
                attention[layer, head, t, : t + 1] = weights
                heads.append(sum(p * qkv[s][2 * config.width :][here] for s, p in enumerate(weights)))
            y = x[t] + np.concatenate(heads) @ b[".attention_output.weight"] + b[".attention_output.bias"]
            inner = norm(y, b[".before_feed.scale"], b[".before_feed.bias"])
            fed = gelu(inner @ b[".feed_input.weight"] + b[".feed_input.bias"])
            x[t] = y + fed @ b[".feed_output.weight"] + b[".feed_output.bias"]
        stream.append(np.stack(x))
    logits = np.stack([norm(v, w[".last_norm.scale"], w[".last_norm.bias"]) @ w[".tokens"].T for v in x])
    return logits, np.stack(stream), attention


def test_forward_pass_is_the_one_written_by_hand() -> None:
    with precision("float64"):
        model = compute_each(CONFIG, np.float64)
        logits, stream, attention = by_hand(model, TOKENS)
        requested = np.array([6, 0, 2])
        whole, some, trace, heads = eqx.filter_jit(
            lambda m, t: (m(t), m.at(t, jnp.asarray(requested)), m.trace(t), m.head_attention(t))
        )(model, jnp.asarray(TOKENS))
        np.testing.assert_allclose(whole, logits, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(some, logits[requested], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(trace.logits, logits, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(trace.residuals, stream, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(heads, attention, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(trace.attention, attention.mean(axis=1), rtol=1e-10, atol=1e-10)


def test_the_published_shape_has_the_published_size() -> None:
    shapes = eqx.filter_eval_shape(lambda: GPT2.create(gpt2_small(), key=named_key(0, "init")))
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == 124_439_808


def test_first_weights_have_the_published_spread() -> None:
    config = GPT2Config(vocab=300, length=40, width=64, layers=8, heads=4)
    model = eqx.filter_jit(lambda key: GPT2.create(config, key=key))(named_key(0, "init"))
    for name, value in to_json(model).items():
        if name.endswith(".bias"):
            assert not value.any(), name
        elif name.endswith(".scale"):
            assert (value == 1).all(), name
        else:
            writes = "_output" in name  # attention_output and feed_output
            expected = 0.02 / np.sqrt(2 * 8) if writes else 0.02
            assert abs(value.std() / expected - 1) < 0.05, name
    blocks = model.blocks.query_key_value.weight
    assert not np.allclose(blocks[0], blocks[1])


def test_a_token_sees_only_what_stands_before_it() -> None:
    model = compute_each(CONFIG)
    changed, before = (np.asarray(call(model, jnp.asarray(t))) for t in ([3, 1, 4, 1, 0, 9, 2], [3, 1, 4, 1, 5, 9, 2]))
    np.testing.assert_array_equal(changed[:4], before[:4])
    assert np.abs(changed[4:] - before[4:]).max(axis=1).min() > 1e-3


@pytest.mark.parametrize(("kind", "tolerance"), [("tensorfloat32", 1e-5), ("bfloat16", 0.1)])
def test_lower_precision_is_near(kind: MatmulPrecision, tolerance: float) -> None:
    model = compute_each(CONFIG)
    lower = dataclasses.replace(model, config=dataclasses.replace(CONFIG, precision=kind))
    exact, rounded = (np.asarray(call(m, jnp.asarray(TOKENS))) for m in (model, lower))
    assert rounded.dtype == jnp.float32
    assert np.abs(rounded - exact).max() < tolerance * np.abs(exact).max()
    assert (np.abs(rounded - exact).max() > 1e-4) == (kind == "bfloat16")


def test_weight_decay_acts_on_matrices_only() -> None:
    model = compute_each(CONFIG)
    marked = {jax.tree_util.keystr(p): m for p, m in jax.tree_util.tree_leaves_with_path(matrices(model))}
    decayed = {name for name, mark in marked.items() if mark}
    assert decayed == {".tokens", ".positions"} | {name for name in marked if name.endswith(".weight")}
    assert len(decayed) == 6
    assert len(marked) == 16


def test_query_loss_is_the_next_token_loss_and_descent_lowers_it() -> None:
    tokens = np.stack([TOKENS, TOKENS[::-1]])
    mask = np.zeros(tokens.shape, bool)
    mask[:, 2:5] = True
    batch = Batch(jnp.asarray(tokens), jnp.asarray(np.roll(tokens, -1, axis=1)), jnp.asarray(mask))

    class Same(eqx.Module):
        def sample(self, num: int, *, key: object) -> Batch:
            return batch

    model = compute_each(CONFIG)
    whole, queried = eqx.filter_jit(lambda m: (next_token_loss(m, batch), QueryLoss(3)(m, batch)))(model)
    np.testing.assert_allclose(whole, queried, rtol=1e-6)
    everything = lambda m: jax.tree.map(eqx.is_inexact_array, m)  # noqa: E731
    algorithm = Descent(Batches(QueryLoss(3), 2), everything, optax.adam, 0.01)
    step = eqx.filter_jit(lambda state: algorithm.step(Same(), state, key=named_key(0, "data")))
    state, first = step(algorithm.init(model))
    for _ in range(120):
        state, last = step(state)
    assert float(first["loss"]) > 1
    assert float(last["loss"]) < 0.2 * float(first["loss"])


def test_impossible_shapes_are_refused_in_one_line() -> None:
    with pytest.raises(UserError, match="heads = 5 is not possible: a divisor of width = 12"):
        GPT2Config(vocab=3, length=4, width=12, heads=5)
    with pytest.raises(UserError, match="layers = 0"):
        GPT2Config(vocab=3, length=4, layers=0)
    model = compute_each(CONFIG)
    with pytest.raises(UserError, match="tokens = 10 is not possible: at most length = 9"):
        model(jnp.zeros(10, int))
