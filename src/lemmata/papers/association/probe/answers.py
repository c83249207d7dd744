"""What the training runs of noisy recall record: answers of a model and its truncations, attention, and memories."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import named_key
from lemmata.models.truncate import truncate_compiled
from lemmata.papers.association.model import Transformer
from lemmata.papers.association.probe import (
    attention_mass,
    feed_logits,
    matching_logits,
    queries_of,
    value_logits,
)
from lemmata.papers.association.task import NoisyRecall, RecallSample
from lemmata.train import stack


class HeldOut(NamedTuple):
    """Test sequences, the same for every seed and record: clean ones to answer, noisy ones to look at."""

    clean: RecallSample
    noisy: RecallSample


def held_out(task: NoisyRecall, num: int) -> HeldOut:
    # A noise level is a row of the table: one compiled program draws both.
    draw = eqx.filter_jit(lambda table, key: eqx.tree_at(lambda t: t.table, task, table).draw(num, key=key))
    levels = (("clean", 0.0), ("noisy", task.config.alpha))
    return HeldOut(*(draw(task.with_alpha(alpha).table, named_key(0, "test", name)) for name, alpha in levels))


def first(sample: RecallSample, num: int) -> RecallSample:
    return jax.tree.map(lambda x: x[:num], sample)


def answer_shown(sample: RecallSample) -> Float[Array, ""]:
    """How often the last trigger's answer occurred before: the ceiling of any prediction at the last position."""
    asked = sample.tokens[:, :-1] == sample.tokens[:, -1:]
    return jnp.any(asked & (sample.tokens[:, 1:] == sample.correct[:, -1:]), axis=1).mean()


def answers(logits: Float[Array, "batch seq vocab"], sample: RecallSample, noise: int) -> dict[str, Float[Array, ""]]:
    """Mean probability of the correct and the noise token after a trigger whose answer was shown several times, the
    loss against the correct one, and how often each of the two is the likeliest token."""
    chosen = queries_of(sample)
    surprise = -jax.nn.log_softmax(logits, axis=-1)
    right = jnp.take_along_axis(surprise, jnp.maximum(sample.correct, 0)[..., None], axis=-1)[..., 0]
    noisy = surprise[..., noise]
    values = {
        "correct": jnp.exp(-right),
        "noise": jnp.exp(-noisy),
        "clean_loss": right,
        "accuracy": (right <= jnp.min(surprise, axis=-1)).astype(logits.dtype),
        "noise_fraction": (noisy <= jnp.min(surprise, axis=-1)).astype(logits.dtype),
    }
    return {name: jnp.sum(jnp.where(chosen, v, 0)) / jnp.maximum(jnp.sum(chosen), 1) for name, v in values.items()}


def answers_of_edits(edits: dict[str, Any], sample: RecallSample, noise: int) -> dict[str, Float[Array, ""]]:
    """`answers` of models of one shape, as "edit.answer"; mapped, so that compiling costs one forward pass."""

    def one(model: Any) -> dict[str, Float[Array, ""]]:
        return answers(jax.vmap(model)(sample.tokens), sample, noise)

    found = jax.lax.map(one, stack(list(edits.values())))
    return {f"{edit}.{what}": v[i] for i, edit in enumerate(edits) for what, v in found.items()}


def answers_of_ranks(
    model: Transformer, fractions: Sequence[float], sample: RecallSample, noise: int
) -> dict[str, Float[Array, ""]]:
    """`answers` with U_in of the last MLP cut to each fraction of its rank: all that comes before it is shared."""
    last = len(model.blocks) - 1
    dropped = truncate_compiled(model, f"blocks.{last}.feed", (0.0,))[0]
    before = jax.vmap(lambda tokens: dropped.trace(tokens).residuals[-1])(sample.tokens)
    edits = truncate_compiled(model, f"blocks.{last}.feed.inner", fractions)

    def one(feed: Any) -> dict[str, Float[Array, ""]]:
        x = before + feed(before, model.config.precision)
        return answers(jax.vmap(model.read)(x), sample, noise)

    found = jax.lax.map(one, stack([edit.blocks[last].feed for edit in edits]))
    return {f"{rank_name(f)}.{what}": v[i] for i, f in enumerate(fractions) for what, v in found.items()}


def rank_name(fraction: float) -> str:
    return f"rank_{fraction:g}"


def telling_example(sample: RecallSample, noise: int) -> int:
    """The sequence with the most triggers followed by noise and by the correct token, counting the rarer of the two."""
    tokens, correct = np.asarray(sample.tokens), np.asarray(sample.correct)
    after_trigger = correct[:, :-1] >= 0
    noisy = (after_trigger & (tokens[:, 1:] == noise)).sum(axis=1)
    return int(np.argmax(np.minimum(noisy, after_trigger.sum(axis=1) - noisy)))


def portrait(model: Transformer, sample: RecallSample, noise: int, example: int) -> dict[str, Array]:
    """What the drawings show of a model: its attention on the sample (on average, and on one sequence), its weights
    as memories."""
    maps = jax.vmap(lambda one: model.trace(one).attention)(sample.tokens)
    mass = attention_mass(model, sample, noise)
    return {
        "first_attention": jnp.mean(maps[:, 0], axis=0),
        "second_attention": maps[example, 1],
        "feed_logits": feed_logits(model),
        "value_logits": value_logits(model),
        "matching_logits": matching_logits(model),
        "mass": jnp.stack([mass[f"attention_{where}"] for where in ("correct", "noise", "rest")]),
    }


def unstack(models: Any) -> list[Any]:
    """The replicas of a stacked tree, one by one."""
    count = len(jax.tree.leaves(eqx.filter(models, eqx.is_array))[0])
    return [jax.tree.map(lambda x, i=i: x[i] if eqx.is_array(x) else x, models) for i in range(count)]


def joined(rows: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Tables one under another; a column that a table lacks is NaN there."""
    names = list(dict.fromkeys(name for table in rows for name in table))
    return {
        name: np.concatenate([table.get(name, np.full(len(table["seed"]), np.nan)) for table in rows]) for name in names
    }
