"""The same sequences as tokens, for the dense models: subjects, answers, relations, EoS, numbered in this order."""

import jax
import numpy as np
from jaxtyping import Array, Key

from lemmata.core import AbstractTask, Batch, invalid, to_jax
from lemmata.papers.ic_recall.task.sequences import Sequences
from lemmata.papers.ic_recall.task.worlds import World


class StoredSequences(AbstractTask):
    """A fixed fine-tuning set: `batch` is all of it, and a sample draws from it with replacement."""

    batch: Batch

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        rows = jax.random.randint(key, (num,), 0, self.batch.tokens.shape[0])
        return jax.tree.map(lambda array: array[rows], self.batch)


def stored(world: World, sequences: Sequences) -> StoredSequences:
    """Given sequences, the very ones `dataset_of` reduces, as (s_1, a_1, ..., s_{k+1}, EoS, r*).

    The target after EoS is r*, and after r* the query's answer.
    """
    if sequences.relations.dtype == np.dtype(object):
        raise invalid("world.n", world.n, "token sequences need a world small enough to have a table")
    num, n = len(sequences), world.n
    context = np.stack([sequences.subjects, n + sequences.answers], axis=2).reshape(num, -1)[:, :-1]
    end, relation = np.full((num, 1), 2 * n + world.num_relations), (2 * n + sequences.relations)[:, None]
    tokens = np.concatenate([context, end, relation], axis=1)
    targets = np.concatenate([0 * context, relation, n + sequences.answers[:, -1:]], axis=1)
    asked = np.broadcast_to(np.arange(tokens.shape[1]) >= context.shape[1], tokens.shape)
    return StoredSequences(Batch(to_jax(tokens, np.int32), to_jax(targets, np.int32), to_jax(asked)))
