"""The package against plain.py: the same arrays and first weights, 20 steps in float64, every trained parameter."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lemmata.papers.association.model.fast.batched_nll as shortcut
from differences import difference, same_spread
from lemmata.core import named_key, named_keys, precision, to_jax
from lemmata.papers.association import plain
from lemmata.papers.association.model import (
    LinearMemory,
    SimplifiedModel,
    Transformer,
    TransformerConfig,
    batched_nll,
    block_weights,
)
from lemmata.papers.association.model.truncate import decompose
from lemmata.papers.association.probe.answers import answers
from lemmata.papers.association.run.bigram_allocation import allocate
from lemmata.papers.association.run.memory import population_loss, targets
from lemmata.papers.association.run.memory_descent import truncated_losses
from lemmata.papers.association.run.noise_logit import NoiseLogitDescent, _loss
from lemmata.papers.association.run.simplified import masked_batch, sample, theory_task
from lemmata.papers.association.run.simplified_descent import World
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, QueryLoss, SGDConfig, fit, next_token_loss
from lemmata.train.gradient_descent import GradientDescent

STEPS, BATCH = 20, 5
KEY = named_key(0, "data")


def task_of(symbols: int) -> NoisyRecall:
    return NoisyRecall.create(RecallConfig(symbols=symbols, length=12))


def model_of(task: NoisyRecall, **settings: Any) -> Transformer:
    config = TransformerConfig(vocab=task.config.vocab, length=task.config.length, width=8, **settings)
    return Transformer.create(config, key=named_key(0, "init"))


def layer(block: Any, hidden: int | None = None, inner: int | None = None) -> dict[str, jax.Array]:
    """In plain.py's layout; of a padded layer the units that are used."""
    attention = {"W_QK": block.key, "W_V": block.value[:inner], "W_O": block.output[:, :inner]}
    return attention | {"U_in": block.feed.inner.T[:hidden], "U_out": block.feed.outer[:, :hidden]}


def fixed(model: Transformer) -> dict[str, jax.Array]:
    return {"W_E": model.tokens, "p": model.positions, "W_U": model.output}


def plainly(model: Transformer, task: NoisyRecall, weights: plain.Weights) -> plain.Weights:
    state = plain.optimizer.init(weights)
    for number in range(STEPS):
        drawn = task.draw(BATCH, key=jax.random.fold_in(KEY, number))
        kept = plain.loss_positions(np.asarray(drawn.tokens))
        weights, state, _ = plain.step(weights, state, fixed(model), drawn.tokens, drawn.following, kept)
    return weights


def in_package(model: Transformer, task: NoisyRecall, loss: Any) -> Transformer:
    algorithm = Descent(Batches(loss, BATCH), block_weights, SGDConfig(), SGDConfig().rate)
    return fit(algorithm, task, model, KEY, steps=STEPS, every=STEPS)[0]


def assert_equal(found: Any, expected: Any, start: Any) -> None:
    """Each array within 1e-10 of the other's largest entry, after training that has moved it."""
    for one, two, before in zip(*map(jax.tree.leaves, (found, expected, start)), strict=True):
        assert jnp.abs(two - before).max() > 1e-4 * jnp.abs(two).max(), "nothing was trained"
        assert difference(one, two) <= 1e-10


LOSSES: dict[str, Callable[[NoisyRecall], Any]] = {
    "every position": lambda task: next_token_loss,
    "last layer on queried rows": lambda task: QueryLoss(task.queries),
    "the batch at once": lambda task: QueryLoss(task.queries, batched_nll),
}


@pytest.mark.parametrize(
    ("way", "symbols", "few_rows"),
    [
        ("every position", 9, 0),  # more tokens than the width: no projected tables
        ("every position", 6, 0),  # projected tables
        ("last layer on queried rows", 6, 0),
        ("the batch at once", 6, 0),  # in parts
        ("the batch at once", 6, 10**6),
    ],
)
def test_training_of_the_transformer(way: str, symbols: int, few_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortcut, "FEW_ROWS", few_rows)
    with precision("float64"):
        task = task_of(symbols)
        model = model_of(task)
        found = in_package(model, task, LOSSES[way](task))
        start = list(map(layer, model.blocks))
        assert_equal([layer(block) for block in found.blocks], plainly(model, task, start), start)


def test_training_of_padded_layers() -> None:
    """Of Figure 6: units that are zero on both sides stay so, and the others train as if they were alone."""
    hidden, inner = 5, 3
    with precision("float64"):
        task = task_of(6)
        model = allocate(model_of(task, hidden=11, value_width=7), to_jax(hidden), to_jax(inner))
        found = in_package(model, task, next_token_loss)
        start = [layer(block, hidden, inner) for block in model.blocks]
        assert_equal([layer(block, hidden, inner) for block in found.blocks], plainly(model, task, start), start)


def theory_fixed(model: SimplifiedModel) -> dict[str, jax.Array]:
    return {"W_E": model.tokens, "W_prev": model.previous, "W_U": model.output}


def test_descent_of_the_one_layer_model() -> None:
    with precision("float64"):
        config = NoiseLogitDescent(num_tokens=4, length=7, samples=64, batch=64)
        world, model = World(theory_task(config.chain), to_jax(False)), SimplifiedModel.create(5)
        rule = GradientDescent(
            lambda model, world, key: QueryLoss(1)(model, world.batch(64, key)),
            lambda m: (m.attention, m.value, m.feed),
            2.0,
        )
        found, _ = fit(rule, world, model, KEY, steps=STEPS, every=STEPS)
        learned = {"W_QK": model.attention, "W_V": model.value, "W_F": model.feed}
        slope = jax.jit(jax.grad(plain.one_layer_loss))
        for number in range(STEPS):
            batch = masked_batch(world.task, 64, world.exclude, jax.random.fold_in(KEY, number))
            gradient = slope(learned, theory_fixed(model), batch.tokens, batch.targets[:, -1])
            learned = {name: weight - 2.0 * gradient[name] for name, weight in learned.items()}
        start = {"W_QK": model.attention, "W_V": model.value, "W_F": model.feed}
        assert_equal({"W_QK": found.attention, "W_V": found.value, "W_F": found.feed}, learned, start)


def test_descent_on_counted_pairs() -> None:
    """Appendix B.3's run sees (z_{T-1}, y) alone: with W_V = 0 nothing else of a sequence matters."""
    with precision("float64"):
        config, rate = NoiseLogitDescent(num_tokens=4, length=7, samples=64, batch=64), 3.0
        model = SimplifiedModel.create(5, config.seed)
        found, _ = fit(
            GradientDescent(_loss, lambda m: m.feed, rate), config._pairs(), model, KEY, steps=STEPS, every=STEPS
        )
        (key,) = config.batch_keys(config.seed)
        batch = sample(theory_task(config.chain), 64, key)
        learned = {"W_QK": model.attention, "W_V": model.value, "W_F": model.feed}
        slope = jax.jit(jax.grad(plain.one_layer_loss))
        for _ in range(STEPS):
            gradient = slope(learned, theory_fixed(model), batch.tokens, batch.targets[:, -1])
            learned["W_F"] = learned["W_F"] - rate * gradient["W_F"]
        assert_equal(found.feed, learned["W_F"], model.feed)


def test_descent_of_the_linear_memory_and_its_truncation() -> None:
    with precision("float64"):
        keys = named_keys((0,), "init")
        model, rate, alpha = LinearMemory.random(3, 8, key=keys[0]), 3.0, 0.03
        rule = GradientDescent(population_loss, lambda m: m.weight, rate)
        found, rows = fit(
            rule, targets(3, alpha), model, KEY, steps=STEPS, every=1, probe=lambda m, goal, key: {"W": m.weight}
        )
        W = model.weight
        for _ in range(STEPS):
            W = plain.memory_step(W, model.inputs, model.outputs, alpha, rate)
        assert_equal(found.weight, W, model.weight)
        cut = truncated_losses(
            np.asarray(model.inputs)[None], np.asarray(model.outputs)[None], rows["W"][None], (1, 2, 3)
        )
        for k in (1, 2, 3):
            expected = plain.memory_loss(jnp.asarray(plain.of_rank(W, k)), model.inputs, model.outputs, 0.0)
            np.testing.assert_allclose(cut[f"rank_{k}"][0, -1], expected, rtol=1e-10)


def test_data_answers_and_truncation() -> None:
    for one, two in zip(plain.statistics(16), RecallConfig(symbols=16).statistics(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12)
    with precision("float64"):
        task = NoisyRecall.create(RecallConfig(symbols=6, length=40)).with_alpha(0.0)
        drawn, model = task.draw(16, key=KEY), model_of(task)
        assert np.array_equal(plain.loss_positions(np.asarray(drawn.tokens)), task.mask(drawn))
        weights = list(map(layer, model.blocks))
        for rho in (0.0, 0.4, 1.0):
            edited, _ = decompose(model, "blocks.1.feed.inner").truncate(fraction=rho)
            found = answers(jax.vmap(edited)(drawn.tokens), drawn, task.config.noise_token)
            expected = plain.answers(plain.truncated(weights, rho), fixed(model), drawn.tokens, drawn.outputs[:, 0])
            np.testing.assert_allclose([found["correct"], found["noise"]], expected, rtol=1e-9)


def test_plain_draws_the_same_law() -> None:
    """How often each token follows each other one, and the noise follows the trigger, within four standard errors."""
    pi_u, pi_b = plain.statistics(6)
    z, following, y_bar = plain.draw(np.random.default_rng(0), pi_u, pi_b, 0.3, 4000)
    assert (z[:, -1] == plain.Q).all()
    at = plain.loss_positions(z)
    after_trigger, own = following[at], np.broadcast_to(y_bar[:, None], z.shape)[at]
    noise = after_trigger == plain.TAU
    assert abs(noise.mean() - 0.3) < 4 * np.sqrt(0.21 / noise.size)
    assert np.array_equal(after_trigger[~noise], own[~noise])
    inside = z[:, :-2]  # what follows there was drawn, and not put there
    for token in range(6):
        seen = following[:, :-2][inside == token]
        if token != plain.Q:
            shares = np.bincount(seen, minlength=6) / len(seen)
            assert (np.abs(shares - pi_b[token]) < 5 * np.sqrt(pi_b[token] / len(seen)) + 1e-9).all()


def test_it_imports_nothing_of_the_package_and_is_short() -> None:
    text = Path(plain.__file__).read_text()
    assert not re.search(r"^\s*(from|import) (lemmata|equinox)", text, re.MULTILINE)
    assert len(text.splitlines()) <= 300


def test_first_weights_are_drawn_by_the_same_law() -> None:
    weights, kept = plain.first_weights(np.random.default_rng(0))
    config = TransformerConfig(vocab=plain.N, length=plain.T, width=plain.D)
    model = Transformer.create(config, key=named_key(0, "init"))
    for one, block in zip(weights, model.blocks, strict=True):
        for name, expected in layer(block).items():
            same_spread(one[name], expected)
            assert abs(float(jnp.abs(one[name]).max() / jnp.abs(expected).max()) - 1) < 0.01  # both are uniform
    for name, expected in fixed(model).items():
        same_spread(kept[name], expected)
