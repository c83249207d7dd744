"""Training experiments of ic-recall: Algorithm 1, Adam fine-tuning, pre-training; against the exact models."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import Batch, Unattended, UserError, named_key, precision
from lemmata.core.config import decode, encode
from lemmata.papers.ic_recall.claims._pattern_shape import Attention
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    KeyQuery,
    MemoryTransformer,
    PatternModel,
    decoding_from_counts,
    nlls_from_counts,
    position_block,
    token_loss,
)
from lemmata.papers.ic_recall.model.symmetric_pairs import symmetric_pairs
from lemmata.papers.ic_recall.run.adam_fine_tuning import AdamFineTuning
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep, ToConvergence, algorithm_1, descend
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature
from lemmata.papers.ic_recall.run.pretraining import PretrainThenFineTune
from lemmata.papers.ic_recall.run.regime import WhichBlockLearns
from lemmata.papers.ic_recall.run.sequences_needed import SequencesNeeded
from lemmata.papers.ic_recall.run.short_schedule import second_log_error
from lemmata.papers.ic_recall.run.short_schedule_run import ShortScheduleRun
from lemmata.papers.ic_recall.task import (
    Affine,
    RandomBijections,
    Sequences,
    TripletPairs,
    correct_pattern,
    dataset,
    every_pair,
    stored,
)
from lemmata.train import stack

WORLD = RandomBijections(n=6, relations=12)


def _random_transformer(k: int, seed: int) -> tuple[MemoryTransformer, DenseTransformer]:
    table = WORLD.draw(seed).table
    key = named_key(seed, "embeddings")
    dense, exact = DenseTransformer.constructed(table, k, key), MemoryTransformer.constructed(table, k, key)
    size = 2 * WORLD.n + WORLD.relations + 1
    weights = KeyQuery.split(0.5 * jax.random.normal(named_key(seed, "w"), (2 * k + 3 + size,) * 2), 2 * k + 3)
    return _with(exact, weights), _with(dense, weights)


def _test_set(seed: int, num: int, k: int) -> tuple[Sequences, Batch, jax.Array]:
    world = WORLD.draw(seed)
    sequences = world.sequences(num, k, seed=seed, name="test")
    return sequences, stored(world, sequences).batch, jnp.log(jnp.asarray(world.counts(sequences)))


def _with(model: Any, weights: KeyQuery) -> Any:
    return eqx.tree_at(lambda m: m.key_query, model, weights)


@pytest.mark.parametrize("k", [2, 3])
def test_losses_from_counts_equal_the_exact_memory_in_value_and_gradient(k: int):
    with precision("float64"):
        exact, dense = _random_transformer(k, 1)
        _, batch, log_counts = _test_set(1, 9, k)

        def counted(key_query):
            first, second = nlls_from_counts(_with(exact, key_query), batch.tokens, log_counts, 0.1)
            return first.mean() + 2 * second.mean()

        def tokens(key_query, model):
            first, second = token_loss(_with(model, key_query), batch.tokens, batch.targets, 0.1)
            return first + 2 * second

        value, gradient = jax.jit(jax.value_and_grad(counted))(exact.key_query)
        for model in (exact, dense) if k == 2 else (exact,):
            other, slope = jax.jit(jax.value_and_grad(lambda kq, m=model: tokens(kq, m)))(exact.key_query)
            assert abs(value - other) < 1e-11
            assert jnp.abs(gradient.matrix() - slope.matrix()).max() < 1e-10


def test_counted_decoding_is_argmax_decoding():
    with precision("float64"):
        exact, _ = _random_transformer(2, 2)
        sequences, batch, log_counts = _test_set(2, 200, 2)
        relation, answer = decoding_from_counts(exact, batch.tokens, log_counts)
        logits = np.asarray(jax.vmap(exact.relation_logits)(batch.tokens))
        truth = logits[np.arange(200), sequences.relations][:, None]
        tied = np.abs(logits - logits.max(axis=1, keepdims=True)) < 1e-12
        expected = np.where(truth[:, 0] >= logits.max(axis=1) - 1e-12, 1 / tied.sum(axis=1), 0)
        assert np.allclose(relation, expected)
        guesses = np.asarray(jax.vmap(exact.answer_logits)(batch.tokens)).argmax(axis=1)
        assert np.array_equal(np.asarray(answer), guesses == sequences.answers[:, -1])
        assert 0 < np.mean(np.asarray(relation)) < 1
        assert 0 < np.mean(np.asarray(answer)) < 1
        assert (log_counts[:, correct_pattern(2)] >= 0).all()


def _two_replicas() -> tuple[FineTuning, PatternModel]:
    world = Affine(n=31, subgroup=10).draw()
    temperatures = (0.01, 0.02)
    task = stack([FineTuning(dataset(world, 8, 2, seed, "train", 16), t) for seed, t in enumerate(temperatures)])
    return task, stack([PatternModel.zeros(2, 31)] * 2)


def test_descent_is_gradient_descent_however_it_is_recorded():
    with precision("float64"):
        task, models = _two_replicas()
        rates = np.array([1e-3, 2e-3])
        even, rows = descend(chain_of_thought_loss, position_block, task, models, rates, (10, 20, 30, 40))
        uneven, few = descend(chain_of_thought_loss, position_block, task, models, rates, (1, 3, 40))

        def by_hand(model: PatternModel, task: FineTuning, rate: jax.Array) -> PatternModel:
            def step(_: jax.Array, model: PatternModel) -> PatternModel:
                slope = jax.grad(chain_of_thought_loss)(model, task, named_key(0, "unused"))
                moved = (model.theta - rate * slope.theta, model.omega - rate * slope.omega)
                return eqx.tree_at(position_block, model, moved)

            return jax.lax.fori_loop(0, 40, step, model)

        expected = eqx.filter_vmap(by_hand)(models, task, jnp.asarray(rates))
    np.testing.assert_allclose(np.asarray(even.theta), np.asarray(expected.theta), rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.asarray(even.omega), np.asarray(expected.omega), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(np.asarray(even.theta), np.asarray(uneven.theta))
    assert np.abs(np.asarray(even.theta)).max() > 1e-3
    assert rows.steps.tolist() == [0, 10, 20, 30, 40]
    assert few.steps.tolist() == [0, 1, 3, 40]
    assert rows["loss"].shape == (2, 5)
    np.testing.assert_array_equal(rows["loss"][:, [0, -1]], few["loss"][:, [0, -1]])


def test_algorithm_1_stays_at_the_saddle_until_it_is_perturbed():
    with precision("float64"):
        task, models = _two_replicas()
        keys = jnp.stack([named_key(seed, "perturbation") for seed in range(2)])
        schedule = ToConvergence(c1=30.0, c2=30.0, steps1=500, steps2=3000)
        found = algorithm_1(
            chain_of_thought_loss, position_block, schedule, task, models, keys, project=(symmetric_pairs, None)
        )
    theta, final = np.asarray(found.settled.theta), np.asarray(found.final.theta)
    np.testing.assert_array_equal(theta[:, :2], theta[:, 2:4])
    assert (np.abs(final[:, :2] - final[:, 2:4]) > 0.1).all()
    assert found.stage1.steps.tolist() == [0, 500]
    assert (found.stage2["loss"][:, -1] < found.stage1["loss"][:, -1]).all()


def test_short_schedule_solves_the_warm_up_and_is_stuck_without_the_perturbation():
    run = ShortScheduleRun(sizes=(3,), seeds=(0, 1), sequences=4, records=4)
    perturbed = run.execute(Unattended())
    worst = np.asarray(perturbed.metrics["first_worst"]).reshape(2, -1)
    assert (worst[:, -1] > 0.999).all()
    assert np.allclose(worst[:, 1], 0.5, atol=1e-3)  # after stage 1: r_1 or r_2
    stuck = ShortScheduleRun(sizes=(3,), seeds=(0, 1), sequences=4, records=4, stage2="symmetric").execute(Unattended())
    assert (np.asarray(stuck.metrics["first_worst"]).reshape(2, -1)[:, -1] <= 0.5 + 1e-9).all()
    v = perturbed.arrays["attention"][0, :, -1]
    assert ((v[:, 0] - v[:, 2]) * (v[:, 1] - v[:, 3]) > 0).all()


def test_a_seed_does_not_depend_on_its_neighbours():
    both = ShortScheduleRun(sizes=(7,), index=3, seeds=(0, 1), sequences=8, records=2).execute(Unattended())
    alone = ShortScheduleRun(sizes=(7,), index=3, seeds=(1,), sequences=8, records=2).execute(Unattended())
    ours = np.asarray(both.metrics["first_worst"])[np.asarray(both.metrics["seed"]) == 1]
    assert np.allclose(ours, alone.metrics["first_worst"], rtol=1e-9)


def test_second_log_error_has_no_cancellation():
    with precision("float64"):
        model = PatternModel(jnp.zeros(6), jnp.zeros(7).at[4].set(3.0), jnp.asarray(4.0), 2)
        logits = np.asarray(model.second_logits())
        for temperature in (0.5, 0.05):
            weights = np.exp((logits - logits[2]) / temperature) * np.array([1, 1, 1, 4])
            expected = np.log(np.delete(weights, 2).sum() / weights.sum())
            assert np.isclose(second_log_error(model, jnp.asarray(temperature)), expected, rtol=1e-9)
        assert second_log_error(model, jnp.asarray(1e-3)) < -500


def test_adam_on_the_position_block_finds_pairs_and_full_training_overfits_few_sequences():
    world = RandomBijections(n=8, relations=64)
    block = AdamFineTuning(world=world, sequences=(16,), steps=2000, records=1).execute(Unattended())
    shape = Attention(*(block.arrays[name][:, -1] for name in ("first_attention", "second_attention")))
    assert shape.within_over_between().max() < 0.25
    assert np.asarray(block.metrics["first_argmax"])[-1] > 0.98 * np.asarray(block.metrics["ceiling"])[-1]
    full = AdamFineTuning(world=world, sequences=(2,), steps=100, records=1, trained="full W^KQ", test_sequences=300)
    accuracy = full.execute(Unattended()).metrics
    assert np.asarray(accuracy["first_argmax"])[-1] < 0.8 * np.asarray(accuracy["ceiling"])[-1]


def test_shape_numbers():
    first = np.array([[0.1, 0.1, 0.4, 0.38, 0.01, 0.01], [1 / 6] * 6])
    second = np.array([[0.1, 0.1, 0.1, 0.1, 0.3, 0.2, 0.1], [1 / 7] * 7])
    shape = Attention(first, second)
    assert np.isclose(shape.within_over_between()[0], 0.02 / 0.29)
    assert shape.within_over_between()[1] == np.inf
    assert np.allclose(shape.outside(), [0.02, 1 / 3])
    assert np.allclose(shape.lead(over_eos=True), [1.5, 1.0])
    assert np.allclose(shape.lead(over_eos=False), [3.0, 1.0])
    assert np.allclose(shape.eos_over_answers(), [2.0, 1.0])


def test_pretraining_pairs_are_facts_and_every_question_is_listed():
    world = WORLD.draw(0)
    n, m = WORLD.n, WORLD.relations
    questions = every_pair(world.table)
    assert {name: len(tokens) for name, (tokens, _) in questions.items()}["answer"] == 2 * n * m
    lookup = {
        (*tokens, int(answer))
        for tokens, right in questions.values()
        for tokens, row in zip(tokens.tolist(), right, strict=True)
        for answer in np.flatnonzero(row)
    }
    batch = TripletPairs(world).sample(200, key=named_key(0, "pairs"))
    for tokens, targets in zip(np.asarray(batch.tokens), np.asarray(batch.targets), strict=True):
        assert (*tokens.tolist(), int(targets[1])) in lookup
    assert len(np.unique(np.asarray(batch.targets)[:, 1] // n)) > 1


def test_pretraining_stores_the_facts_of_a_small_world():
    run = PretrainThenFineTune(
        world=RandomBijections(n=4, relations=6),
        hidden=64,
        batch=128,
        pretrain_steps=800,
        sequences=16,
        steps=20,
        records=2,
    )
    metrics = run.execute(Unattended()).metrics
    for name in ("subject", "answer", "relation"):
        assert np.asarray(metrics[f"recalled_{name}"])[0] == 1.0
        assert np.asarray(metrics[f"untrained_{name}"])[0] < 0.6


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: AdamFineTuning(world=WORLD, temperature=0.0), "temperature"),
        (lambda: AdamFineTuning(world=WORLD, temperature=-1.0), "temperature"),
        (lambda: AdamFineTuning(world=RandomBijections(n=3, relations=4), k=3), "k"),
        (lambda: AdamFineTuning(world=RandomBijections(n=3, relations=7)), "relations"),
        (lambda: AdamFineTuning(world=WORLD, steps=7, records=2), "steps"),
        (lambda: PretrainThenFineTune(world=WORLD, temperature=0.0), "temperature"),
        (lambda: PretrainThenFineTune(world=WORLD, k=6), "k"),
        (lambda: ShortScheduleRun(sizes=(9,)), "n"),
        (lambda: ShortScheduleRun(sizes=(11,), index=3), "index"),
        (lambda: ShortScheduleRun(sizes=(7,), constant=0.0), "constant"),
        (lambda: SequencesNeeded(sizes=(7,), sequences=()), "sequences"),
        (lambda: ShortScheduleRun(sizes=(7,), constant=2.0), "constant"),
        (lambda: LowTemperature(temperatures=(1e-9,)), "temperatures"),
        (lambda: OneLargeStep(c1=-1.0), "c1"),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(make, named):
    with pytest.raises(UserError) as caught:
        make()
    assert str(caught.value).startswith(f"{named} = ")
    assert "\n" not in str(caught.value)


def test_configs_survive_json():
    for config in (
        AdamFineTuning(world=WORLD, sequences=(1, 2)),
        PretrainThenFineTune(world=WORLD),
        ShortScheduleRun(sizes=(7, 2**61 - 1)),
        SequencesNeeded(seeds=(0, 1)),
    ):
        assert decode(type(config), encode(config)) == config


def test_gradient_descent_does_not_see_the_width_and_adam_does():
    shared = {"sequences": (4,), "seeds": (0,), "steps": 60, "test_sequences": 100}
    descent = WhichBlockLearns(rule="gradient descent", learning_rate=0.3, **shared).execute(Unattended()).metrics
    adam = WhichBlockLearns(**shared).execute(Unattended()).metrics
    assert descent["second"][0] == descent["second"][1] == 1
    assert adam["second"].max() < 0.95
