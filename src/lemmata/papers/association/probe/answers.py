"""What a model says after a trigger: how probable and how often the correct and the noise token are (Figures 3, 8,
10-13, 19, 20). Probabilities and loss beside argmax: at alpha = 1/2 the full model's argmax is a coin flip.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Key

from lemmata.papers.association.model import Transformer
from lemmata.papers.association.model.truncate import truncate_compiled
from lemmata.papers.association.task import RecallSample, SyntheticIOI, occurrence
from lemmata.train import stack

EARLIER = 3  # the context has then shown the answer several times over


def queries_of(sample: RecallSample) -> Bool[Array, "batch seq"]:
    """Trigger positions with several earlier occurrences of the same trigger."""
    return (sample.correct >= 0) & (occurrence(sample.tokens) > EARLIER)


def answers(logits: Float[Array, "batch seq vocab"], sample: RecallSample, noise: int) -> dict[str, Float[Array, ""]]:
    """Mean probability of the correct and the noise token after a trigger whose answer was shown several times, the
    loss against the correct one, and how often each of the two is the likeliest token."""
    chosen = queries_of(sample)
    nll = -jax.nn.log_softmax(logits, axis=-1)
    right = jnp.take_along_axis(nll, jnp.maximum(sample.correct, 0)[..., None], axis=-1)[..., 0]
    noisy = nll[..., noise]
    values = {
        "correct": jnp.exp(-right),
        "noise": jnp.exp(-noisy),
        "clean_loss": right,
        "accuracy": (right <= jnp.min(nll, axis=-1)).astype(logits.dtype),
        "noise_fraction": (noisy <= jnp.min(nll, axis=-1)).astype(logits.dtype),
    }
    return {name: jnp.sum(jnp.where(chosen, v, 0)) / jnp.maximum(jnp.sum(chosen), 1) for name, v in values.items()}


def answers_of_edits(edits: dict[str, Any], sample: RecallSample, noise: int) -> dict[str, Float[Array, ""]]:
    def one(model: Any) -> dict[str, Float[Array, ""]]:
        return answers(jax.vmap(model)(sample.tokens), sample, noise)

    return _by_edit(one, edits)


def answers_without_residual(
    edits: dict[str, Transformer], sample: RecallSample, noise: int
) -> dict[str, Float[Array, ""]]:
    """The same where the last layer gives what its attention gathers and nothing else, as the authors' script
    evaluates models without feed-forward layers."""

    def one(model: Transformer) -> dict[str, Float[Array, ""]]:
        places = jnp.broadcast_to(jnp.arange(sample.tokens.shape[-1]), sample.tokens.shape)
        given, mixed = model.last_layer_inputs(sample.tokens, places)
        gathered = model.blocks[-1].after(jnp.zeros_like(given), mixed, model.config.precision)
        return answers(jax.vmap(model.read)(gathered), sample, noise)

    return _by_edit(one, edits)


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

    return _by_edit(one, {rank_name(f): cut.blocks[last].feed for f, cut in zip(fractions, edits, strict=True)})


def rank_name(fraction: float) -> str:
    return f"rank_{fraction:g}"


def ioi_answers(
    edits: dict[str, Any], task: SyntheticIOI, *, key: Key[Array, ""], num: int
) -> dict[str, Float[Array, ""]]:
    """The same at the last position of fresh sequences of synthetic IOI, with the distractor's probability."""
    sample = task.draw(num, key=key)  # its noise is in the drawn answer alone, which is not asked for
    last, rows = jnp.full((num, 1), task.config.length - 1), jnp.arange(num)

    def one(model: Any) -> dict[str, Float[Array, ""]]:
        logits = jax.nn.log_softmax(jax.vmap(model.at)(sample.tokens, last)[:, 0], axis=-1)
        right, wrong = logits[rows, sample.correct], logits[rows, sample.distractor]
        correct, noise = jnp.exp(right).mean(), jnp.exp(logits[:, task.config.noise_token]).mean()
        return {
            "correct": correct,
            "noise": noise,
            "distractor": jnp.exp(wrong).mean(),
            "other": 1 - correct - noise,
            "clean_loss": -right.mean(),
            "accuracy": jnp.mean(jnp.argmax(logits, axis=-1) == sample.correct),
        }

    return _by_edit(one, edits)


def _by_edit(read: Callable[[Any], dict[str, Array]], edits: dict[str, Any]) -> dict[str, Float[Array, ""]]:
    """Readings as "edit.answer"; mapped over the edits, which have one shape: compiling costs one forward pass."""
    found = jax.lax.map(read, stack(list(edits.values())))
    return {f"{edit}.{what}": values[i] for i, edit in enumerate(edits) for what, values in found.items()}
