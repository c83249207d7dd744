"""Final answers of greedy rollouts: what section 7 means by accuracy, before it turns to "all answers right"."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import optimized_jit, to_jax
from lemmata.papers.lego.model import ExperimentalReasoner
from lemmata.papers.lego.probe.chunks import fitting_chunk, over_replicas, over_sentences
from lemmata.papers.lego.probe.prefixes import shortened
from lemmata.papers.lego.task import Lego


def final_answers(
    models: ExperimentalReasoner, task: Lego, lengths: tuple[int, ...], *, key: Key[Array, " replica"], num: int
) -> np.ndarray:
    """The share of `num` nested sentences whose last value is right when the model has written every answer itself:
    [replica, length]. A chain may go astray and come back, and a guess is right once in as many as there are values."""
    found = [_final_shares(models, task, key, max(lengths), to_jax(length), num) for length in lengths]
    return np.stack([np.asarray(one) for one in found], axis=-1)


@optimized_jit
def _final_shares(
    models: ExperimentalReasoner,
    task: Lego,
    key: Key[Array, " replica"],
    longest: int,
    length: Int[Array, ""],
    num: int,
) -> Float[Array, " replica"]:
    chunk = fitting_chunk(num, longest, task.vocabulary.size)

    def one(model: ExperimentalReasoner, key: Key[Array, ""]) -> Float[Array, ""]:
        clauses = task.draw(num, key=key, length=longest)
        right = over_sentences(lambda sentence: final_right(model, sentence, length), clauses, chunk)
        return jnp.mean(right.astype(float))

    return over_replicas(one, models, key)


def final_right(
    model: ExperimentalReasoner, clauses: Int[Array, "clauses 5"], length: Int[Array, ""]
) -> Bool[Array, ""]:
    """Of one sentence cut to `length`. The cache has room for the whole sentence and counts the predicates that are
    kept, so a length is a number here too; steps after the last are written and not looked at."""
    sentence, steps = shortened(clauses, length), (clauses.shape[0] - 1) // 2
    cache = eqx.tree_at(lambda cache: cache.count, model.begin(sentence[:steps], room=steps), length)

    def write(carry: tuple, _: None) -> tuple[tuple, Int[Array, ""]]:
        cache, clause = carry
        cache, after = model.extend(cache, clause)
        written = after.greedy().astype(clause.dtype)
        return (cache, written), written[4]

    _, values = jax.lax.scan(write, (cache, sentence[length]), None, length=steps)
    return values[length - 1] == sentence[2 * length, 4]
