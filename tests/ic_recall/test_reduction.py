"""Three forms of one model: equal logits, gradients and trajectories; and each refuses what it is not exact for."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lemmata.core import Unattended, UserError, named_key, named_keys, precision
from lemmata.papers.ic_recall.claims.engines import AGREEMENT
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    KeyQuery,
    MemoryTransformer,
    PatternModel,
    associative_memory,
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
    first_accuracy,
    full_key_query,
    log_probability,
    mean_nll,
    orthonormal,
    pattern_logits,
    position_block,
    reduced,
    second_accuracy,
    token_loss,
    whole_transformer,
    with_exact_memory,
)
from lemmata.papers.ic_recall.model.symmetric_pairs import symmetric_pairs
from lemmata.papers.ic_recall.run.agreement import AGREEING, REFUSED, ModelAgreement
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep, ToConvergence, perturb
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss, first_step_loss
from lemmata.papers.ic_recall.task import Affine, AllBijections, RandomBijections, dataset, dataset_of, patterns, stored
from lemmata.train import Autodiff, Descent, GradientDescent, fit_many, only, stack

T = 0.05


@pytest.fixture(scope="module", params=[2, 3])
def engines(request):
    """Dense, exact memory and reduced, with the same random position block, and the same sequences."""
    k = request.param
    with precision("float64"):
        world = RandomBijections(n=8, relations=64).draw(1)
        sequences = world.sequences(12, k, seed=0, name="engines")
        dense = DenseTransformer.constructed(world.table, k, named_key(0, "embeddings"))
        block = jax.random.normal(named_key(0, "block"), (2 * k + 3, 2 * k + 3))
        dense = eqx.tree_at(lambda m: m.key_query.position, dense, block)
        exact = with_exact_memory(dense, world.table)
        yield (
            world,
            sequences,
            dense,
            exact,
            reduced(exact),
            stored(world, sequences).batch,
            dataset_of(world, sequences),
        )


def test_logits_agree(engines):
    world, sequences, dense, exact, small, batch, _ = engines
    with precision("float64"):
        everything = [np.asarray(jax.jit(jax.vmap(model))(batch.tokens)) for model in (dense, exact)]
        first = [logits[:, -2, 16:80] for logits in everything]
        second = [logits[:, -1, 8:16] for logits in everything]
        np.testing.assert_allclose(everything[0], everything[1], atol=1e-12)
        by_pattern, known = np.asarray(small.first_logits()), np.asarray(small.second_logits())
    k = sequences.k
    index = {pattern: i for i, pattern in enumerate(patterns(k))}
    for row in range(len(sequences)):
        context = list(sequences.answers[row, :k])
        for r, relation in enumerate(world.table):
            given = [relation[s] for s in sequences.subjects[row]]
            pattern = tuple((i, context.index(a)) for i, a in enumerate(given) if a in context)
            assert first[0][row, r] == pytest.approx(by_pattern[index[pattern]], abs=1e-12)
        expected = np.full(world.n, known[-1])
        expected[sequences.answers[row]] = known[:-1]
        np.testing.assert_allclose(second[0][row], expected, atol=1e-12)


def test_losses_and_gradients_agree(engines):
    _, _, dense, exact, small, batch, data = engines
    with precision("float64"):

        def by_block(model):
            def loss(block):
                changed = eqx.tree_at(lambda m: m.key_query.position, model, block)
                return sum(token_loss(changed, batch.tokens, batch.targets, T))

            return jax.jit(jax.value_and_grad(loss))(model.key_query.position)

        def by_columns(columns):
            changed = eqx.tree_at(position_block, small, columns)
            return chain_of_thought_loss(changed, FineTuning(data, T), named_key(0, "unused"))

        dense_loss, dense_gradient = by_block(dense)
        exact_loss, exact_gradient = by_block(exact)
        loss, (theta, omega) = jax.jit(jax.value_and_grad(by_columns))((small.theta, small.omega))
        np.testing.assert_allclose([dense_loss, exact_loss], loss, atol=1e-12)
        np.testing.assert_allclose(dense_gradient, exact_gradient, atol=1e-12)
        np.testing.assert_allclose(dense_gradient[:-1, -2], theta, atol=1e-12)
        np.testing.assert_allclose(dense_gradient[:, -1], omega, atol=1e-12)


@pytest.mark.parametrize(
    ("k", "algorithm", "rate", "full"),
    [
        (2, "adam", 1e-3, True),
        (2, "gradient descent", 0.01, False),
        (3, "adam", 1e-3, False),
        (3, "gradient descent", 0.01, True),
    ],
)
def test_trajectories_agree_for_500_steps(k, algorithm, rate, full):
    run = ModelAgreement(k=k, algorithm=algorithm, learning_rate=rate, full=full, steps=500).execute(Unattended())
    differences = [run.metrics[label].max() for label in AGREEING if label in run.metrics]
    assert len(differences) == (3 if full else 2)
    assert max(differences) < AGREEMENT
    if full:
        assert run.metrics[REFUSED[0]].max() > 1e-4


@pytest.mark.parametrize("k", [2, 3])
def test_the_written_gradient_is_that_of_autodiff(k):
    with precision("float64"):
        theta = jax.random.normal(named_key(k, "theta"), (2 * k + 2,))
        world = Affine(n=2**61 - 1).draw() if k == 2 else RandomBijections(n=8, relations=64).draw(0)
        data = dataset(world, 10, k, 0, "gradient")

        def plain(theta, temperature):
            return -data.weights @ log_probability(theta, data.log_counts, temperature, k)

        def ours(theta, temperature):
            return mean_nll(theta, data.log_counts, data.weights, temperature, k)

        def derivatives(loss):
            return jax.jit(lambda *at: (jax.grad(loss)(*at), jax.hessian(loss)(*at), jax.grad(loss, 1)(*at)))

        at = (theta, jnp.asarray(T))
        for found, expected in zip(derivatives(ours)(*at), derivatives(plain)(*at), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("k", [2, 3])
def test_pattern_logits_are_equation_16(k):
    v = np.random.default_rng(0).dirichlet(np.ones(2 * k + 2))
    by_hand = [sum(v[:-1] ** 2) + 2 * sum(v[2 * i] * v[2 * j + 1] for i, j in pattern) for pattern in patterns(k)]
    with precision("float64"):
        np.testing.assert_allclose(pattern_logits(jnp.asarray(v), k), by_hand, atol=1e-15)


def test_the_exact_memory_is_the_construction_on_any_input():
    table = RandomBijections(n=5, relations=7).draw(0).table
    with precision("float64"):
        embeddings = orthonormal(18, 20, named_key(0, "embeddings"))
        x = jax.random.normal(named_key(0, "x"), (18,))
        logits = embeddings @ associative_memory(jnp.asarray(table), embeddings)(x @ embeddings)
        subjects, answers, relations = x[:5], x[5:10], x[10:17]
        parts = (
            exact_subject_logits(jnp.asarray(table), answers, relations),
            exact_answer_logits(jnp.asarray(table), subjects, relations),
            exact_relation_logits(jnp.asarray(table), subjects, answers),
        )
        np.testing.assert_allclose(logits, jnp.concatenate([*parts, jnp.zeros(1)]), atol=1e-11)


def test_accuracy_splits_ties_among_relations():
    with precision("float64"):
        model, data = PatternModel.zeros(2, 3), dataset(AllBijections(n=3).draw(), 1, 2, 0, "ties")
        start = first_accuracy(model, data, T)
        assert float(start.probability) == pytest.approx(1 / 6)
        assert float(start.argmax) == pytest.approx(1 / 6)
        saddle = eqx.tree_at(lambda m: m.theta, model, jnp.array([0.0, 0, 0, 0, -40, -40]))
        assert float(first_accuracy(saddle, data, T).argmax) == pytest.approx(1 / 2)
        paired = eqx.tree_at(lambda m: m.theta, model, jnp.array([0.5, 0.5, 0, 0, -40, -40]))
        assert float(first_accuracy(paired, data, T).argmax) == 1
        assert float(second_accuracy(model, T).argmax) == pytest.approx(1 / 3)


def test_ambiguity_limits_accuracy():
    world = RandomBijections(n=8, relations=64).draw(0)
    with precision("float64"):
        best = eqx.tree_at(lambda m: m.theta, PatternModel.zeros(2, 8), jnp.array([3.0, 3, 2, 2, -30, -30]))
        found = first_accuracy(best, dataset(world, 4000, 2, 0, "test"), 1e-3)
    assert float(found.argmax) == pytest.approx(world.report(2).ceiling, abs=0.03)


def test_a_seed_does_not_feel_its_batch_mates():
    world = RandomBijections(n=8, relations=64).draw(0)
    with precision("float64"):
        algorithm = GradientDescent(first_step_loss, position_block, 0.01)
        tasks = [FineTuning(dataset(world, 8, 2, seed, "train", rows=8), T) for seed in range(3)]
        keys = named_keys(range(3), "noise")

        def train(chosen):
            states = [algorithm.init(PatternModel.zeros(2, 8)) for _ in chosen]
            picked = stack([tasks[i] for i in chosen])
            final, _ = fit_many(algorithm, picked, stack(states), keys[jnp.array(chosen)], steps=60, every=20)
            return np.asarray(final.model.theta)

        together, alone = train([0, 1, 2]), train([1])
    np.testing.assert_array_equal(together[1], alone[0])
    assert (together[0] != together[1]).any()


def test_schedules_and_the_perturbation():
    assert OneLargeStep().steps(0.01) == (1, 4606)
    assert OneLargeStep(c1=2.0).learning_rates(0.01) == pytest.approx((2 * 0.001 * np.log(100), 1e-4))
    assert ToConvergence(c2=3.0).learning_rates(0.1) == pytest.approx((0.01, 0.03))
    assert ToConvergence(perturbation=2.0, delta=float(np.exp(-2))).radius(0.1) == pytest.approx(2 * 1e-3 / 4)
    with precision("float64"):
        model = PatternModel.zeros(2, 3)
        keys = jax.random.split(named_key(0, "push"), 2000)
        moved = perturb(position_block, stack([model] * 2000), jnp.full(2000, 0.5), keys)
        lengths = np.linalg.norm(np.concatenate(position_block(moved), axis=1), axis=1)
        assert lengths.max() <= 0.5
        assert np.mean((lengths / 0.5) ** 13) == pytest.approx(0.5, abs=0.03)  # uniform in a ball of 13 dimensions
        tilted = eqx.tree_at(lambda m: m.theta, model, jnp.arange(6.0))
        np.testing.assert_allclose(symmetric_pairs(tilted).theta, [1, 2, 1, 2, 4, 5])


def test_each_form_refuses_what_it_is_not_exact_for():
    table = RandomBijections(n=4, relations=6).draw(0).table
    with precision("float64"):
        dense = DenseTransformer.constructed(table, 2, named_key(0, "embeddings"))
        exact = with_exact_memory(dense, table)
        trained = eqx.tree_at(lambda m: m.memory.read, dense, dense.memory.read + 0.01)
        skewed = eqx.tree_at(lambda m: m.embeddings, dense, dense.embeddings.at[0].add(0.1))
        looking = eqx.tree_at(lambda m: m.key_query, exact, KeyQuery.split(jnp.ones((22, 22)), 7))
        small = reduced(exact)
        batch = stored(w := RandomBijections(n=4, relations=6).draw(0), w.sequences(2, 2, seed=0, name="x")).batch
        adam = Descent(Autodiff(chain_of_thought_loss), only(full_key_query), optax.adam, 1e-3)
        refused = [
            (lambda: with_exact_memory(trained, table), "differs"),
            (lambda: with_exact_memory(skewed, table), "orthonormal"),
            (lambda: reduced(looking), "position block"),
            (lambda: reduced(dense), "exact memory"),
            (lambda: adam.init(small), "Adam"),
            (lambda: whole_transformer(exact), "no MLP weights"),
            (lambda: whole_transformer(small), "no MLP weights"),
            (lambda: chain_of_thought_loss(small, FineTuning(batch, T), named_key(0, "x")), "pattern counts"),
            (lambda: FineTuning(batch, 0.0), "temperature = 0.0"),
            (lambda: PatternModel.zeros(3, 3), "k + 1 = 4"),
            (lambda: orthonormal(5, 4, named_key(0, "x")), "orthonormal vectors"),
            (lambda: OneLargeStep().learning_rates(1.5), "between 0 and 1"),
            (lambda: ToConvergence(delta=2.0), "delta"),
        ]
        for make, says in refused:
            with pytest.raises(UserError, match=None) as error:
                make()
            assert says in str(error.value)
        assert isinstance(exact, MemoryTransformer)


def test_attention_of_the_trace_is_that_of_the_decoding_steps():
    world = RandomBijections(n=4, relations=6).draw(0)
    with precision("float64"):
        model = DenseTransformer.constructed(world.table, 2, named_key(0, "embeddings"))
        matrix = jax.random.normal(named_key(0, "matrix"), (22, 22))
        model = eqx.tree_at(lambda m: m.key_query, model, KeyQuery.split(matrix, 7))
        tokens = stored(world, world.sequences(1, 2, seed=0, name="x")).batch.tokens[0]
        inside = model.trace(tokens)
        z = np.concatenate([np.eye(7), np.asarray(model.embeddings)[np.asarray(tokens)]], axis=1)
        scores = z[:6] @ np.asarray(matrix) @ z[5]
        by_hand = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
        np.testing.assert_allclose(inside.attention[0, 5, :6], by_hand, atol=1e-12)
        np.testing.assert_allclose(model.key_query.matrix(), matrix)
        np.testing.assert_allclose(inside.logits[5, 8:14], model.relation_logits(tokens), atol=1e-12)
        np.testing.assert_allclose(inside.logits[5, 4:8], model.direct_answer_logits(tokens), atol=1e-12)
