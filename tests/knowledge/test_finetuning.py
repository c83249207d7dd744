"""Fine-tuning's closed-form gradient and its descent in tokens against autodiff on whole models, in float64."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import AbstractAlgorithm, TrainState, named_key, precision
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig, low_rank_factors, trainable
from lemmata.papers.knowledge.run.fast.token_descent import TokenDescent, leading_part
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig, fine_tuning
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions

READINGS: dict[str, dict[str, Any]] = {
    "last token asks": {},
    "one query": {"query": "first"},
    "uniform": {"attention": "uniform"},
    "without o": {"opened": False},
}


def setting(reading: dict[str, Any], coverage: CoverageConfig | None = None) -> tuple[OneLayer, Questions]:
    """A model far from its start, and questions in float64."""
    fields = dict(reading)
    world = FactsConfig(subjects=12, templates=5, multiplicity=2, opened=fields.pop("opened", True), pad_subjects=14)
    facts, model = Facts.create(world, 0), OneLayer.create(OneLayerConfig(width=7, neurons=3, **fields), world, 0)
    keys = jax.random.split(named_key(0, "stir"))
    where = lambda one: (one.attention, one.neurons)  # noqa: E731
    new = [0.3 * jax.random.normal(key, leaf.shape) for key, leaf in zip(keys, where(model), strict=True)]
    return eqx.tree_at(where, model, new), Questions.choose(facts, coverage or CoverageConfig(), 1)


def loss(model: OneLayer, task: Questions, subjects: jax.Array) -> jax.Array:
    """The mean negative log-likelihood of the answers trained on, from the model itself."""
    log_probability = jax.nn.log_softmax(jax.vmap(model.last)(task.facts.prompts(subjects)), axis=1)
    target = 1 + task.facts.vocabulary.templates + task.train_answers[subjects]
    return -jnp.mean(jnp.take_along_axis(log_probability, target[:, None], axis=1))


def gradient(model: OneLayer, task: Questions, subjects: jax.Array) -> OneLayer:
    moving, fixed = eqx.partition(model, trainable(model))
    return jax.grad(lambda part: loss(eqx.combine(part, fixed), task, subjects))(moving)


def went(algorithm: AbstractAlgorithm, task: Questions, state: TrainState, steps: int) -> OneLayer:
    step = eqx.filter_jit(lambda state, key: algorithm.step(task, state, key=key)[0])
    for number in range(steps):
        state = step(state, named_key(number, "ask"))
    return state.model


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("gradient_rank", [None, 1, 2])
def test_descent_is_that_of_autodiff(reading: dict[str, Any], gradient_rank: int | None) -> None:
    with precision("float64"):
        model, task = setting(reading, CoverageConfig(split="tuple") if gradient_rank is None else None)
        config = FineTuningConfig(descent=DescentConfig(gradient_rank=gradient_rank, attention_learning_rate=0.3))
        algorithm = fine_tuning(config, [task], unit=0.2)
        in_tokens = isinstance(algorithm, TokenDescent)
        start = algorithm.init((model, task) if in_tokens else model)
        found = eqx.filter_jit(OneLayer.matrices)(went(algorithm, task, start, 25))
        asked, plain = task.asked[: int(task.num_asked)], model
        of = eqx.filter_jit(lambda model: gradient(model, task, asked))
        for _ in range(25):
            step = of(plain)
            w = np.asarray(step.neurons).reshape(7, -1)
            if gradient_rank is not None:
                u = np.linalg.svd(w)[0][:, :gradient_rank]
                w = u @ (u.T @ w)
            moved = plain.attention - 0.06 * step.attention, plain.neurons - 0.6 * w.reshape(plain.neurons.shape)
            plain = eqx.tree_at(lambda one: (one.attention, one.neurons), plain, moved)
        assert in_tokens == (gradient_rank != 2)
        assert float(jnp.abs(plain.neurons - model.neurons).max()) > 0.1
        # Powers end where the direction is known to 100 eps or after 100 of them.
        close = 1e-10 if gradient_rank != 1 else 1e-6
        np.testing.assert_allclose(found[0], plain.attention, atol=close)
        np.testing.assert_allclose(found[1], plain.neurons, atol=close)


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("rank", [None, 2])
@pytest.mark.parametrize("batch", [4, 64])  # fewer and more than the subjects: each drawn one, or each one once
def test_the_gradient_of_a_batch_is_autodiffs(reading: dict[str, Any], rank: int | None, batch: int) -> None:
    with precision("float64"):
        model, task = setting(reading, CoverageConfig(answers="shuffled"))
        if rank is not None:
            model = model.with_factors(*low_rank_factors(model.neurons.shape, rank, 0, room=3))
            right = lambda one: (one.attention_update.right, one.neuron_update.right)  # noqa: E731
            model = eqx.tree_at(right, model, tuple(0.1 + leaf for leaf in right(model)))
        algorithm: Any = fine_tuning(FineTuningConfig(batch=batch, rank=rank), [task])
        key = named_key(0, "ask")
        objective = algorithm.descent.objective
        metrics, found = eqx.filter_jit(objective)(*eqx.partition(model, trainable(model)), task, key)
        drawn = task.draw(batch, key=key)
        expected = eqx.filter_jit(gradient)(model, task, drawn)
        assert float(metrics["loss"]) == pytest.approx(float(loss(model, task, drawn)), rel=1e-12)
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_the_leading_part_is_that_of_the_singular_values() -> None:
    with precision("float64"):
        tokens, rows = (jax.random.normal(named_key(0, name), (6, size)) for name, size in (("t", 9), ("r", 14)))
        direction, along = jax.jit(leading_part)(rows, tokens @ tokens.T)
        u, sizes, v = np.linalg.svd(np.asarray(tokens.T @ rows))
        part = np.asarray(tokens.T @ direction)[:, None] * np.asarray(along)
        np.testing.assert_allclose(part, sizes[0] * np.outer(u[:, 0], v[0]), atol=1e-5)
        nothing = leading_part(jnp.zeros((6, 14)), tokens @ tokens.T)
        assert not np.any(nothing[0])
        assert not np.any(nothing[1])


def test_questions_of_nobody_move_nothing() -> None:
    model, task = setting({}, CoverageConfig(templates=1))
    nobody = eqx.tree_at(lambda q: (q.num_asked, q.share), task, (jnp.asarray(0, jnp.int32), jnp.zeros(14)))
    algorithm: Any = fine_tuning(FineTuningConfig(descent=DescentConfig()), [task])
    found = went(algorithm, nobody, algorithm.init((model, nobody)), 2)
    assert np.array_equal(found.matrices()[1], model.neurons)
    assert np.array_equal(found.attention, model.attention)
