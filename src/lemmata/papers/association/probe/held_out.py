"""Test sequences of noisy recall, the same for every seed and record: clean ones to answer, noisy ones to look at."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import named_key
from lemmata.papers.association.task import NoisyRecall, RecallSample


class HeldOut(NamedTuple):
    clean: RecallSample
    noisy: RecallSample


def held_out(task: NoisyRecall, num: int) -> HeldOut:
    # A noise level is a row of the table: one compiled program draws both.
    draw = eqx.filter_jit(lambda task, key: task.draw(num, key=key))
    levels = (("clean", 0.0), ("noisy", task.config.alpha))
    return HeldOut(*(draw(task.with_table_of(alpha), named_key(0, "test", name)) for name, alpha in levels))


def first(sample: RecallSample, num: int) -> RecallSample:
    return jax.tree.map(lambda x: x[:num], sample)


def answer_shown(sample: RecallSample) -> Float[Array, ""]:
    """How often the last trigger's answer occurred before: the ceiling of any prediction at the last position."""
    repeated, ends = sample.tokens[:, :-1] == sample.tokens[:, -1:], sample.correct[:, -1] >= 0
    shown = jnp.any(repeated & (sample.tokens[:, 1:] == sample.correct[:, -1:]), axis=1)
    return jnp.sum(shown & ends) / jnp.maximum(jnp.sum(ends), 1)


def clearest_example(sample: RecallSample, noise: int) -> int:
    """The sequence with the most triggers followed by noise and by the correct token, counting the rarer of the two."""
    tokens, correct = np.asarray(sample.tokens), np.asarray(sample.correct)
    after_trigger = correct[:, :-1] >= 0
    noisy = (after_trigger & (tokens[:, 1:] == noise)).sum(axis=1)
    return int(np.argmax(np.minimum(noisy, after_trigger.sum(axis=1) - noisy)))
