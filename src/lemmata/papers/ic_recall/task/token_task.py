"""The same sequences as tokens, for the dense engines: subjects, answers, relations, EoS, numbered in this order."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from lemmata.core import AbstractTask, Batch, invalid
from lemmata.papers.ic_recall.task.sequences import Sequences
from lemmata.papers.ic_recall.task.worlds import World


def token_batch(
    relations: Int[Array, " num"],
    subjects: Int[Array, "num examples"],
    answers: Int[Array, "num examples"],
    n: int,
    m: int,
) -> Batch:
    """(s_1, a_1, ..., s_{k+1}, EoS, r*): the target after EoS is r*, and after r* the query's answer."""
    num, examples = subjects.shape
    context = jnp.stack([subjects, n + answers], axis=2).reshape(num, 2 * examples)[:, :-1]
    end = jnp.full((num, 1), 2 * n + m, context.dtype)
    relation = (2 * n + relations).astype(context.dtype)[:, None]
    tokens = jnp.concatenate([context, end, relation], axis=1)
    blank = jnp.zeros((num, 2 * examples - 1), context.dtype)
    targets = jnp.concatenate([blank, relation, n + answers[:, -1:]], axis=1)
    mask = jnp.broadcast_to(jnp.arange(2 * examples + 1) >= 2 * examples - 1, tokens.shape)
    return Batch(tokens, targets, mask)


class StoredSequences(AbstractTask):
    """A fixed fine-tuning set: `batch` is all of it, and a sample draws from it with replacement."""

    batch: Batch

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        rows = jax.random.randint(key, (num,), 0, self.batch.tokens.shape[0])
        return jax.tree.map(lambda array: array[rows], self.batch)


def stored(world: World, sequences: Sequences) -> StoredSequences:
    """Given sequences as tokens: the very ones `dataset_of` reduces."""
    if sequences.relations.dtype == np.dtype(object):
        raise invalid("world.n", world.n, "token sequences need a world small enough to have a table")
    relations, subjects, answers = (
        jnp.asarray(part, jnp.int32) for part in (sequences.relations, sequences.subjects, sequences.answers)
    )
    return StoredSequences(token_batch(relations, subjects, answers, world.n, world.num_relations))
