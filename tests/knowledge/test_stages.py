"""Gradient descent in stages: the whole data set's loss, whose query asks, and when a stage ends."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key, precision
from lemmata.papers.knowledge.model import OneLayer, OneLayerConfig
from lemmata.papers.knowledge.probe.question_gradient import question_gradient
from lemmata.papers.knowledge.run.finetuning import truncated
from lemmata.papers.knowledge.run.staged_pretraining import (
    Prompts,
    StagedDescent,
    StagedPreTraining,
    feature_strengths,
    responses,
    whole_gradient,
)
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions
from lemmata.train import fit_many, next_token_loss, stack

WORLD = FactsConfig(subjects=6, templates=4, multiplicity=2)


@pytest.fixture(scope="module")
def setting() -> Any:
    """A small world and a model with attention and neurons away from their start, in float64."""
    with precision("float64"):
        facts = Facts.create(WORLD, seed=1)
        config = OneLayerConfig(width=12, neurons=3, scale=2.0, neuron_start=0.4)
        model = OneLayer.create(config, WORLD, 1)
        moved = 0.1 * jax.random.normal(named_key(1, "attention"), model.attention.shape, jnp.float64)
        yield facts, eqx.tree_at(lambda one: one.attention, model, moved)


def every_fact(facts: Facts) -> tuple[Any, Any]:
    n, k = facts.templates.shape
    return jnp.repeat(jnp.arange(n), k), facts.templates.reshape(-1)


def asking_first(model: OneLayer) -> OneLayer:
    return dataclasses.replace(model, config=dataclasses.replace(model.config, query="first"))


def test_what_is_known_of_the_whole_data_set(setting: Any) -> None:
    facts, model = setting
    with precision("float64"):
        loss, known, *_ = eqx.filter_jit(whole_gradient)(model, Prompts.of(facts))
        batch = facts.sentences(*every_fact(facts))
        direct = eqx.filter_jit(next_token_loss)(model, batch)
        probabilities = jax.nn.softmax(eqx.filter_jit(jax.vmap(lambda tokens: model(tokens)))(batch.tokens))
        probability_of_target = np.asarray(jnp.take_along_axis(probabilities, batch.targets[..., None], axis=2))[..., 0]
    assert float(loss) == pytest.approx(float(direct), abs=1e-12)
    assert float(known["dummy"]) == pytest.approx(probability_of_target[0, 0], rel=1e-9)
    assert float(known["relation"]) == pytest.approx(2 * probability_of_target[:, 1].mean(), rel=1e-9)
    assert float(known["relation_most"]) == pytest.approx(2 * probability_of_target[:, 1].max(), rel=1e-9)
    assert float(known["answer"]) == pytest.approx(probability_of_target[:, 2].mean(), rel=1e-9)
    assert float(known["answer_most"]) == pytest.approx(probability_of_target[:, 2].max(), rel=1e-9)


def test_the_last_token_asks_as_in_the_model_and_the_first_one_does_not(setting: Any) -> None:
    facts, model = setting
    with precision("float64"):
        prompts, other = Prompts.of(facts), asking_first(model)
        expected, shared = (np.asarray(prompts.attention(one, prompts.facts)) for one in (model, other))
        for one, alpha in ((model, expected), (other, shared)):
            direct = eqx.filter_jit(jax.vmap(lambda tokens, of=one: of.weights(tokens)[-1]))(prompts.facts)
            np.testing.assert_allclose(alpha, direct, atol=1e-12)
    assert np.abs(shared - expected).max() > 1e-3
    # One query for all: the odds of a subject against o are the same whatever the template.
    odds = shared[:, 1] / shared[:, 0]
    np.testing.assert_allclose(odds[::2], odds[1::2], rtol=1e-9)


@pytest.mark.parametrize("query", ["last", "first"])
def test_descent_follows_the_gradient_of_autodiff(setting: Any, query: str) -> None:
    facts, model = setting
    with precision("float64"):
        model = model if query == "last" else asking_first(model)
        algorithm, prompts = StagedDescent((0.5, 0.25, 0.125)), Prompts.of(facts)
        step = eqx.filter_jit(lambda state: algorithm.step(prompts, state, key=jax.random.key(0)))
        batch = facts.sentences(*every_fact(facts))
        gradient = eqx.filter_jit(eqx.filter_value_and_grad(next_token_loss))
        state, plain = algorithm.init(model), model
        for number in range(12):
            loss, found = gradient(plain, batch)
            state, metrics = step(state)
            assert float(metrics["loss"]) == pytest.approx(float(loss), abs=1e-10)
            learning_rate = (0.5, 0.25, 0.125)[int(metrics["stage"])]
            assert number >= 2 or learning_rate == 0.5
            moved = plain.attention - learning_rate * found.attention, plain.neurons - learning_rate * found.neurons
            plain = eqx.tree_at(lambda one: (one.attention, one.neurons), plain, moved)
        np.testing.assert_allclose(state.model.attention, plain.attention, atol=1e-10)
        np.testing.assert_allclose(state.model.neurons, plain.neurons, atol=1e-10)


def test_stages_end_when_they_should_and_replicas_have_learning_rates_of_their_own(setting: Any) -> None:
    facts, model = setting
    with precision("float64"):
        algorithm, faster = (StagedDescent((learning_rate, 0.6, 0.3), first_steps=3) for learning_rate in (0.02, 0.2))
        states = [algorithm.init(model), faster.init(model)]
        keys = jnp.stack([named_key(0, "data")] * 2)
        _, metrics = fit_many(algorithm, stack([Prompts.of(facts)] * 2), stack(states), keys, steps=60, every=1)
    stage, known = metrics["stage"], np.maximum(metrics["relation"], metrics["answer"])
    for replica in range(2):
        np.testing.assert_array_equal(stage[replica, :3], 0)
        assert np.all(np.diff(stage[replica]) >= 0)
        since = int(np.argmax(stage[replica] == 2))
        assert since > 3
        assert known[replica, since] >= 0.5 > known[replica, 3:since].max()
    assert not np.allclose(metrics["loss"][0, 1:4], metrics["loss"][1, 1:4])
    assert metrics["loss"][0, -1] < metrics["loss"][0, 0]


def test_feature_strengths_against_loops(setting: Any) -> None:
    facts, model = setting
    with precision("float64"):
        own, other = feature_strengths(model, Prompts.of(facts))
    x, w, classes = np.asarray(model.embeddings), np.asarray(model.neurons), list(np.asarray(model.classes))
    names, answers = np.asarray(facts.subject_names)[:, 0], np.asarray(facts.answer_names)[:, 0]

    def strength(subject: int, answer: int) -> float:
        return float(np.mean(np.maximum(x[names[subject]] @ w[:, :, classes.index(answers[answer])], 0)))

    assert float(own) == pytest.approx(min(strength(j, j) for j in range(6)), abs=1e-12)
    assert float(other) == pytest.approx(np.mean([strength(j - 1, j) for j in range(6)]), abs=1e-12)


def test_responses_against_loops(setting: Any) -> None:
    facts, model = setting
    with precision("float64"):
        prompts = Prompts.of(facts)
        dummy, answers = responses(model, prompts)
        xi = np.asarray(jax.vmap(lambda tokens: model.features(tokens)[-1])(prompts.facts))
    w, classes = np.asarray(model.neurons), list(np.asarray(model.classes))
    assert float(dummy) == pytest.approx(np.mean(2 * np.asarray(model.embeddings)[0] @ w[:, :, 0]), abs=1e-12)
    for fact, answer in enumerate(np.asarray(prompts.answers)):
        assert float(answers[fact]) == pytest.approx(np.mean(xi[fact] @ w[:, :, classes.index(answer)]), abs=1e-12)


def test_a_truncated_gradient_is_the_nearest_of_its_rank() -> None:
    with precision("float64"):
        gradient = jax.random.normal(named_key(0, "gradient"), (5, 12))
        u, sizes, v = np.linalg.svd(np.asarray(gradient))
        kept = np.asarray(jax.jit(lambda g: truncated(g, 2))(gradient))
        np.testing.assert_allclose(kept, u[:, :2] * sizes[:2] @ v[:2], atol=1e-12)
        assert not np.any(truncated(jnp.zeros((5, 12)), 2))


def test_question_gradient_is_that_of_descent(setting: Any) -> None:
    facts, model = setting
    with precision("float64"):
        questions = Questions.choose(facts, CoverageConfig(subjects=2), seed=1)
        found = eqx.filter_jit(question_gradient)(model, questions)
        batch = facts.question_batch(questions.asked[:2])
        gradient = eqx.filter_jit(eqx.filter_grad(next_token_loss))(model, batch).neurons
        u, sigma, _ = np.linalg.svd(np.asarray(gradient).reshape(gradient.shape[0], -1))
        ask = np.asarray(model.embeddings)[1]
    assert float(found["question_share"]) == pytest.approx(sigma[0] ** 2 / (sigma**2).sum(), rel=1e-9)
    assert float(found["question_along"]) == pytest.approx(abs(u[:, 0] @ ask) / np.linalg.norm(ask), rel=1e-9)
    common = np.asarray(jax.vmap(lambda tokens: model.features(tokens)[-1])(facts.prompts(questions.asked[:2]))).mean(0)
    assert float(found["question_common"]) == pytest.approx(abs(u[:, 0] @ common) / np.linalg.norm(common), rel=1e-5)
    assert float(found["sentence_along"]) < float(found["question_along"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"every": 7}, "every = 7"),
        ({"first_logits": ()}, "first_logits"),
        ({"model": OneLayerConfig(width=8, embeddings="orthonormal")}, "width = 8"),
        ({"model": OneLayerConfig(attention="uniform")}, "attention = 'uniform'"),
        ({"facts": dataclasses.replace(WORLD, pad_subjects=9)}, "without padding"),
        ({"facts": dataclasses.replace(WORLD, opened=False)}, "after o"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        StagedPreTraining(**changes)
