"""The batch at once against one sequence at a time: the loss, its gradient and a whole short training, in float64."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lemmata.papers.association.model.fast.batched_nll as shortcut
from lemmata.core import named_key, precision
from lemmata.papers.association.model import Transformer, TransformerConfig, block_weights
from lemmata.papers.association.model.fast.batched_nll import batched_nll
from lemmata.papers.association.task import NoisyRecall, RecallConfig
from lemmata.train import Batches, Descent, QueryLoss, SGDConfig, fit
from lemmata.train.losses import nll_by_sequence, value_and_gradient

FEEDS = {"two MLPs": ("mlp", "mlp"), "a linear one": ("mlp", "linear"), "none at the end": ("linear", "mlp", "none")}


def model_with(feeds: tuple, length: int) -> Transformer:
    config = TransformerConfig(vocab=6, length=length, width=8, feeds=feeds, hidden=12)
    return Transformer.create(config, key=named_key(0, "init"))


@pytest.mark.parametrize("feeds", FEEDS.values(), ids=FEEDS)
@pytest.mark.parametrize("few", [0, 10**6], ids=["in parts", "at once"])
def test_loss_and_gradient(feeds: tuple, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortcut, "FEW_ROWS", few)
    with precision("float64"):
        task = NoisyRecall.create(RecallConfig(symbols=6, length=13))
        batch = task.sample(7, key=named_key(0, "batch"))
        learned, fixed = eqx.partition(model := model_with(feeds, 13), block_weights(model))
        losses = [QueryLoss(task.queries, one) for one in (nll_by_sequence, batched_nll)]
        (a, slope), (b, other) = (
            jax.jit(lambda part, loss=loss: value_and_gradient(loss, part, fixed, batch))(learned) for loss in losses
        )
        assert a.dtype == b.dtype == jnp.float64
        np.testing.assert_allclose(a, b, rtol=1e-12)
        np.testing.assert_allclose(losses[1](model, batch), a, rtol=1e-12)  # without a derivative
        for one, two in zip(jax.tree.leaves(slope), jax.tree.leaves(other), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-13)


def test_every_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """None, one, a part of them exactly, one more, all."""
    monkeypatch.setattr(shortcut, "FEW_ROWS", 0)
    with precision("float64"):
        model = model_with(("mlp", "mlp"), 9)
        tokens = jax.random.randint(named_key(0, "tokens"), (5, 9), 0, 6)
        positions = jnp.broadcast_to(jnp.arange(9), (5, 9))
        losses = [
            jax.jit(
                jax.value_and_grad(
                    lambda blocks, kept, way=way: way(
                        eqx.tree_at(lambda m: m.blocks, model, blocks), tokens, positions, tokens, kept
                    )
                )
            )
            for way in (nll_by_sequence, batched_nll)
        ]
        for count in (0, 1, 6, 7, 45):
            kept = jax.random.permutation(named_key(count, "kept"), jnp.arange(45) < count).reshape(5, 9)
            (a, slope), (b, other) = (loss(model.blocks, kept) for loss in losses)
            np.testing.assert_allclose(a, b, rtol=1e-12)
            for one, two in zip(jax.tree.leaves(slope), jax.tree.leaves(other), strict=True):
                np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-13)


def test_a_whole_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortcut, "FEW_ROWS", 0)
    with precision("float64"):
        task, ends = NoisyRecall.create(RecallConfig(symbols=6, length=12)), []
        for way in (nll_by_sequence, batched_nll):
            objective = Batches(QueryLoss(task.queries, way), 8)
            algorithm = Descent(objective, block_weights, SGDConfig(), 0.03)
            model = model_with(("mlp", "mlp"), 12)
            ends.append(fit(algorithm, task, model, named_key(0, "data"), steps=40, every=40))
        (plain, by_sequence), (fast, at_once) = ends
        np.testing.assert_allclose(by_sequence["loss"], at_once["loss"], rtol=1e-10)
        for one, two in zip(jax.tree.leaves(plain.blocks), jax.tree.leaves(fast.blocks), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-11)
