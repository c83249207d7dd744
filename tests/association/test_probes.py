"""Probes against brute force, on models made by hand and on random ones."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import AbstractModel, Trace, named_key
from lemmata.papers.association.model import Transformer, TransformerConfig
from lemmata.papers.association.model.truncate import truncate
from lemmata.papers.association.probe.answers import answers, ioi_answers, queries_of
from lemmata.papers.association.probe.held_out import answer_shown, held_out
from lemmata.papers.association.probe.snapshot import (
    attention_mass,
    feed_logits,
    feed_margin,
    matching_logits,
    value_logits,
)
from lemmata.papers.association.task import (
    IOIConfig,
    NoisyRecall,
    RecallConfig,
    RecallSample,
    SyntheticIOI,
    transition_rows,
)

CONFIG = RecallConfig(symbols=8, length=24)
TASK = NoisyRecall.create(CONFIG)
jitted = eqx.filter_jit
draw = eqx.filter_jit(lambda key: TASK.draw(16, key=key))


class Copier(AbstractModel):
    """Looks back: all attention from a position on the first place that followed the same token (itself if none), and
    a fixed share of probability on that token, on the noise token, and none elsewhere."""

    share: Float[Array, ""] | float
    noise: int = eqx.field(static=True)
    vocab: int = eqx.field(static=True)

    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        place = jnp.arange(tokens.shape[0])
        before = jnp.concatenate([jnp.full(1, -1, tokens.dtype), tokens[:-1]])
        match = (before[None, :] == tokens[:, None]) & (place[None, :] <= place[:, None])
        target = jnp.where(match.any(axis=1), jnp.argmax(match, axis=1), place)
        attention = jax.nn.one_hot(target, tokens.shape[0])
        copied = jax.nn.one_hot(tokens[target], self.vocab)
        law = self.share * copied + (1 - self.share) * jax.nn.one_hot(self.noise, self.vocab) + 1e-9
        return Trace(attention[None], jnp.zeros((1, tokens.shape[0], 1)), jnp.log(law))

    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        return self.trace(tokens).logits

    def at(self, tokens: Int[Array, " seq"], positions: Int[Array, " query"]) -> Float[Array, "query vocab"]:
        return self(tokens)[positions]


def brute_queries(sample: RecallSample, earlier: int) -> list[tuple[int, int]]:
    tokens = np.asarray(sample.tokens)
    return [
        (b, t)
        for b in range(tokens.shape[0])
        for t in range(tokens.shape[1])
        if tokens[b, t] == 1 and sum(tokens[b, :t] == 1) >= earlier
    ]


def test_queries_are_triggers_with_enough_before_them() -> None:
    sample = draw(named_key(0, "data"))
    chosen = np.asarray(queries_of(sample))
    assert list(zip(*np.where(chosen), strict=True)) == brute_queries(sample, 3)


@jitted
def answers_of(model: Any, sample: RecallSample) -> dict[str, Array]:
    return answers(jax.vmap(model)(sample.tokens), sample, 2)


def test_answers_of_a_model_made_by_hand() -> None:
    found = answers_of(Copier(0.7, 2, 8), held_out(TASK, 64).clean)
    expected = {"correct": 0.7, "noise": 0.3, "clean_loss": -np.log(0.7), "accuracy": 1.0, "noise_fraction": 0.0}
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, atol=1e-5)


def test_answers_by_brute_force() -> None:
    model = Transformer.create(TransformerConfig(vocab=8, length=24, width=8), key=named_key(0, "init"))
    sample = draw(named_key(1, "data"))
    found = answers_of(model, sample)
    logits = np.asarray(jax.jit(jax.vmap(model))(sample.tokens), dtype=float)
    laws = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    output = np.asarray(sample.outputs[:, 0])
    places = brute_queries(sample, 3)
    correct = np.mean([laws[b, t, output[b]] for b, t in places])
    noise = np.mean([laws[b, t, 2] for b, t in places])
    loss = -np.mean([np.log(laws[b, t, output[b]]) for b, t in places])
    np.testing.assert_allclose(
        [found["correct"], found["noise"], found["clean_loss"]], [correct, noise, loss], rtol=1e-4
    )


def test_attention_mass_by_brute_force() -> None:
    sample = draw(named_key(2, "data"))
    for model in (
        Copier(1.0, 2, 8),
        Transformer.create(TransformerConfig(vocab=8, length=24, width=8), key=named_key(0, "i")),
    ):
        found = jitted(attention_mass)(model, sample, 2)
        weights = np.asarray(jax.jit(jax.vmap(lambda z, model=model: model.trace(z).attention[-1]))(sample.tokens))
        tokens, output = np.asarray(sample.tokens), np.asarray(sample.outputs[:, 0])
        on_correct, on_noise = [], []
        for b, t in brute_queries(sample, 3):
            follows = [s for s in range(1, t + 1) if tokens[b, s - 1] == 1]
            on_correct.append(sum(weights[b, t, s] for s in follows if tokens[b, s] == output[b]))
            on_noise.append(sum(weights[b, t, s] for s in follows if tokens[b, s] == 2))
        np.testing.assert_allclose(found["attention_correct"], np.mean(on_correct), rtol=1e-4)
        np.testing.assert_allclose(found["attention_noise"], np.mean(on_noise), rtol=1e-4)
    noisy = jitted(attention_mass)(Copier(1.0, 2, 8), held_out(TASK, 32).noisy, 2)
    np.testing.assert_allclose(noisy["attention_rest"], 0, atol=1e-5)


def test_the_ceiling_is_the_probability_of_an_earlier_trigger() -> None:
    config = RecallConfig(source="uniform", symbols=9, length=12)
    shown = answer_shown(held_out(NoisyRecall.create(config), 20000).clean)
    rows = transition_rows(config)[:, :9]
    free = np.delete(rows, 1, axis=1)  # no trigger before T - 1: one there has no follower of its own
    silent = free[9] @ np.linalg.matrix_power(np.delete(free[:9], 1, axis=0), 9) @ np.ones(8)
    np.testing.assert_allclose(1 - shown, silent, atol=5 * np.sqrt(0.25 / 20000))


def weights_of(array: Any) -> np.ndarray:
    return np.asarray(array, dtype=float)


def test_memories_by_brute_force() -> None:
    config = TransformerConfig(vocab=8, length=24, width=8, feeds=("linear", "mlp"), value_width=5)
    model = Transformer.create(config, key=named_key(0, "init"))
    embed, output = weights_of(model.tokens), weights_of(model.output)
    first, second = model.blocks
    i, j = 3, 6
    feed = weights_of(second.feed.outer) @ np.maximum(embed[i] @ weights_of(second.feed.inner), 0)
    np.testing.assert_allclose(feed_logits(model)[i, j], output[j] @ feed, rtol=1e-4)
    value = weights_of(second.output) @ weights_of(second.value) @ embed[i]
    np.testing.assert_allclose(value_logits(model)[i, j], output[j] @ value, rtol=1e-4)
    carried = weights_of(first.output) @ weights_of(first.value) @ embed[i]
    score = embed[j] @ weights_of(second.key) @ carried / np.sqrt(8)
    np.testing.assert_allclose(matching_logits(model)[i, j], score, rtol=1e-3)
    said = weights_of(feed_logits(model))[1]
    np.testing.assert_allclose(feed_margin(model, 1, 2), said[2] - np.delete(said, 2).max(), rtol=1e-4)
    dropped, _ = truncate(model, "blocks.1.feed", rank=0)
    assert float(feed_margin(dropped, 1, 2)) == 0


def test_ioi_answers_of_a_copier() -> None:
    """A copier of the first follower is right when the odd name comes first: a third of the time."""
    share = 0.25
    task = SyntheticIOI(IOIConfig(symbols=8, length=12, trigger=1))
    scale = jnp.array(share)
    found = jitted(lambda key: ioi_answers({"full": Copier(scale, 8, 9)}, task, key=key, num=2000))(
        named_key(0, "probe")
    )
    np.testing.assert_allclose(found["full.correct"], share / 3, atol=0.05)
    np.testing.assert_allclose(found["full.distractor"], 2 * share / 3, atol=0.05)
    np.testing.assert_allclose(found["full.noise"], 1 - share, atol=1e-5)
