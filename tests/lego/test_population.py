"""The exact population engine against the dense model on every sentence, in float64, over whole trajectories."""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lego_oracles import as_tables, value_neurons
from lemmata.core import UserError, named_key, precision
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer
from lemmata.papers.lego.model.fast.four_scores import attention
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons, value_of_each
from lemmata.papers.lego.run.chains import Chains, next_logits, step_scores, value_loss
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor, learn_one_step
from lemmata.papers.lego.run.fast.population_labels import greedy_labels
from lemmata.papers.lego.run.fast.population_loss import contexts, population, population_loss
from lemmata.papers.lego.run.one_step_descent import OneStep
from lemmata.papers.lego.run.population import descend, start_flow
from lemmata.papers.lego.run.population_flow import Flow
from lemmata.papers.lego.task import Lego, LegoConfig, action

RATE = 0.3


@pytest.fixture(autouse=True)
def exact():
    with precision("float64"):
        yield


def model(name: str, variables: int, **settings) -> TheoryTransformer:
    """Far from its start, so that its neurons are neither silent nor alike."""
    actions, values = action(name).table.shape
    config = {"width": 4, "scale": 0.7, "clip": 1.5} | settings
    sizes = TheoryConfig(variables=variables, actions=actions, values=values, **config)
    return eqx.filter_jit(lambda key: TheoryTransformer.create(sizes, key=key))(named_key(1, "init"))


def every_sentence(name: str, variables: int, length: int) -> Chains:
    """All of D^L, with answers 0, 1, 2."""
    table = action(name).table
    rows = [
        (x, g, y)
        for x in itertools.permutations(range(variables), length + 1)
        for g in itertools.product(range(len(table)), repeat=length)
        for y in range(table.shape[1])
    ]
    x, g, y = np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), np.array([r[2] for r in rows])
    first = table[g[:, 0], y]
    values = np.stack([y, first, table[g[:, 1], first]], axis=1)
    parts = (x[:, 1:], g, x[:, :-1], x[:, :3], values)
    return Chains(*(jnp.asarray(part) for part in parts))


def dense_trajectory(
    dense: TheoryTransformer, chains: Chains, answers: tuple[int, ...], steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Both blocks of Q after each step of full-batch descent, by autodiff through every sentence."""

    def loss(tables):
        found = [value_loss(step_scores(*tables, chains, a), dense.value, chains, a, 0) for a in answers]
        return sum(found[1:], found[0])

    def one(tables, _):
        slopes = jax.grad(loss)(tables)
        moved = tuple(t - RATE * len(t) * s for t, s in zip(tables, slopes, strict=True))
        return moved, moved

    start = (dense.query_third, dense.query_fourth)
    return jax.jit(lambda start: jax.lax.scan(one, start, None, length=steps)[1])(start)


@pytest.mark.parametrize(("name", "losses"), [("C3", "sum"), ("S3", "sum"), ("S3", "second"), ("C2xC2", "sum")])
def test_descent_is_the_dense_models_on_all_sentences(name: str, losses: str) -> None:
    dense, steps = model(name, 4), 120
    answers = {"sum": (1, 2), "second": (2,)}[losses]
    third, fourth = dense_trajectory(dense, every_sentence(name, 4, 2), answers, steps)
    table, neurons = action(name).table, value_neurons(dense.value)
    every_step, scores = population(table, losses), jnp.zeros(4)
    for done in (0, 40, 80):
        scores = descend(neurons, jnp.asarray(table), every_step, scores, 4.0, RATE, 40)
        for table_then, wanted in zip(as_tables(scores, 4), (third, fourth), strict=True):
            np.testing.assert_allclose(table_then, wanted[done + 39], rtol=1e-12, atol=1e-12)
    assert np.abs(scores).max() > 0.1
    assert len(np.unique(np.round(np.asarray(scores), 6))) == 4


def test_longer_sentences_are_enumerated_too() -> None:
    dense = model("C3", 5)
    chains = every_sentence("C3", 5, 4)
    third, fourth = dense_trajectory(dense, chains, (2,), 3)
    table = action("C3").table
    every_step = population(table, "second", length=4)
    scores = descend(value_neurons(dense.value), jnp.asarray(table), every_step, jnp.zeros(4), 5.0, RATE, 3)
    for found, wanted in zip(as_tables(scores, 5), (third, fourth), strict=True):
        np.testing.assert_allclose(found, wanted[-1], rtol=1e-12, atol=1e-12)


def test_self_training_reads_the_annotators_labels() -> None:
    """The dense annotator writes answers 1 and 2 of every sentence; loss and slope on them are the engine's."""
    dense, table = model("S3", 5), action("S3").table
    neurons, frozen = value_neurons(dense.value), jnp.array([1.5, 0.1, 0.6, -0.2])
    chains = every_sentence("S3", 5, 3)
    tables = as_tables(frozen, 5)
    labelled = chains
    for answer in (1, 2):
        weights = jax.nn.softmax(step_scores(*tables, labelled, answer), axis=-1)
        value = jnp.argmax(next_logits(dense.value, weights, labelled, answer), axis=-1)
        labelled = eqx.tree_at(lambda c: c.values, labelled, labelled.values.at[:, answer].set(value))
    right = jnp.mean(jnp.all(labelled.values == chains.values, axis=1).astype(float))
    every_step = population(table, "second", length=3)
    labels, share = greedy_labels(neurons, jnp.asarray(table), frozen, contexts(table, length=3, step=2))
    assert labels is not None
    assert 0.02 < share < 0.98
    np.testing.assert_allclose(share, right, rtol=1e-12)
    now = jnp.array([0.4, 0.2, 0.3, -0.1])

    def loss(scores):
        return value_loss(step_scores(*as_tables(scores, 5), labelled, 2), dense.value, labelled, 2, 0)

    wanted = jax.jit(jax.value_and_grad(loss))(now)
    found = eqx.filter_jit(population_loss)(neurons, jnp.asarray(table), now, every_step, labels)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    trained, sharp = neurons_at_the_floor("S3"), jnp.array([5.0, 0.0, 5.0, 0.0])
    assert greedy_labels(trained, jnp.asarray(table), sharp, contexts(table, length=3, step=2)) == (None, 1.0)


def neurons_at_the_floor(name: str, clip: float = 3.0) -> ValueNeurons:
    neurons = value_neurons(model(name, 40, width=8, scale=0.02, clip=clip).value)
    trained, end = learn_one_step(neurons, jnp.asarray(action(name).table), ToTheFloor(finest=0.1))
    assert end.excess <= 1e-8
    return trained


def test_stage_one_is_the_strided_descent_of_the_theory_model() -> None:
    dense = model("S3", 6, scale=0.05, clip=2.0)
    task = Lego.create(LegoConfig(action="S3", variables=6, length=1))
    algorithm = OneStep(token="value", learning_rate=1e30, stride=0.1)
    state = algorithm.init(dense)
    step = eqx.filter_jit(lambda state: algorithm.step(task, state, key=named_key(0, "unused"))[0])
    for _ in range(150):
        state = step(state)
    plan = ToTheFloor(stride=0.1, finest=1.0, tolerance=1e-300, steps=150)
    trained, end = learn_one_step(value_neurons(dense.value), task.table, plan)
    wanted = value_neurons(state.model.value)
    np.testing.assert_allclose(trained.actions, wanted.actions, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(trained.values, wanted.values, rtol=1e-10, atol=1e-12)
    assert np.abs(trained.actions).max() > 1
    np.testing.assert_allclose(end.time, state.opt_state, rtol=1e-10)


def test_fine_strides_leave_right_logits_at_the_bound() -> None:
    table = jnp.asarray(action("C4").table)
    fresh = value_neurons(model("C4", 60, width=10, scale=0.02, clip=3.0).value)

    def overshoot(finest: float) -> float:
        trained, end = learn_one_step(fresh, table, ToTheFloor(finest=finest))
        assert end.excess <= 1e-8
        read = (trained.actions[:, :, None, :] + trained.values[..., None]) / 2
        right = jnp.sum(trained.fire(read), axis=0)[value_of_each(table)]
        assert right.min() >= trained.bound * (1 - 1e-6)
        return float(right.max() / trained.bound - 1)

    assert overshoot(0.02) < 0.004
    assert overshoot(1.0) > 3 * overshoot(0.02)


def test_the_floor_is_the_clips() -> None:
    trained = neurons_at_the_floor("C4", clip=6.0)
    d = float(trained.vocab)
    np.testing.assert_allclose(trained.floor, np.log1p((d - 1) * d**-6.0), rtol=1e-12)
    loss, slope = population_loss(
        trained, jnp.asarray(action("C4").table), jnp.array([40.0, 0, 40.0, 0]), population(action("C4").table)
    )
    np.testing.assert_allclose(loss, 2 * trained.floor, rtol=1e-6)  # both steps, all attention where it belongs
    assert np.abs(slope).max() < 1e-12


def test_the_flow_is_the_limit_of_descent() -> None:
    table, trained = action("S3").table, neurons_at_the_floor("S3")
    every_step = population(table)
    flow = start_flow(trained, table, every_step, np.zeros(4), 40, stride=0.02)
    scores, learning_rate, done = jnp.zeros(4), 0.02, 0
    for time in (2.0, 20.0, 200.0):
        flow.advance(time, evaluations=100_000)
        steps = round(time / learning_rate)
        scores = descend(trained, jnp.asarray(table), every_step, scores, 40.0, learning_rate, steps - done)
        done = steps
        np.testing.assert_allclose(flow.scores, scores, atol=0.01)
        assert flow.time == time
    assert flow.scores[0] > 1


def test_the_flow_slides_where_descent_chatters() -> None:
    """A loss with a kink along equal diagonals: |a - c| + exp(-a - c), whose flow stays at a = c and grows as log t."""

    def motion(scores: np.ndarray) -> tuple[float, np.ndarray]:
        apart, reward = np.sign(scores[0] - scores[2]), np.exp(-scores[0] - scores[2])
        return 0.0, np.array([reward - apart, 0.0, reward + apart, 0.0])

    flow = Flow.start(motion, np.array([0.3, 0.0, 0.0, 0.0]), stride=0.1)
    flow.advance(1e9, evaluations=2000)
    assert flow.time == 1e9
    np.testing.assert_allclose(flow.scores[0] - flow.scores[2], 0, atol=0.01)
    np.testing.assert_allclose(flow.scores[0] + flow.scores[2], np.log(2e9), atol=0.02)


def test_drawn_contexts_estimate_the_population() -> None:
    table, trained = action("S4").table, neurons_at_the_floor("S4")
    scores = jnp.array([1.5, 0.0, 1.0, 0.0])
    exact_loss, exact_slope = population_loss(trained, jnp.asarray(table), scores, population(table, length=3))
    drawn = population(table, length=3, drawn=240)
    loss, slope = population_loss(trained, jnp.asarray(table), scores, drawn)
    np.testing.assert_allclose(loss, exact_loss, rtol=0.1)
    np.testing.assert_allclose(slope, exact_slope, rtol=0.2, atol=0.02 * float(jnp.abs(exact_slope).max()))
    assert loss != exact_loss


def test_sampled_sentences_agree_within_their_error() -> None:
    """A large batch of the sampled model at a size that cannot be enumerated by sentence."""
    name, variables, num = "S3", 12, 20_000
    dense, table = model(name, variables), action(name).table
    scores = jnp.array([0.8, 0.1, 0.5, -0.1])
    task = Lego.create(LegoConfig(action=name, variables=variables, length=2))
    clauses = task.draw(num, key=named_key(3, "batch"), length=2)
    tables = as_tables(scores, variables)
    moved = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), dense, tables)

    def nll(sentence):
        after = moved.next_clause(sentence[:4], 1).value[0]
        return -jax.nn.log_softmax(after)[sentence[4, 4]]

    found = np.asarray(jax.jit(jax.vmap(nll))(clauses))
    exact_loss, _ = population_loss(value_neurons(dense.value), jnp.asarray(table), scores, population(table, "second"))
    assert abs(found.mean() - exact_loss) < 4 * found.std() / np.sqrt(num)


def test_attention_by_kinds_and_what_is_refused() -> None:
    scores = jnp.array([2.0, -0.1, 1.0, 0.3])
    found = attention(scores, 5.0, 3.0)
    total = np.exp(2.0) + 4 * np.exp(-0.1) + np.exp(1.0) + 2 * np.exp(0.3)
    np.testing.assert_allclose(found.predicate, np.exp(2.0) / total)
    np.testing.assert_allclose(found.epsilon, 1 - found.predicate - found.answer, rtol=1e-12)
    np.testing.assert_allclose(found.gap, (np.exp(2.0) - np.exp(1.0)) / total)
    np.testing.assert_allclose(attention(scores[jnp.array([2, 1, 0, 3])], 5.0, 3.0).gap, found.gap, rtol=1e-12)
    dense = model("C3", 4)
    table = action("S5").table
    with pytest.raises(UserError, match="reads"):
        value_neurons(model("C3", 4, reads="all").value)
    with pytest.raises(UserError, match="classes"):
        value_neurons(model("C3", 4, classes="all").value)
    with pytest.raises(UserError, match="contexts"):
        contexts(table, length=8, step=2)
    with pytest.raises(UserError, match="steps 1 or 2"):
        contexts(table, length=8, step=3, drawn=5)
    neurons, around = value_neurons(dense.value), contexts(action("C3").table, length=3, step=2)
    with pytest.raises(UserError, match="variables are written right"):
        greedy_labels(neurons, jnp.asarray(action("C3").table), jnp.zeros(4), around)
