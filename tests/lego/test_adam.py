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

from lego_oracles import rolled_out, teacher_forced
from lemmata.core import Scale, Unattended, UserError, named_key, named_keys, precision
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, learned
from lemmata.papers.lego.probe import accuracy_of_prefixes, final_answers, look, over_replicas, prefix_marks, shortened
from lemmata.papers.lego.probe.cells import cell_marks
from lemmata.papers.lego.run.length_training import SHORT, length_training
from lemmata.papers.lego.run.next_clause import (
    FirstSentences,
    SentenceSet,
    label_quality,
    next_clause_adam,
    next_clause_loss,
    written_answers,
)
from lemmata.papers.lego.task import Lego, LegoConfig
from lemmata.train import fit_many, unstack

TASK = Lego.create(LegoConfig(action="C3", variables=9, length=3))
CONFIG = ExperimentalConfig(variables=9, actions=3, values=3, width=6, hidden=32, score_scale=1.0, outputs="slot")


@eqx.filter_jit
def fresh(seed_key: jax.Array) -> ExperimentalReasoner:
    return ExperimentalReasoner.create(CONFIG, key=seed_key)


@cache
def sentences() -> SentenceSet:
    """A set of each replica. Its first ones are the same however many follow, which one test asks."""
    keys = named_keys((0, 1), "data")
    return eqx.filter_jit(lambda keys: jax.vmap(lambda key: SentenceSet.draw(TASK, 500, 3, key=key))(keys))(keys)


@cache
def held_out() -> jax.Array:
    return TASK.draw(200, key=named_key(0, "held out"), length=6)


@cache
def half_trained() -> tuple[Any, dict[str, np.ndarray]]:
    """Two replicas, long enough for many right answers at length 6 and short enough for many wrong ones."""
    algorithm = next_clause_adam(32, learning_rate=1e-2)
    keys = {name: named_keys((0, 1), name) for name in ("init", "steps")}
    states = eqx.filter_jit(eqx.filter_vmap(lambda key: algorithm.init(fresh(key))))(keys["init"])
    state, metrics = fit_many(algorithm, sentences(), states, keys["steps"], steps=90, every=90)
    return state.model, metrics


def first_of(stacked: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[0] if eqx.is_array(leaf) else leaf, stacked)


def test_loss_is_the_nll_of_variable_and_value() -> None:
    @eqx.filter_jit
    def both(key: jax.Array, clauses: jax.Array) -> tuple[jax.Array, Any]:
        model = ExperimentalReasoner.create(CONFIG, key=key)
        return next_clause_loss(model, clauses), jax.vmap(lambda one: model.next_clause(one, 4))(clauses)

    with precision("float64"):
        clauses = np.asarray(TASK.draw(2, key=named_key(0, "few")))
        found, after = both(named_key(0, "init"), jnp.asarray(clauses))
        expected = []
        for number, sentence in enumerate(clauses):
            for answer in range(3):
                for logits, token in zip((after.variable, after.value), sentence[4 + answer, 3:], strict=True):
                    row = np.asarray(logits[number, answer])
                    expected.append(np.log(np.sum(np.exp(row))) - row[token])
        np.testing.assert_allclose(float(found), 2 * np.mean(expected), rtol=1e-12)


def test_step_is_adam_and_leaves_the_score_scale_alone() -> None:
    """Three steps of ours and three of optax, in one program."""
    algorithm, rule, data = (
        next_clause_adam(4, learning_rate=3e-3, decay=0.1),
        optax.adamw(3e-3, weight_decay=0.1),
        sentences(),
    )

    @eqx.filter_jit
    def both(key: jax.Array, data: SentenceSet) -> tuple[Any, Any, Any]:
        model = ExperimentalReasoner.create(CONFIG, key=key)
        moving, fixed = eqx.partition(model, learned(model))
        begun, held = eqx.partition(algorithm.init(model), eqx.is_array)

        def one(carry: Any, key: jax.Array) -> tuple[Any, None]:
            ours, part, memory = carry
            state, _ = algorithm.step(data, eqx.combine(ours, held), key=key)
            loss = jax.grad(lambda part: next_clause_loss(eqx.combine(part, fixed), data.batch(4, key=key)))
            updates, memory = rule.update(loss(part), memory, part)
            return (eqx.filter(state, eqx.is_array), eqx.apply_updates(part, updates), memory), None

        keys = jax.random.split(key, 3)
        (ours, part, _), _ = jax.lax.scan(one, (begun, moving, rule.init(moving)), keys)
        return eqx.combine(ours, held).model, part, model

    found, part, model = both(named_key(0, "init"), first_of(data))
    ours, theirs, before = (jax.tree.leaves(eqx.filter(tree, learned(model))) for tree in (found, part, model))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-5)
    assert sum(float(jnp.abs(one - other).max()) > 1e-3 for one, other in zip(ours, before, strict=True)) >= 6
    assert float(found.score_scale) == 1.0


def test_training_lowers_the_loss_of_every_replica() -> None:
    _, metrics = half_trained()
    assert np.all(metrics["loss"][:, -1] < 0.5 * metrics["loss"][:, 0])


def test_first_sentences_of_a_set_are_all_that_a_step_draws() -> None:
    whole = first_of(sentences())
    few = FirstSentences(whole.clauses, jnp.asarray(7))
    drawn = np.asarray(few.batch(200, key=named_key(0, "step"))).reshape(200, -1)
    known = np.asarray(whole.clauses[:7]).reshape(7, -1)
    assert len(np.unique(drawn, axis=0)) == 7
    assert all(np.any(np.all(known == one, axis=1)) for one in drawn)


def test_a_step_draws_the_sentences_that_jax_would() -> None:
    whole, key = first_of(sentences()), named_key(5, "step")
    expected = whole.clauses[jax.random.randint(key, (64,), 0, 500)]
    np.testing.assert_array_equal(whole.batch(64, key=key), expected)
    few = whole.clauses[jax.random.randint(key, (64,), 0, 7)]
    np.testing.assert_array_equal(FirstSentences(whole.clauses, jnp.asarray(7)).batch(64, key=key), few)


def test_epochs_and_sentences_say_how_many_steps() -> None:
    smoke = length_training(Scale("smoke"), "symmetric")
    assert smoke.steps == 80  # 10 epochs of 64 sentences, 8 a step
    assert replace(smoke, epochs=11).steps == 100  # 88, in whole records
    assert length_training(Scale("paper"), "symmetric").steps == 58_600


def test_a_control_in_fewer_seeds_is_that_of_the_same_seeds() -> None:
    run = length_training(Scale("smoke"), "symmetric")
    both, one = run.compute(Unattended()).metrics, replace(run, short_seeds=1).compute(Unattended()).metrics
    kept = (both["branch"] != SHORT) | (both["seed"] == run.seeds[0])
    assert not kept.all()
    for name, values in one.items():
        np.testing.assert_array_equal(values, both[name][kept])
    with pytest.raises(UserError, match="short_seeds"):
        replace(run, short_seeds=3)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"lengths": (4, 8)}, "training length 2 among them"),
        ({"lengths": ()}, "training length 2 among them"),
        ({"lengths": (8, 2)}, "increasing"),
        ({"stages": (4, 4)}, "increasing, each longer"),
        ({"stages": (2,)}, "increasing, each longer"),
        ({"batch": 0}, "batch"),
        ({"sequences": 0}, "sequences"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"seeds": ()}, "seeds"),
        ({"epochs": 0}, "epochs"),
        ({"stage_steps": 30}, "a multiple of 20"),
        ({"lengths": (2, 9)}, "a chain of L steps"),
    ],
)
def test_impossible_runs_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        replace(length_training(Scale("smoke"), "symmetric"), **changes)


def test_a_sentence_of_a_set_does_not_depend_on_how_many_follow() -> None:
    few = first_of(sentences()).clauses[:10]
    many = eqx.filter_jit(SentenceSet.draw)(TASK, 1200, 3, key=named_key(0, "data")).clauses
    np.testing.assert_array_equal(few, many[:10])
    assert len(np.unique(np.asarray(many).reshape(1200, -1), axis=0)) > 1000


def test_rollout_equals_the_parallel_pass_wherever_both_tokens_are_right() -> None:
    """Up to a sentence's first wrong token the two are the same computation; "all right" is the same event."""
    models, _ = half_trained()
    clauses = held_out()

    def marks(model: ExperimentalReasoner, key: jax.Array) -> Any:
        return [jax.vmap(partial(read, model))(clauses) for read in (teacher_forced, rolled_out)]

    keys = named_keys((0, 1), "unused")
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
    model = first_of(models)
    clauses = held_out()[:60]
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


def test_final_answers_are_those_of_rollouts_cut_to_each_length() -> None:
    models, _ = half_trained()
    keys = named_keys((0, 1), "test")
    found = final_answers(models, TASK, (2, 6), key=keys, num=100)
    for replica, model in enumerate(unstack(models)):
        clauses = TASK.draw(100, key=keys[replica], length=6)
        for place, length in enumerate((2, 6)):
            cut = jax.vmap(lambda one, length=length: shortened(one, jnp.asarray(length)))(clauses)[:, : 2 * length + 1]
            rolled = eqx.filter_jit(jax.vmap(partial(rolled_out, model)))(cut)
            np.testing.assert_allclose(found[replica, place], np.asarray(rolled.value)[:, -1].mean(), atol=1e-6)
    assert found.min() < 0.99, "some must be wrong"


def test_cells_read_what_the_other_probes_read() -> None:
    models, _ = half_trained()
    keys = named_keys((0, 1), "test")
    cells = cell_marks(models, TASK, jnp.array([2, 6]), 6, keys, 64)
    shares = accuracy_of_prefixes(models, TASK, (2, 6), key=keys, num=64)
    for name in ("both", "values", "step"):
        np.testing.assert_allclose(cells[name], shares[name], atol=1e-6)
    for replica, model in enumerate(unstack(models)):
        clauses = TASK.draw(64, key=keys[replica], length=6)
        seen = eqx.filter_jit(jax.vmap(partial(look, model)))(clauses)
        for name in ("predicate", "answer"):
            by_position = np.asarray(getattr(seen, name)).mean(axis=0)
            np.testing.assert_allclose(cells[name][replica, 1], by_position.mean(), rtol=1e-5)
            drop = (by_position[0] - by_position[-1]) / by_position.mean()
            np.testing.assert_allclose(cells[f"{name}_drop"][replica, 1], drop, rtol=1e-4, atol=1e-5)


def test_written_answers_are_rollouts_and_their_quality_is_measured() -> None:
    models, _ = half_trained()
    model = first_of(models)
    true = SentenceSet(held_out()[:70].astype(jnp.int16))
    written = eqx.filter_jit(written_answers)(model, true, most=32)
    np.testing.assert_array_equal(written.clauses[:, :7], true.clauses[:, :7])
    rolled = eqx.filter_jit(jax.vmap(partial(rolled_out, model)))(true.clauses.astype(jnp.int32))
    right = np.asarray(rolled.variable & rolled.value)
    quality = label_quality(written, true)
    np.testing.assert_allclose(float(quality["values"]), np.asarray(rolled.value).mean(), rtol=1e-6)
    np.testing.assert_allclose(float(quality["clauses"]), right.mean(), rtol=1e-6)
    np.testing.assert_allclose(float(quality["sentences"]), right.all(axis=1).mean(), rtol=1e-6)
    perfect = label_quality(true, true)
    assert float(perfect["sentences"]) == 1.0
