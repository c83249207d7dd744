"""Losses, optimizers and stages: what is trained, what is not, and that noise enters and leaves as it should."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lemmata.core import UserError, named_key
from lemmata.papers.association.model import Transformer, TransformerConfig, block_weights
from lemmata.papers.association.model.truncate import truncate
from lemmata.papers.association.probe.answers import answers
from lemmata.papers.association.probe.held_out import held_out
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import (
    AdamWConfig,
    Batches,
    Descent,
    QueryLoss,
    SGDConfig,
    fit_many,
    losses,
    next_token_loss,
    one_of,
    stack,
)
from lemmata.train.losses import query_positions

TASK = NoisyRecall.create(RecallConfig(symbols=6, length=12))
sample = eqx.filter_jit(lambda key: TASK.sample(16, key=key))
MODEL = Transformer.create(TransformerConfig(vocab=6, length=12, width=8), key=named_key(0, "init"))


def test_the_query_loss_is_the_masked_loss() -> None:
    batch = sample(named_key(0, "batch"))
    losses = [
        jax.jit(
            jax.value_and_grad(lambda blocks, loss=loss: loss(eqx.tree_at(lambda m: m.blocks, MODEL, blocks), batch))
        )
        for loss in (next_token_loss, QueryLoss(TASK.queries))
    ]
    (full, full_gradient), (short, short_gradient) = (loss(MODEL.blocks) for loss in losses)
    np.testing.assert_allclose(short, full, rtol=1e-5)
    for a, b in zip(jax.tree.leaves(full_gradient), jax.tree.leaves(short_gradient), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    logits = np.asarray(jax.jit(jax.vmap(MODEL))(batch.tokens), dtype=float)
    targets = np.asarray(batch.targets)
    nll = [
        np.log(np.exp(logits[b, t]).sum()) - logits[b, t, targets[b, t]]
        for b, t in zip(*np.where(np.asarray(batch.mask)), strict=True)
    ]
    np.testing.assert_allclose(full, np.mean(nll), rtol=1e-5)


@pytest.mark.parametrize("many", [2, 10**6], ids=["either way", "one way"])
def test_the_shorter_way_gives_the_same_numbers(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "MANY_QUERIES", many)
    batch = sample(named_key(0, "batch"))
    most = int(batch.mask.sum(axis=1).max())
    learned, fixed = eqx.partition(MODEL, block_weights(MODEL))
    expected, gradient = jax.jit(lambda *parts: losses.value_and_gradient(*parts))(
        QueryLoss(TASK.queries), learned, fixed, batch
    )
    for queries in (most, 2 * most):  # half of it is too few, half of it is enough
        value, other = jax.jit(lambda *parts: losses.value_and_gradient(*parts))(
            QueryLoss(queries), learned, fixed, batch
        )
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        for a, b in zip(jax.tree.leaves(gradient), jax.tree.leaves(other), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def test_query_positions_hold_every_masked_place_once() -> None:
    mask = jnp.array([[0, 1, 0, 1, 0], [0, 0, 0, 0, 1], [1, 0, 1, 0, 1]], dtype=bool)
    positions, kept = query_positions(mask, 3)
    for row in range(3):
        assert np.asarray(positions[row])[np.asarray(kept[row])].tolist() == np.where(np.asarray(mask[row]))[0].tolist()
        assert len(set(np.asarray(positions[row]).tolist())) == 3
    last, real = query_positions(mask[1:2], 1)
    assert (int(last[0, 0]), bool(real[0, 0])) == (4, True)


def reference_sgd(weights: np.ndarray, gradients: list[np.ndarray], config: SGDConfig) -> np.ndarray:
    """Momentum as Polyak wrote it, decay added to the gradient first, the gradient clipped before both."""
    velocity = np.zeros_like(weights)
    for gradient in gradients:
        norm = np.linalg.norm(gradient)
        clipped = gradient * min(1, config.clip / norm) if config.clip else gradient
        velocity = config.momentum * velocity + clipped + config.weight_decay * weights
        weights = weights - config.rate * velocity
    return weights


@pytest.mark.parametrize("clip", [None, 0.5])
def test_sgd_is_momentum_with_decay_in_the_gradient(clip: float | None) -> None:
    config = SGDConfig(rate=0.1, momentum=0.9, weight_decay=0.01, clip=clip)
    rule = config(config.rate)
    weights = jnp.array([1.0, -2.0, 3.0])
    gradients = [np.array([0.3, 0.1, -0.2]), np.array([2.0, -1.0, 0.5]), np.array([0.0, 0.4, 0.1])]
    memory, now = rule.init(weights), weights
    for gradient in gradients:
        updates, memory = rule.update(jnp.asarray(gradient, dtype=jnp.float32), memory, now)
        now = now + updates
    np.testing.assert_allclose(now, reference_sgd(np.asarray(weights, float), gradients, config), rtol=1e-5)


def test_steps_move_the_blocks_alone_and_depend_on_their_key_alone() -> None:
    algorithm = Descent(Batches(QueryLoss(TASK.queries), 16), block_weights, SGDConfig(), 0.03)
    step = eqx.filter_jit(lambda state, key: algorithm.step(TASK, state, key=key))
    state = algorithm.init(MODEL)
    (first, metrics), (again, _), (other, _) = (step(state, named_key(seed, "step")) for seed in (0, 0, 1))
    for name in ("tokens", "positions", "output"):
        np.testing.assert_array_equal(getattr(first.model, name), getattr(MODEL, name))
    moved = [
        not np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(first.model.blocks), jax.tree.leaves(MODEL.blocks), strict=True)
    ]
    assert all(moved)
    np.testing.assert_array_equal(first.model.blocks[0].key, again.model.blocks[0].key)
    assert not np.array_equal(first.model.blocks[0].key, other.model.blocks[0].key)
    expected = eqx.filter_jit(next_token_loss)(MODEL, sample(named_key(0, "step")))
    np.testing.assert_allclose(metrics["loss"], expected, rtol=1e-5)


def test_clean_then_noisy_is_two_stages() -> None:
    """Appendix B.1 in small: after clean steps no probability is spent on the noise; noisy steps bring it back, and
    the feed-forward layer carries it."""
    config = RecallConfig(symbols=6, length=12)
    noisy = NoisyRecall.create(config)
    model = Transformer.create(TransformerConfig(vocab=6, length=12, width=16, hidden=32), key=named_key(0, "init"))
    algorithm = Descent(Batches(QueryLoss(noisy.queries), 32), block_weights, AdamWConfig(), 1e-2)
    keys = jnp.stack([named_key(0, "data")])
    test = held_out(noisy, 64).clean
    probe = eqx.filter_jit(lambda model: answers(jax.vmap(model)(test.tokens), test, config.noise_token)["noise"])
    state, noise = stack([algorithm.init(model)]), []
    for alpha in (0.0, 0.5):
        world = stack([noisy.with_alpha(alpha)])
        state, _ = fit_many(algorithm, world, state, keys, steps=60, every=60)
        trained = one_of(state.model, 0)
        noise.append(float(probe(trained)))
    assert noise[0] < 0.1
    assert abs(noise[1] - 0.5) < 0.2
    without, _ = truncate(trained, "blocks.1.feed", rank=0)
    assert float(probe(without)) < noise[1]


def test_bad_optimizers_name_their_field() -> None:
    for change, field in (({"rate": 0.0}, "rate"), ({"momentum": 1.0}, "momentum"), ({"clip": -1.0}, "clip")):
        with pytest.raises(UserError, match=f"^{field} = "):
            dataclasses.replace(SGDConfig(), **change)
    with pytest.raises(UserError, match=r"^beta_2 = "):
        AdamWConfig(beta_2=1.0)
