"""Accuracy at many lengths by one compiled program.

The first L steps of a longer chain are a chain of D^L. So sentences of the greatest length are drawn once, and a length
that is a number and not a shape says how much of them counts; what follows a shortened sentence no query sees.
"""

from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import optimized_jit, require, to_jax
from lemmata.papers.lego.model import AbstractReasoner, ExperimentalReasoner
from lemmata.papers.lego.probe.chunks import divisor, over_replicas, over_sentences
from lemmata.papers.lego.task import Lego

TOGETHER = 64  # sentences at a time: about 200 MB at length 160 with the paper's sizes
PREFIX_SHARES = ("values", "both", "step", "value_step")
Hidden = Literal["", "predicates", "answers"]  # from each query: the clauses of a kind that are not its own


def shortened(clauses: Int[Array, "clauses 5"], length: Int[Array, ""]) -> Int[Array, "clauses 5"]:
    """The first `length` predicates and the answers to them, in the first 2 length + 1 places."""
    whole = (clauses.shape[0] - 1) // 2
    place = jnp.arange(clauses.shape[0])
    source = jnp.where(place < length, place, whole + place - length)
    return clauses[jnp.minimum(source, clauses.shape[0] - 1)]


def prefix_marks(
    model: AbstractReasoner,
    clauses: Int[Array, "clauses 5"],
    length: Int[Array, ""],
    hides: Bool[Array, "2"] | None = None,
) -> dict[str, Float[Array, ""]]:
    """Of one sentence cut to `length`, every step given the true answers before it: `values` and `both`, whether
    every value (and variable) is right; `step` and `value_step`, the share of steps where both tokens (the value) are.
    `hides` is as in `unhidden`; the experimental model alone can be read so.

    Where every token of a rollout is right it equals this pass, so "all right" needs no rollout."""
    sentence, total = shortened(clauses, length), clauses.shape[0] - 1
    if hides is None:
        after = model.next_clause(sentence[:-1], total)
    else:
        assert isinstance(model, ExperimentalReasoner)
        after = model.next_clause(sentence[:-1], total, unhidden(sentence[:-1], hides))
    right = after.greedy()[:, 3:] == sentence[1:, 3:]
    place = jnp.arange(total)
    mask, masked = (place >= length) & (place < 2 * length), total - length
    value, both = right[:, 1] | ~mask, jnp.all(right, axis=1) | ~mask
    return {
        "values": jnp.all(value).astype(float),
        "both": jnp.all(both).astype(float),
        "step": (jnp.sum(both) - masked) / length,
        "value_step": (jnp.sum(value) - masked) / length,
    }


def unhidden(clauses: Int[Array, "clauses 5"], hides: Bool[Array, "2"]) -> Bool[Array, "clauses clauses"]:
    """What each clause sees if other predicates (the first of `hides`) or other answers (the second) are hidden. Its
    own predicate is the one that starts at its variable, its own answer is itself."""
    blank = jnp.max(clauses)  # the last token: every sentence has one
    is_predicate, is_answer = clauses[:, 2] != blank, clauses[:, 3] != blank
    linked, itself = clauses[:, 2] == clauses[:, 3, None], jnp.eye(len(clauses), dtype=bool)
    other_predicate, other_answer = is_predicate & ~linked & ~itself, is_answer & ~itself
    return ~(hides[0] & other_predicate) & ~(hides[1] & other_answer)


def accuracy_of_prefixes(
    models: AbstractReasoner,
    task: Lego,
    lengths: tuple[int, ...],
    *,
    key: Key[Array, " replica"],
    num: int = 256,
    hidden: Hidden = "",
) -> dict[str, np.ndarray]:
    """`prefix_marks` of stacked models, averaged over `num` nested sentences: shares [replica, length]."""
    require(len(lengths) >= 1, "lengths", lengths, "at least one")
    can_hide = isinstance(models, ExperimentalReasoner)
    require(can_hide or not hidden, "hidden", hidden, "nothing: the theory's model sees every clause")
    hides = jnp.array([hidden == "predicates", hidden == "answers"]) if can_hide else None
    found = [_prefix_shares(models, task, key, max(lengths), to_jax(length), num, hides) for length in lengths]
    return {name: np.stack([np.asarray(one[name]) for one in found], axis=-1) for name in PREFIX_SHARES}


@optimized_jit
def _prefix_shares(
    models: AbstractReasoner,
    task: Lego,
    key: Key[Array, " replica"],
    longest: int,
    length: Int[Array, ""],
    num: int,
    hides: Bool[Array, "2"] | None,
) -> dict[str, Float[Array, " replica"]]:
    def one(model: AbstractReasoner, key: Key[Array, ""]) -> dict[str, Float[Array, ""]]:
        clauses = task.draw(num, key=key, length=longest)
        marks = over_sentences(lambda one: prefix_marks(model, one, length, hides), clauses, divisor(num, TOGETHER))
        return jax.tree.map(jnp.mean, marks)

    return over_replicas(one, models, key)


def wilson(proportion: Any, trials: Any, z: float = 1.959963984540054) -> tuple[Any, Any]:
    """Low and high end of Wilson's score interval of a proportion, `z` standard errors wide (95 %), elementwise: honest
    at 0 and 1, where the normal one collapses."""
    share, count = np.asarray(proportion, float), np.asarray(trials, float)
    centre = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    # It holds the proportion itself; at 0 and 1 the last bit might not.
    return np.clip(centre - half, 0, share), np.clip(centre + half, share, 1)
