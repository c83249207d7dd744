"""Pre-training data (Section 5): two elements of a fact triplet, in either order; the third is the target."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from lemmata.core import AbstractTask, Batch, to_jax
from lemmata.papers.ic_recall.task.worlds import World


class TripletPairs(AbstractTask):
    """Uniform facts, uniform choice of which element is missing and of the order of the other two."""

    table: Int[Array, "*replica relations n"]

    def __init__(self, world: World):
        self.table = to_jax(world.table, np.int32)

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        m, n = self.table.shape
        subject_key, relation_key, order_key = jax.random.split(key, 3)
        subjects = jax.random.randint(subject_key, (num,), 0, n)
        relations = jax.random.randint(relation_key, (num,), 0, m)
        triplets = jnp.stack([subjects, n + self.table[relations, subjects], 2 * n + relations], axis=1)
        orders = jnp.asarray([(0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
        chosen = orders[jax.random.randint(order_key, (num,), 0, len(orders))]
        shuffled = jnp.take_along_axis(triplets, chosen, axis=1)
        tokens, targets = shuffled[:, :2], shuffled[:, 1:]
        return Batch(tokens, targets, jnp.broadcast_to(jnp.arange(2) == 1, tokens.shape))


def every_pair(table: Int[np.ndarray, "relations n"]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """All questions by what is missing: tokens [question, 2] in both orders, and right[question, vocab]."""
    m, n = table.shape
    relations, subjects = (part.ravel() for part in np.indices((m, n)))
    triplets = np.stack([subjects, n + table.ravel(), 2 * n + relations], axis=1)
    found = {}
    for missing, name in enumerate(("subject", "answer", "relation")):
        given = np.delete(triplets, missing, axis=1)
        questions, which = np.unique(given, axis=0, return_inverse=True)
        right = np.zeros((len(questions), 2 * n + m + 1), bool)
        right[which.ravel(), triplets[:, missing]] = True
        found[name] = np.concatenate([questions, questions[:, ::-1]]), np.concatenate([right, right])
    return found
