"""The paper in one plain file, and every exact shortcut equal to it: the same arrays, the same start, float64, each
trained parameter after twenty steps."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from differences import difference
from lemmata.core import named_key, precision
from lemmata.papers.ic_recall import plain
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    KeyQuery,
    PatternModel,
    full_key_query,
    position_block,
    recalled,
    reduced,
    whole_transformer,
    with_exact_memory,
)
from lemmata.papers.ic_recall.run.adam_fine_tuning import loss_from_counts, tokens_and_counts
from lemmata.papers.ic_recall.run.algorithm_1 import descend
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, chain_of_thought_loss
from lemmata.papers.ic_recall.run.pretraining import pair_loss, recalled_loss
from lemmata.papers.ic_recall.task import Affine, RandomBijections, TripletPairs, dataset_of, stored
from lemmata.train import Autodiff, Descent, fit, only, stack, unstack

STEPS, LEARNING_RATE, T = 20, 0.01, 0.1
WORLDS = {"random": RandomBijections(n=5, relations=12).draw(0), "affine": Affine(n=5).draw()}
Loss = Callable[..., Any]


@pytest.fixture(autouse=True)
def _float64() -> Iterator[None]:
    with precision("float64"):
        yield


def _model(world: str, k: int, *, tokens_too: bool) -> DenseTransformer:
    """The constructed memory with random W^KQ: of the position block alone, or all of it."""
    table = np.asarray(WORLDS[world].table)
    dense = DenseTransformer.constructed(table, k, named_key(0, "embeddings"))
    matrix = 0.3 * jax.random.normal(named_key(0, "start"), dense.key_query.matrix().shape)
    start = KeyQuery.split(matrix, 2 * k + 3)
    if not tokens_too:
        start = eqx.tree_at(
            lambda one: one.position, KeyQuery.zeros(2 * k + 3, dense.embeddings.shape[1]), start.position
        )
    return eqx.tree_at(lambda m: m.key_query, dense, start)


def _arrays(model: DenseTransformer, batch: Any) -> tuple[Any, ...]:
    """W, V, phi and data, as plain.py takes them."""
    return model.memory.read.T, model.memory.write.T, model.embeddings, (batch.tokens, batch.targets[:, -1])


def _plain_loss(model: DenseTransformer, batch: Any, temperature: float = T) -> Callable[[jax.Array], jax.Array]:
    arrays = _arrays(model, batch)
    return lambda W_KQ: plain.loss(W_KQ, *arrays, model.vocabulary.n, temperature)


def _lifted(model: Any, start: jax.Array) -> jax.Array:
    """The whole W^KQ of a trained model; a reduced one has two columns of it."""
    if not isinstance(model, PatternModel):
        return model.key_query.matrix()
    eos = len(model.theta) - 1
    return start.at[: eos + 1, eos].set(model.theta).at[: eos + 2, eos + 1].set(model.omega)


def _seen(matrix: jax.Array, k: int) -> jax.Array:
    """theta and omega: of the position block what the loss sees."""
    return jnp.concatenate([matrix[: 2 * k + 2, 2 * k + 1], matrix[: 2 * k + 3, 2 * k + 2]])


def _equal(found: Any, expected: Any, start: Any) -> None:
    for one, other, before in zip(*map(jax.tree.leaves, (found, expected, start)), strict=True):
        largest = float(jnp.abs(other).max())
        assert float(jnp.abs(other - before).max()) > 1e-3 * largest  # it was trained
        assert difference(one, other) <= 1e-10


def _trained(model: Any, task: Any, loss: Loss, where: Callable[[Any], Any]) -> Any:
    algorithm = Descent(Autodiff(loss), only(where), optax.adam, LEARNING_RATE)
    return fit(algorithm, task, model, named_key(0, "unused"), steps=STEPS, every=STEPS)[0]


FULL = {
    "dense": (lambda model, world: model, chain_of_thought_loss, lambda world, shown: stored(world, shown).batch),
    "exact memory": (
        lambda model, world: with_exact_memory(model, np.asarray(world.table)),
        chain_of_thought_loss,
        lambda world, shown: stored(world, shown).batch,
    ),
    "pattern counts": (
        lambda model, world: with_exact_memory(model, np.asarray(world.table)),
        loss_from_counts,
        lambda world, shown: tokens_and_counts(world, shown, len(shown)),
    ),
}


@pytest.mark.parametrize(("form", "k"), [*((form, 2) for form in FULL), ("pattern counts", 3)])
def test_all_of_the_key_query_matrix_by_adam(form: str, k: int) -> None:
    world, model = WORLDS["random"], _model("random", k, tokens_too=True)
    shown = world.sequences(10, k, seed=0, name="train")
    made, loss, data = FULL[form]
    found = _trained(made(model, world), FineTuning(data(world, shown), T), loss, full_key_query)
    start, how = model.key_query.matrix(), (optax.adam(LEARNING_RATE), STEPS)
    expected = plain.fine_tune(_plain_loss(model, stored(world, shown).batch), start, *how)
    _equal(_lifted(found, start), expected, start)


@pytest.mark.parametrize(("world", "k"), [("random", 2), ("random", 3), ("affine", 2)])
def test_the_position_block_by_adam_and_reduced(world: str, k: int) -> None:
    drawn, model = WORLDS[world], _model(world, k, tokens_too=False)
    shown = drawn.sequences(10, k, seed=0, name="train")
    batch, start = stored(drawn, shown).batch, model.key_query.matrix()
    expected = plain.fine_tune(_plain_loss(model, batch), start, optax.adam(LEARNING_RATE), STEPS, 2 * k + 3)
    dense = _trained(model, FineTuning(batch, T), chain_of_thought_loss, position_block)
    _equal(_lifted(dense, start), expected, start)
    small = reduced(with_exact_memory(model, np.asarray(drawn.table)))
    small = _trained(small, FineTuning(dataset_of(drawn, shown), T), chain_of_thought_loss, position_block)
    _equal(_seen(_lifted(small, start), k), _seen(expected, k), _seen(start, k))


def test_algorithm_1_at_two_temperatures_at_once() -> None:
    k, temperatures, world = 2, (0.1, 0.15), WORLDS["random"]
    model = _model("random", k, tokens_too=False)
    shown = world.sequences(10, k, seed=0, name="train")
    batch, start = stored(world, shown).batch, model.key_query.matrix()
    xi = plain.uniform_ball(4 * k + 5, 1e-2, np.random.default_rng(0))
    small = reduced(with_exact_memory(model, np.asarray(world.table)))
    task = stack([FineTuning(dataset_of(world, shown), one) for one in temperatures])
    first, second = (np.array([factor * one**2 for one in temperatures]) for factor in (10.0, 5.0))
    both, _ = descend(chain_of_thought_loss, position_block, task, stack([small] * 2), first, (STEPS,))
    moved = eqx.tree_at(
        lambda m: (m.theta, m.omega), both, (both.theta + xi[: 2 * k + 2], both.omega + xi[2 * k + 2 :])
    )
    ends, _ = descend(chain_of_thought_loss, position_block, task, moved, second, (STEPS,))
    for i, (settled, final) in enumerate(zip(unstack(both), unstack(ends), strict=True)):
        loss = _plain_loss(model, batch, temperatures[i])
        expected = plain.algorithm_1(loss, start, k, float(first[i]), float(second[i]), STEPS, STEPS, xi)
        for one, other in zip((settled, final), expected, strict=True):
            _equal(_seen(_lifted(one, start), k), _seen(other, k), _seen(start, k))


def test_pre_training_and_fine_tuning_with_the_trained_memory_frozen() -> None:
    k, world = 2, WORLDS["random"]
    model = DenseTransformer.untrained(world.n, world.num_relations, k, 24, named_key(0, "init"))
    batch, phi = TripletPairs(world).sample(40, key=named_key(0, "pairs")), model.embeddings
    before = model.key_query.matrix(), model.memory.read.T, model.memory.write.T
    how = optax.adam(LEARNING_RATE), STEPS
    expected = plain.fine_tune(
        lambda weights: plain.pretraining_loss(*weights, phi, batch.tokens, batch.targets[:, 1]), before, *how
    )
    model = _trained(model, batch, lambda model, batch, key: pair_loss(model, batch), whole_transformer)
    after = model.key_query.matrix(), model.memory.read.T, model.memory.write.T
    _equal(after, expected, before)
    shown = stored(world, world.sequences(10, k, seed=0, name="train")).batch
    tuned = plain.fine_tune(_plain_loss(model, shown), after[0], *how)
    forms = recalled(model, shown.tokens, shown.targets)
    _equal(_trained(model, FineTuning(forms, T), recalled_loss, full_key_query).key_query.matrix(), tuned, after[0])


def test_its_memory_and_sequences_are_the_package_s() -> None:
    world, model = WORLDS["random"], _model("random", 2, tokens_too=False)
    W, V = plain.associative_memory(np.asarray(world.table), model.embeddings)
    for ours, theirs in ((W, model.memory.read.T), (V, model.memory.write.T)):
        rows = [np.array(sorted(np.round(np.asarray(one), 9).tolist())) for one in (ours, theirs)]
        np.testing.assert_allclose(*rows, atol=1e-8)
    rng = np.random.default_rng(0)
    tokens, answers = plain.draw_sequences(np.asarray(world.table), 50, 2, rng)
    subjects, given, relations = tokens[:, :-2:2], tokens[:, 1:-2:2] - world.n, tokens[:, -1] - 2 * world.n
    np.testing.assert_array_equal(world.table[relations[:, None], subjects[:, :2]], given)
    np.testing.assert_array_equal(world.table[relations, subjects[:, 2]] + world.n, answers)
    assert len(np.unique(plain.every_bijection(4), axis=0)) == 24


def test_it_imports_nothing_of_lemmata() -> None:
    hidden = "import sys; sys.modules['lemmata'] = None; import runpy; runpy.run_path(sys.argv[1])"
    subprocess.run([sys.executable, "-c", hidden, plain.__file__], check=True)
