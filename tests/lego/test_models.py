"""The theory transformer against a dense implementation of the paper's formulas, with one-hot vectors, in float64."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    from lemmata.core import UserError, named_key, precision
    from lemmata.papers.lego.model import SLOTS, TheoryConfig, TheoryTransformer, smooth_relu
    from lemmata.papers.lego.task import action

CONFIG = TheoryConfig(variables=7, actions=6, values=6, width=3, scale=0.4, clip=0.7)


@eqx.filter_jit
def drawn(config: TheoryConfig, key) -> TheoryTransformer:
    return TheoryTransformer.create(config, key=key)


def a_model(seed: int = 0, **changes) -> TheoryTransformer:
    model = drawn(dataclasses.replace(CONFIG, **changes), named_key(seed, "init"))
    rng, shape = np.random.default_rng(seed), model.query_third.shape
    blocks = tuple(jnp.asarray(rng.normal(size=shape), model.query_third.dtype) for _ in range(2))
    return eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, blocks)


def sentences(num: int, length: int = 3, seed: int = 0):
    """By hand, so that nothing is compiled for them."""
    table, rng = action("C6").table, np.random.default_rng(seed)
    x = np.stack([rng.permutation(7)[: length + 1] for _ in range(num)])
    g, y = rng.integers(6, size=(num, length)), rng.integers(6, size=(num, 1))
    for step in range(length):
        y = np.concatenate([y, table[g[:, step], y[:, -1]][:, None]], axis=1)
    blank = np.full((num, length + 1, 3), CONFIG.vocab - 1)
    predicates = np.concatenate([x[:, 1:, None], 7 + g[..., None], x[:, :-1, None], blank[:, 1:, :2]], axis=2)
    answers = np.concatenate([blank, x[..., None], 13 + y[..., None]], axis=2)
    return jnp.asarray(np.concatenate([predicates, answers], axis=1))


next_clause = eqx.filter_jit(lambda model, clauses, answers: model.next_clause(clauses, answers))


def one_hot(clauses, vocab):
    """Z: clauses as vectors of 5 d entries; the blank, the last token, is the zero vector."""
    return jnp.concatenate([jax.nn.one_hot(clauses[:, s], vocab).at[:, -1].set(0) for s in range(SLOTS)], axis=1)


@eqx.filter_jit
def dense_weights(model, token):
    """W_{i,j,r} as vectors of 5 d entries, for all d classes."""
    neurons, width = getattr(model, token), model.value.speaks.shape[0]
    dense = jnp.zeros((model.vocab, width, SLOTS, model.vocab))
    for slot, (table, (first, size)) in enumerate(zip(neurons.tables, model.slots, strict=True)):
        if table is not None:
            last = neurons.first + neurons.classes
            rows = jnp.moveaxis(table, 0, -1)
            dense = dense.at[neurons.first : last, :, slot, first : first + size].set(rows)
    return dense.reshape(model.vocab, width, -1)


@eqx.filter_jit
def dense_blocks(model):
    d, x = model.vocab, len(model.query_third)
    blocks = jnp.zeros((SLOTS, d, SLOTS, d))
    blocks = blocks.at[3, :x, 2, :x].set(model.query_third).at[3, :x, 3, :x].set(model.query_fourth)
    return blocks.reshape(SLOTS * d, SLOTS * d)


@eqx.filter_jit
def dense_logits(blocks, weights, clauses, config):
    """Equation (3) for the clause after the last, class by class; sReLU with its three branches."""
    d = config.vocab
    z = one_hot(clauses, d)
    attended = jax.nn.softmax(z[-1] @ blocks @ z.T) @ z
    x = weights @ attended + config.sigma * np.log(d)
    q, rho = config.power, config.smoothing
    branches = jnp.where(x <= 0, 0, jnp.where(x <= rho, x**q / (q * rho ** (q - 1)), x - rho * (1 - 1 / q)))
    return jnp.minimum(branches.sum(axis=1), config.clip * np.log(d))


def test_logits_equal_the_dense_formulas_after_every_answer() -> None:
    with precision("float64"):
        model = a_model(reads="all", classes="all")
        config = dataclasses.replace(CONFIG, reads="all", classes="all")
        clauses = sentences(1)[0][:-1]  # 3 predicates, answers 0 .. 2
        after = next_clause(model, clauses, 3)
        for token in ("variable", "value"):
            weights, blocks = dense_weights(model, token), dense_blocks(model)
            expected = [dense_logits(blocks, weights, clauses[: 4 + i], config) for i in range(3)]
            np.testing.assert_allclose(getattr(after, token), expected, atol=1e-12)
            assert np.ptp(np.asarray(expected)) > 0.1
        assert float(after.value.max()) == pytest.approx(config.bound)  # the clip is met somewhere


def test_slots_are_the_tokens_that_stand_there() -> None:
    met = np.asarray(sentences(300)).reshape(-1, SLOTS).T
    for (first, size), tokens in zip(CONFIG.slots, met, strict=True):
        assert set(tokens.tolist()) == {*range(first, first + size), CONFIG.vocab - 1}


def test_without_neurons_of_other_classes_their_logits_are_zero() -> None:
    with precision("float64"):
        model = a_model()
        clauses = sentences(1)[0][:-1]
        after = next_clause(model, clauses, 1)
        expected = dense_logits(dense_blocks(model), dense_weights(model, "value"), clauses, CONFIG)
        first = model.value.first
        np.testing.assert_allclose(after.value[0, first:-1], expected[first:-1], atol=1e-12)
        assert not np.any(after.value[0, :first])
        assert not after.value[0, -1]
        assert np.any(after.variable[0, :7])
        assert not np.any(after.variable[0, 7:])


def test_gradient_in_the_blocks_equals_the_dense_one_and_is_zero_where_no_variable_is() -> None:
    with precision("float64"):
        config = dataclasses.replace(CONFIG, clip=50.0)
        model, clauses = a_model(clip=50.0), sentences(1, seed=2)[0][:-1]

        def loss(logits):
            return jax.nn.logsumexp(logits) - logits[-2]

        ours = jax.jit(
            jax.grad(lambda q: loss(eqx.tree_at(lambda m: m.query_third, model, q).next_clause(clauses, 1).value[0]))
        )(model.query_third)
        weights = dense_weights(model, "value")
        other = jnp.arange(model.vocab) < model.value.first  # held at 0 in ours

        def dense_loss(blocks):
            logits = dense_logits(blocks, weights, clauses, config)
            return loss(jnp.where(other | (jnp.arange(model.vocab) == model.vocab - 1), 0, logits))

        dense = jax.jit(jax.grad(dense_loss))(dense_blocks(model)).reshape(SLOTS, model.vocab, SLOTS, model.vocab)
        np.testing.assert_allclose(ours, dense[3, :7, 2, :7], atol=1e-12)
        assert np.abs(ours).max() > 1e-4
        # Outside the rows and columns of variables the two trained blocks never receive anything.
        assert not np.any(dense[3, 7:, 2:4])
        assert not np.any(dense[3, :, 2:4, 7:])


def test_smooth_relu_and_its_derivative() -> None:
    with precision("float64"):
        points = np.linspace(-0.5, 1.0, 61) + 1e-3
        expected = np.where(points <= 0, 0, np.where(points <= 0.3, points**4 / (4 * 0.3**3), points - 0.3 * 0.75))
        x, rho = jnp.asarray(points), jnp.asarray(0.3)
        np.testing.assert_allclose(smooth_relu(x, rho, 4), expected, atol=1e-14)
        step = 1e-6
        high, low = (np.asarray(smooth_relu(x + sign * step, rho, 4)) for sign in (1, -1))
        slope = jax.jit(jax.vmap(jax.grad(lambda t: smooth_relu(t, rho, 4))))(x)
        np.testing.assert_allclose(slope, (high - low) / (2 * step), atol=1e-6)


def test_the_even_branch_is_the_power_on_both_sides_and_constant_below() -> None:
    with precision("float64"):
        x, rho = jnp.asarray([-1.0, -0.31, -0.29, -0.1, 0.0, 0.1, 0.29, 0.5]), jnp.asarray(0.3)
        end = 0.3 / 4
        power = np.asarray(x) ** 4 / (4 * 0.3**3)
        expected = np.where(x <= -0.3, end, np.where(x <= 0.3, power, x - 0.3 * 0.75))
        np.testing.assert_allclose(smooth_relu(x, rho, 4, "even"), expected, atol=1e-14)
        slope = jax.jit(jax.vmap(jax.grad(lambda t: smooth_relu(t, rho, 4, "even"))))(x)
        np.testing.assert_allclose(slope, np.where(x <= -0.3, 0, np.clip(np.asarray(x) / 0.3, -1, 1) ** 3), atol=1e-12)
    with pytest.raises(UserError, match="power = 5"):
        TheoryConfig(power=5, branch="even")


def test_predicates_may_stand_in_any_order() -> None:
    model = a_model()
    clauses = sentences(1, length=5)[0]
    permuted = jnp.concatenate([clauses[jnp.asarray([3, 0, 4, 2, 1])], clauses[5:]])
    a, b = next_clause(model, clauses, 6), next_clause(model, permuted, 6)
    np.testing.assert_allclose(a.value, b.value, atol=1e-5)
    np.testing.assert_allclose(a.variable, b.variable, atol=1e-5)


def test_a_width_mask_is_the_narrow_model() -> None:
    wide, narrow = a_model(width=5, active=3), a_model(width=3)
    clauses = sentences(1)[0]
    np.testing.assert_allclose(
        next_clause(wide, clauses, 4).value, next_clause(narrow, clauses, 4).value, rtol=1e-5, atol=1e-6
    )


def test_attention_is_of_the_past() -> None:
    model, clauses = a_model(), sentences(1)[0]
    attention = eqx.filter_jit(lambda m, clauses: m.attention(clauses, len(clauses)))(model, clauses)
    np.testing.assert_allclose(attention.sum(axis=-1), 1, rtol=1e-5)
    assert not np.any(np.triu(attention[0], 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 0}, "width = 0"),
        ({"active": 4}, "active = 4"),
        ({"scale": -1.0}, "scale = -1.0"),
        ({"power": 1}, "power = 1"),
    ],
)
def test_impossible_configs_are_refused(changes, message) -> None:
    with pytest.raises(UserError, match=message):
        dataclasses.replace(CONFIG, **changes)
