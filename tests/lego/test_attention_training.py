"""Attention descent against the model's own derivative, in float64; finite sets; stopping; fast value accuracy."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, named_keys, precision
from lemmata.papers.lego.model import TheoryConfig, TheoryTransformer, rollout
from lemmata.papers.lego.probe import accuracy_of_prefixes, length_reached, look, over_lengths
from lemmata.papers.lego.run.attention_descent import AttentionDescent
from lemmata.papers.lego.task import Lego, LegoConfig
from lemmata.train import stack

VARIABLES = 7


def world(
    action: str = "C3", length: int = 2, reads: Literal["needed", "all"] = "needed"
) -> tuple[Lego, TheoryTransformer]:
    """A task and a model whose neurons and attention are far from their start, so that nothing is symmetric."""
    task = Lego.create(LegoConfig(action=action, variables=VARIABLES, length=length))
    actions, values = task.table.shape
    config = TheoryConfig(
        variables=VARIABLES, actions=actions, values=values, width=4, scale=0.7, clip=6.0, reads=reads
    )
    model = eqx.filter_jit(lambda key: TheoryTransformer.create(config, key=key))(named_key(0, "init"))
    rng = np.random.default_rng(0)
    tables = tuple(jnp.asarray(rng.normal(size=(VARIABLES, VARIABLES)), float) for _ in range(2))
    return task, eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, tables)


def sentences(algorithm: AttentionDescent, task: Lego, state, key):
    numbers = jax.random.randint(key, (algorithm.batch,), 0, state.opt_state.sentences)
    keys = jax.vmap(lambda i: jax.random.fold_in(state.opt_state.corpus, i))(numbers)
    return jax.jit(jax.vmap(lambda key: task.draw(1, key=key, length=algorithm.length)[0]))(keys)


@pytest.mark.parametrize(
    ("length", "answers", "reads"), [(2, (1, 2), "needed"), (4, (2,), "needed"), (2, (1, 2), "all")]
)
def test_a_step_is_the_models_own_gradient(length: int, answers: tuple[int, ...], reads) -> None:
    with precision("float64"):
        task, model = world(length=length, reads=reads)
        algorithm = AttentionDescent(length=length, answers=answers, batch=6)
        state = algorithm.init(model, learning_rate=0.3, corpus=named_key(1, "corpus"))
        key = named_key(2, "step")
        drawn = sentences(algorithm, task, state, key)

        def loss(tables):
            moved = eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, tables)

            def nll(clauses, answer):
                after = moved.next_clause(clauses[: length + answer], 1)
                return -jax.nn.log_softmax(after.value[0])[clauses[length + answer, 4]]

            return sum(jnp.mean(jax.vmap(lambda c, a=a: nll(c, a))(drawn)) for a in answers)

        value, gradient = eqx.filter_jit(jax.value_and_grad(loss))((model.query_third, model.query_fourth))
        new, metrics = eqx.filter_jit(algorithm.step)(task, state, key=key)
        np.testing.assert_allclose(metrics["loss"], value, rtol=1e-12)
        for table, slope, moved in zip(
            (model.query_third, model.query_fourth),
            gradient,
            (new.model.query_third, new.model.query_fourth),
            strict=True,
        ):
            assert np.abs(slope).max() > 1e-4
            np.testing.assert_allclose(moved, table - 0.3 * VARIABLES * slope, rtol=1e-10, atol=1e-12)
        assert eqx.tree_equal(new.model.value, model.value)


def test_a_longer_sentence_that_is_cut_is_a_shorter_one() -> None:
    """Clauses past the cut are neither read nor moved, and true labels may stand where greedy ones would."""
    with precision("float64"):
        task, model = world(length=5)
        algorithm = AttentionDescent(length=5, answers=(2,), batch=6, labels="greedy")
        state = algorithm.init(model, learning_rate=0.3, corpus=named_key(1, "corpus"), cut=3, labels="true")
        key = named_key(2, "step")
        drawn = sentences(algorithm, task, state, key)
        short = jnp.concatenate([drawn[:, :3], drawn[:, 5:8]], axis=1)

        def loss(third):
            moved = eqx.tree_at(lambda m: m.query_third, model, third)

            def nll(clauses):
                return -jax.nn.log_softmax(moved.next_clause(clauses[:5], 1).value[0])[clauses[5, 4]]

            return jnp.mean(jax.vmap(nll)(short))

        value, slope = jax.jit(jax.value_and_grad(loss))(model.query_third)
        new, metrics = eqx.filter_jit(algorithm.step)(task, state, key=key)
        np.testing.assert_allclose(metrics["loss"], value, rtol=1e-12)
        assert metrics["labels_right"] == 1
        np.testing.assert_allclose(
            new.model.query_third, model.query_third - 0.3 * VARIABLES * slope, rtol=1e-10, atol=1e-12
        )


def test_annotation_is_the_greedy_rollout() -> None:
    task, model = world("S3", length=4)
    algorithm = AttentionDescent(length=4, answers=(2,), batch=16, labels="greedy")
    state = algorithm.init(model, corpus=named_key(1, "corpus"))
    key = named_key(5, "step")
    truth = eqx.filter_jit(algorithm.draw)(task, state.opt_state, key)
    labelled = eqx.filter_jit(algorithm.annotate)(model, state.opt_state, truth)
    written = eqx.filter_jit(jax.vmap(lambda c: rollout(model, c[:5], 2)))(sentences(algorithm, task, state, key))[
        :, 4:
    ]
    # A model with random weights may answer a token that is no value: such rows are the rollout's own affair.
    possible = np.asarray(
        (written[:, 1:, 4] >= task.vocabulary.first_value).all(axis=1) & (written[:, 1, 4] < task.vocabulary.blank)
    )
    assert possible.sum() >= 4
    np.testing.assert_array_equal(labelled.named[possible], written[possible, :, 3])
    np.testing.assert_array_equal(labelled.values[possible], written[possible, :, 4] - task.vocabulary.first_value)
    assert bool(jnp.any(labelled.values != truth.values))  # and it is not simply the truth


def test_a_finite_set_repeats_and_a_stopped_replica_stands_still() -> None:
    task, model = world()
    algorithm = AttentionDescent(batch=40)
    few = algorithm.init(model, sentences=3, corpus=named_key(1, "corpus"))
    drawn = eqx.filter_jit(algorithm.draw)(task, few.opt_state, named_key(0, "step"))
    rows = np.concatenate([drawn.links, drawn.actions, drawn.values], axis=1)
    assert 2 <= len(np.unique(rows, axis=0)) <= 3
    still = algorithm.init(model, stop_below=1e6)
    step = eqx.filter_jit(algorithm.step)
    after, _ = step(task, still, key=named_key(0, "step"))
    assert bool(after.opt_state.stopped)
    assert int(after.opt_state.taken) == 0
    np.testing.assert_array_equal(after.model.query_third, model.query_third)


def test_accuracy_over_lengths_is_the_slow_one() -> None:
    task, model = world("C3", length=5)
    fast = eqx.filter_jit(over_lengths)(model, task, (2,), key=named_key(3, "test"), num=64)
    slow = accuracy_of_prefixes(stack([model]), task, (2,), key=named_keys([3], "test"), num=64)
    slow = {name: slow[name][0, 0] for name in ("value_step", "values")}
    assert 0 < float(slow["value_step"]) < 1
    np.testing.assert_allclose(fast["value_step"][0], slow["value_step"], atol=1e-6)
    np.testing.assert_allclose(fast["values"][0], slow["values"], atol=1e-6)


def test_cut_chains_are_shorter_sentences() -> None:
    """Against the model's own pass on sentences that are really shorter."""
    task, model = world("C3", length=5)
    found = eqx.filter_jit(over_lengths)(model, task, (3, 5), key=named_key(4, "test"), num=12, variables=True)
    long = task.draw(12, key=named_key(4, "test"), length=5)
    for place, length in enumerate((3, 5)):
        cut = jnp.concatenate([long[:, :length], long[:, 5 : 6 + length]], axis=1)

        def read(sentence, length=length):
            after, truth = model.next_clause(sentence[:-1], length), sentence[-length:]
            probabilities = [
                jnp.take_along_axis(jax.nn.softmax(logits), token[:, None], axis=1)[:, 0]
                for logits, token in ((after.variable, truth[:, 3]), (after.value, truth[:, 4]))
            ]
            return after.greedy(), look(model, sentence).epsilon, probabilities[0] * probabilities[1]

        written, epsilon, probability = (np.asarray(part) for part in eqx.filter_jit(jax.vmap(read))(cut))
        np.testing.assert_allclose(found["probability"][place], probability.mean(), rtol=1e-4, err_msg="equation (5)")
        np.testing.assert_allclose(found["epsilon_steps"][place, :length], epsilon.mean(axis=0), atol=1e-5)
        right = written[..., 3:] == np.asarray(cut)[:, -length:, 3:]
        np.testing.assert_allclose(found["values"][place], right[..., 1].all(axis=1).mean(), atol=1e-6)
        np.testing.assert_allclose(found["value_step"][place], right[..., 1].mean(), atol=1e-6)
        np.testing.assert_allclose(found["both"][place], right.all(axis=(1, 2)).mean(), atol=1e-6)
        np.testing.assert_allclose(found["epsilon"][place], epsilon.mean(), atol=1e-5)
        np.testing.assert_allclose(found["epsilon_worst_step"][place], epsilon.mean(axis=0).max(), atol=1e-5)
    assert 0 < float(found["value_step"][0]) < 1


def test_length_reached() -> None:
    lengths = (2, 4, 8, 16)
    curves = np.array([[1, 1, 1, 1], [1, 1, 0.8, 0.0], [0.5, 1, 1, 1], [1, 0.95, 0.85, 1]])
    reached = length_reached(lengths, curves)
    np.testing.assert_allclose(reached, [16, 4 * np.sqrt(2), 0, 4 * np.sqrt(2)])


def test_refusals() -> None:
    _, model = world()
    for make in (
        lambda: AttentionDescent(length=2, answers=(3,)),
        lambda: AttentionDescent(answers=()),
        lambda: AttentionDescent(length=VARIABLES, answers=(2,)).init(model),
        lambda: AttentionDescent().init(model, learning_rate=0.0),
        lambda: AttentionDescent().init(model, sentences=0),
    ):
        with pytest.raises(UserError):
            make()
