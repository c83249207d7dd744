"""Labels a model writes for itself (equation 9, Definition 5.1), and how many of them are right."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.lego.model import AbstractReasoner, rollout
from lemmata.papers.lego.run.next_clause import SentenceSet


class LabelQuality(eqx.Module):
    """Of a set of written answers, the share that is right."""

    values: Float[Array, ""]  # of all labels, the value
    clauses: Float[Array, ""]  # the variable too
    sentences: Float[Array, ""]  # sentences with every label right


def written_answers(model: AbstractReasoner, sentences: SentenceSet, *, chunk: int = 1000) -> SentenceSet:
    """The same predicates and first answers, all later answers rolled out greedily by `model`."""
    num, clauses, _ = sentences.clauses.shape
    length = (clauses - 1) // 2
    parts = -(-num // chunk)
    padded = jnp.pad(sentences.clauses, ((0, parts * chunk - num), (0, 0), (0, 0)), mode="wrap")

    def some(part: Int[Array, "chunk clauses 5"]) -> Int[Array, "chunk clauses 5"]:
        given = part[:, : length + 1].astype(jnp.int32)
        return jax.vmap(lambda one: rollout(model, one, length))(given).astype(part.dtype)

    written = jax.lax.map(some, padded.reshape(parts, chunk, clauses, 5))
    return SentenceSet(written.reshape(-1, clauses, 5)[:num])


def label_quality(written: SentenceSet, true: SentenceSet) -> LabelQuality:
    """Provenance of a stage's labels: what they would have been."""
    length = (true.clauses.shape[1] - 1) // 2
    same = written.clauses[:, -length:] == true.clauses[:, -length:]
    both = jnp.all(same, axis=-1)
    return LabelQuality(jnp.mean(same[..., 4]), jnp.mean(both), jnp.mean(jnp.all(both, axis=1)))
