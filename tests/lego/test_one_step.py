"""Stage 1: the exact gradient against autodiff of the whole transformer on enumerated sentences, in float64."""

import dataclasses
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import install_import_hook

with install_import_hook("lemmata", "typechecker.check_types"):
    from lemmata.core import TrainState, UserError, named_key, precision
    from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
    from lemmata.papers.lego.run.one_step_descent import OneStep
    from lemmata.papers.lego.task import Lego, LegoConfig, action
    from lemmata.train import fit_many, stack

TASK = Lego.create(LegoConfig(action="S3", variables=3, length=1))
CONFIG = TheoryConfig(variables=3, actions=6, values=3, width=4, scale=0.5, clip=1.0)


def create(config: TheoryConfig = CONFIG, seed: int = 0) -> TheoryTransformer:
    return eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))(named_key(seed, "init"))


def all_sentences() -> np.ndarray:
    """Every sentence of D^1: a predicate and two answers, over all variables, actions and values."""
    v, table, rows = TASK.vocabulary, action("S3").table, []
    for x0, x1, g, y in np.ndindex(3, 3, 6, 3):
        if x0 != x1:
            answer = int(table[g, y])
            predicate = [x1, v.first_action + g, x0, v.blank, v.blank]
            first, second = ([v.blank] * 3 + [x, v.first_value + value] for x, value in ((x0, y), (x1, answer)))
            rows.append([predicate, first, second])
    return np.array(rows)


def loss_of_the_transformer(model: TheoryTransformer, token: str) -> jax.Array:
    """Definition 3.7 for one token, by the general forward pass on every sentence."""
    sentences = jnp.asarray(all_sentences())
    after = jax.vmap(lambda clauses: model.next_clause(clauses, 1))(sentences[:, :2])
    logits = getattr(after, token)[:, 0]
    target = sentences[:, 2, 3 if token == "variable" else 4]
    nll = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, target[:, None], axis=-1)[:, 0]
    return jnp.mean(nll)


@pytest.mark.parametrize(("token", "classes"), [("variable", "possible"), ("value", "possible"), ("value", "all")])
def test_a_step_is_the_gradient_of_the_loss_over_all_sentences(token, classes) -> None:
    with precision("float64"):
        model = create(dataclasses.replace(CONFIG, classes=classes))
        algorithm = OneStep(token=token, learning_rate=0.7)
        state, metrics = eqx.filter_jit(lambda s: algorithm.step(TASK, s, key=named_key(0, "x")))(algorithm.init(model))

        def loss(tables):
            return loss_of_the_transformer(eqx.tree_at(lambda m: getattr(m, token).tables, model, tables), token)

        value, gradient = jax.jit(jax.value_and_grad(loss))(getattr(model, token).tables)
        assert float(metrics["loss"]) == pytest.approx(float(value), abs=1e-12)
        moved = jax.tree.leaves(getattr(state.model, token).tables)
        start = jax.tree.leaves(getattr(model, token).tables)
        for new, old, slope in zip(moved, start, jax.tree.leaves(gradient), strict=True):
            np.testing.assert_allclose(new, old - 0.7 * slope, atol=1e-12)
            assert np.abs(slope).max() > 1e-4


def test_sampled_sentences_give_the_exact_gradient_on_average() -> None:
    model = create()
    exact, sampled = OneStep(token="value", learning_rate=1.0), OneStep(token="value", learning_rate=1.0, batch=20_000)

    @eqx.filter_jit
    def moved(model):
        steps = [a.step(TASK, a.init(model), key=named_key(0, "x"))[0] for a in (exact, sampled)]
        return [step.model.value.tables[1] - model.value.tables[1] for step in steps]

    one, other = moved(model)
    np.testing.assert_allclose(one, other, atol=0.1 * float(np.abs(one).max()))
    assert not np.array_equal(one, other)


def test_time_is_the_sum_of_rates_and_a_stride_bounds_the_step() -> None:
    model = create()
    algorithm = OneStep(token="value", learning_rate=2.0)
    _, metrics = fit_many(
        algorithm, stack([TASK]), stack([algorithm.init(model)]), named_key(0, "x")[None], steps=10, every=1
    )
    np.testing.assert_allclose(metrics["time"][0], 2 * np.arange(11))
    along = OneStep(token="value", learning_rate=math.inf, stride=0.01)
    new, _ = eqx.filter_jit(lambda s: along.step(TASK, s, key=named_key(0, "x")))(along.init(model))
    neurons = model.value
    for slot in (1, 4):
        before, after = np.asarray(neurons.tables[slot]), np.asarray(new.model.value.tables[slot])
        share = np.abs(after - before) / (float(neurons.bias) + np.minimum(np.abs(before), float(neurons.rho)))
        assert share.max() <= 0.01 * (1 + 1e-3)
    assert any(np.any(new.model.value.tables[s] != neurons.tables[s]) for s in (1, 4))


def test_the_difference_of_sums_is_conserved() -> None:
    """Each pair moves V(g) and V(y) alike, so sum_g V(g) - sum_y V(y) of a neuron stays (its use: equation 18)."""
    with precision("float64"):
        algorithm = OneStep(token="value", learning_rate=5.0)
        start = create()
        state, _ = fit_many(
            algorithm, stack([TASK]), stack([algorithm.init(start)]), named_key(0, "x")[None], steps=200, every=100
        )

        def difference(neurons):
            return np.asarray(neurons.tables[1].sum(axis=-3) - neurons.tables[4].sum(axis=-3))

        assert np.abs(np.asarray(state.model.value.tables[4][0] - start.value.tables[4])).max() > 0.5
        np.testing.assert_allclose(difference(state.model.value)[0], difference(start.value), atol=1e-10)


def test_classes_that_are_never_right_hardly_matter_from_a_small_start() -> None:
    """Their neurons only ever lose: holding their logits at 0 moves the features by less than a hundredth of them."""
    small = dataclasses.replace(CONFIG, scale=0.02, clip=2.0)
    full, model = create(dataclasses.replace(small, classes="all")), create(small)
    first = model.value.first
    start = [np.asarray(full.value.tables[slot]) for slot in (1, 4)]
    same = tuple(jnp.asarray(table[:, first : first + 3]) for table in start)
    model = eqx.tree_at(lambda m: (m.value.tables[1], m.value.tables[4]), model, same)
    algorithm = OneStep(token="value", learning_rate=10.0)
    ends = [
        fit_many(algorithm, stack([TASK]), stack([algorithm.init(m)]), named_key(0, "x")[None], steps=2000, every=1000)[
            0
        ]
        for m in (full, model)
    ]
    of_full, of_model = (np.asarray(end.model.value.tables[4][0]) for end in ends)
    assert np.abs(of_model).max() > 2
    np.testing.assert_allclose(of_full[:, first : first + 3], of_model, atol=0.01 * float(np.abs(of_model).max()))
    assert np.all(of_full[:, :first].sum(axis=0) < start[1][:, :first].sum(axis=0))


def test_a_model_at_the_floor_rests_and_another_goes_on() -> None:
    """Rest is a matter of a replica's own loss, as a share of the floor that its clip leaves."""
    model = create(dataclasses.replace(CONFIG, scale=0.02, width=8, clip=2.0))
    algorithm = OneStep(token="value", learning_rate=1e9, stride=0.3, within=1e-3)
    state, metrics = fit_many(
        algorithm, stack([TASK]), stack([algorithm.init(model)]), named_key(0, "x")[None], steps=4000, every=2000
    )
    floor = math.log1p((CONFIG.vocab - 1) * math.exp(-2 * math.log(CONFIG.vocab)))
    assert 0 <= metrics["loss"][0, -1] / floor - 1 <= 1e-3
    np.testing.assert_allclose(metrics["excess"], metrics["loss"] / floor - 1, rtol=1e-3, atol=1e-5)
    assert metrics["excess"][0, 0] > 1
    at_rest = TrainState(*(jax.tree.map(lambda leaf: leaf[0] if eqx.is_array(leaf) else leaf, state).__dict__.values()))
    again, _ = eqx.filter_jit(lambda s: algorithm.step(TASK, s, key=named_key(0, "x")))(at_rest)
    assert eqx.tree_equal(again.model, at_rest.model)
    moved, _ = eqx.filter_jit(lambda s: algorithm.step(TASK, s, key=named_key(0, "x")))(algorithm.init(model))
    assert not eqx.tree_equal(moved.model, model)


def test_neurons_that_read_every_slot_have_no_exact_gradient() -> None:
    algorithm = OneStep(token="value")
    model = create(dataclasses.replace(CONFIG, reads="all"))
    with pytest.raises(UserError, match="reads = 'all'"):
        algorithm.step(TASK, algorithm.init(model), key=named_key(0, "x"))
    with pytest.raises(UserError, match=r"learning_rate = -1\.0"):
        OneStep(token="value", learning_rate=-1.0).init(model)
