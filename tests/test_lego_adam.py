"""Adam on the next-clause loss: the loss by hand, the rule against optax, and labels a model writes for itself."""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lemmata.core import Scale, UserError, named_key, precision
from lemmata.models.lego import ExperimentalConfig, ExperimentalReasoner, learned
from lemmata.papers.lego.training import length_training
from lemmata.probes.lego import over_replicas, prefix_marks, rolled_out, shortened, teacher_forced
from lemmata.tasks.lego import Lego, LegoConfig
from lemmata.train import fit, stack
from lemmata.train.lego import (
    FreshSentences,
    NextClauseAdam,
    SentenceSet,
    label_quality,
    next_clause_loss,
    written_answers,
)

TASK = Lego.create(LegoConfig(action="C3", variables=9, length=3))
CONFIG = ExperimentalConfig(variables=9, actions=3, values=3, width=6, hidden=32, score_scale=1.0, outputs="slot")


@eqx.filter_jit
def fresh(seed_key: jax.Array) -> ExperimentalReasoner:
    return ExperimentalReasoner.create(CONFIG, key=seed_key)


@cache
def half_trained() -> tuple[Any, dict[str, np.ndarray]]:
    """Two replicas, long enough for many right answers at length 6 and short enough for many wrong ones."""
    algorithm = NextClauseAdam(32, rate=1e-2)
    states = stack([algorithm.init(fresh(named_key(seed, "init"))) for seed in (0, 1)])
    draw = eqx.filter_jit(SentenceSet.draw)
    data = stack([draw(TASK, 500, 3, key=named_key(seed, "data")) for seed in (0, 1)])
    keys = jnp.stack([named_key(seed, "steps") for seed in (0, 1)])
    state, metrics = fit(algorithm, data, states, keys, steps=150, every=150)
    return state.model, metrics


def test_loss_is_the_surprise_of_variable_and_value() -> None:
    with precision("float64"):
        model = fresh(named_key(0, "init"))
        clauses = np.asarray(TASK.draw(2, key=named_key(0, "few")))
        expected = []
        for sentence in clauses:
            after = jax.tree.map(np.asarray, eqx.filter_jit(model.next_clause)(jnp.asarray(sentence), 4))
            for answer in range(3):
                for logits, token in zip((after.variable, after.value), sentence[4 + answer, 3:], strict=True):
                    expected.append(np.log(np.sum(np.exp(logits[answer]))) - logits[answer, token])
        found = eqx.filter_jit(next_clause_loss)(model, jnp.asarray(clauses))
        np.testing.assert_allclose(float(found), 2 * np.mean(expected), rtol=1e-12)


def test_step_is_adam_and_leaves_the_score_scale_alone() -> None:
    model, algorithm = fresh(named_key(0, "init")), NextClauseAdam(4, rate=3e-3, decay=0.1)
    data = SentenceSet.draw(TASK, 50, 3, key=named_key(0, "data"))
    step = eqx.filter_jit(lambda state, key: algorithm.step(data, state, key=key)[0])
    state, rule = algorithm.init(model), optax.adamw(3e-3, weight_decay=0.1)
    part = eqx.filter(model, learned(model))
    memory = rule.init(part)
    slope = eqx.filter_jit(eqx.filter_grad(next_clause_loss))
    for number in range(3):
        key = named_key(number, "step")
        state = step(state, key)
        whole = eqx.combine(part, model)
        updates, memory = rule.update(eqx.filter(slope(whole, data.batch(4, key=key)), learned(model)), memory, part)
        part = eqx.apply_updates(part, updates)
    for ours, theirs in zip(
        jax.tree.leaves(eqx.filter(state.model, learned(model))), jax.tree.leaves(part), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)
    assert float(state.model.score_scale) == 1.0


def test_training_lowers_the_loss_of_every_replica() -> None:
    _, metrics = half_trained()
    assert np.all(metrics["loss"][:, -1] < 0.5 * metrics["loss"][:, 0])


def test_fresh_sentences_differ_from_step_to_step_and_are_told_by_the_key() -> None:
    fresh_sentences = FreshSentences(TASK, 3)
    one, again, other = (fresh_sentences.batch(20, key=named_key(seed, "step")) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_self_training_needs_a_finite_set() -> None:
    finite = length_training(Scale("smoke"), symmetric=True)
    with pytest.raises(UserError, match="sequences"):
        replace(finite, sequences=None)
    assert replace(finite, sequences=None, stages=()).sequences is None
    with pytest.raises(UserError, match="a chain of L steps"):
        replace(finite, lengths=(2, 9))


def test_a_sentence_of_a_set_does_not_depend_on_how_many_follow() -> None:
    draw = eqx.filter_jit(SentenceSet.draw)
    few, many = (draw(TASK, num, 3, key=named_key(0, "data")).clauses for num in (10, 1200))
    np.testing.assert_array_equal(few, many[:10])
    assert len(np.unique(np.asarray(many).reshape(1200, -1), axis=0)) > 1000


def test_rollout_equals_the_parallel_pass_wherever_both_tokens_are_right() -> None:
    """Up to a sentence's first wrong token the two are the same computation; "all right" is the same event."""
    models, _ = half_trained()
    clauses = TASK.draw(200, key=named_key(0, "held out"), length=6)

    def marks(model: ExperimentalReasoner, key: jax.Array) -> Any:
        return [jax.vmap(partial(read, model))(clauses) for read in (teacher_forced, rolled_out)]

    keys = jnp.stack([named_key(seed, "unused") for seed in (0, 1)])
    parallel, rolled = eqx.filter_jit(over_replicas)(marks, models, keys)
    right = np.asarray(parallel.variable & parallel.value)
    before = np.cumprod(np.concatenate([np.ones_like(right[..., :1]), right[..., :-1]], axis=-1), axis=-1) == 1
    for name in ("variable", "value"):
        one, other = np.asarray(getattr(parallel, name)), np.asarray(getattr(rolled, name))
        np.testing.assert_array_equal(one[before], other[before])
    whole = right.all(axis=-1)
    np.testing.assert_array_equal(whole, np.asarray(rolled.variable & rolled.value).all(axis=-1))
    assert 0.05 < whole.mean() < 0.95, "the model must be sometimes right and sometimes wrong"


def test_prefixes_of_longer_sentences_give_the_marks_of_short_ones() -> None:
    models, _ = half_trained()
    model = jax.tree.map(lambda leaf: leaf[0] if eqx.is_array(leaf) else leaf, models)
    clauses = TASK.draw(60, key=named_key(0, "held out"), length=6)
    short = jax.vmap(lambda one: shortened(one, jnp.asarray(4)))(clauses)[:, :9]
    assert np.array_equal(short[:, :4], clauses[:, :4])
    assert np.array_equal(short[:, 4:], clauses[:, 6:11])
    read = eqx.filter_jit(jax.vmap(lambda one: prefix_marks(model, one, jnp.asarray(4))))(clauses)
    marks = eqx.filter_jit(jax.vmap(partial(teacher_forced, model)))(short)
    both = np.asarray(marks.variable & marks.value)
    np.testing.assert_allclose(read["step"], both.mean(axis=1), atol=1e-6)
    np.testing.assert_array_equal(np.asarray(read["both"]) == 1, both.all(axis=1))
    np.testing.assert_array_equal(np.asarray(read["values"]) == 1, np.asarray(marks.value).all(axis=1))
    np.testing.assert_allclose(read["value_step"], np.asarray(marks.value).mean(axis=1), atol=1e-6)


def test_written_answers_are_rollouts_and_their_quality_is_counted() -> None:
    models, _ = half_trained()
    model = jax.tree.map(lambda leaf: leaf[0] if eqx.is_array(leaf) else leaf, models)
    true = SentenceSet.draw(TASK, 70, 6, key=named_key(0, "longer"))
    written = eqx.filter_jit(written_answers)(model, true, chunk=32)
    np.testing.assert_array_equal(written.clauses[:, :7], true.clauses[:, :7])
    rolled = eqx.filter_jit(jax.vmap(partial(rolled_out, model)))(true.clauses.astype(jnp.int32))
    right = np.asarray(rolled.variable & rolled.value)
    quality = label_quality(written, true)
    np.testing.assert_allclose(float(quality.values), np.asarray(rolled.value).mean(), rtol=1e-6)
    np.testing.assert_allclose(float(quality.clauses), right.mean(), rtol=1e-6)
    np.testing.assert_allclose(float(quality.sentences), right.all(axis=1).mean(), rtol=1e-6)
    perfect = label_quality(true, true)
    assert float(perfect.sentences) == 1.0
