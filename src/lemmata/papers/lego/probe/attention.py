"""Where answers look: concentration (19) and gap (20), heatmaps (Figures 2 and 5), diagonals (Figures 6 and 7).

Attention is averaged over heads first. The right predicate is found by its variable, not by its place, so sentences
with permuted predicates need nothing special.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lemmata.papers.lego.model import AbstractReasoner
from lemmata.papers.lego.probe.chunks import fitting_chunk, over_replicas, over_sentences
from lemmata.papers.lego.task import Lego


class Look(eqx.Module):
    """From the answers 0, ..., L - 1, the attention on the two clauses that decide the next answer."""

    predicate: Float[Array, "*num length"]  # on x_{l+1} = g(x_l)
    answer: Float[Array, "*num length"]  # on x_l = y_l, the query itself

    @property
    def epsilon(self) -> Float[Array, "*num length"]:
        """Equation (19): the attention on everything else."""
        return 1 - self.predicate - self.answer

    @property
    def gap(self) -> Float[Array, "*num length"]:
        """Equation (20)."""
        return jnp.abs(self.predicate - self.answer)


def look(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Look:
    """One sentence with all its answers."""
    length = (clauses.shape[0] - 1) // 2
    weights = jnp.mean(model.attention(clauses[:-1], length), axis=0)
    queries = clauses[length:-1, 3]  # x_0, ..., x_{L-1}
    links = clauses[:-1, 2] == queries[:, None]  # predicates that start at the query's variable
    return Look(jnp.sum(jnp.where(links, weights, 0), axis=1), jnp.diagonal(weights, offset=length))


def heatmap(
    model: AbstractReasoner, task: Lego, *, key: Key[Array, ""], num: int, order: Int[Array, " length"] | None
) -> Float[Array, "queries keys"]:
    """The mean attention from answers 0, ..., L - 1 to the 2L clauses before the last answer (Figure 2); `order` puts
    predicate order[k] in place k of every sentence (Figure 5)."""
    length = task.config.length
    clauses = task.draw(num, key=key)
    if order is not None:
        clauses = jnp.concatenate([clauses[:, :length][:, order], clauses[:, length:]], axis=1)

    chunk = fitting_chunk(num, length, task.vocabulary.size)
    seen = over_sentences(lambda one: jnp.mean(model.attention(one[:-1], length), axis=0), clauses, chunk)
    return jnp.mean(seen, axis=0)


def attention_at_lengths(
    models: AbstractReasoner, task: Lego, lengths: tuple[int, ...], *, key: Key[Array, " replica"], num: int = 100
) -> dict[int, dict[str, Float[Array, "replica length"]]]:
    """At each length (one program each), means over `num` fresh sentences of `predicate`, `answer`, `epsilon` (19) and
    `gap` (20), by step."""
    return {length: _at(models, task, key, length, num) for length in lengths}


@eqx.filter_jit
def _at(
    models: AbstractReasoner, task: Lego, key: Key[Array, " replica"], length: int, num: int
) -> dict[str, Float[Array, "replica length"]]:
    chunk = fitting_chunk(num, length, task.vocabulary.size)

    def one(model: AbstractReasoner, key: Key[Array, ""]) -> dict[str, Float[Array, " length"]]:
        clauses = task.draw(num, key=jax.random.fold_in(key, length), length=length)
        seen = over_sentences(lambda sentence: look(model, sentence), clauses, chunk)
        return {name: jnp.mean(getattr(seen, name), axis=0) for name in ("predicate", "answer", "epsilon", "gap")}

    return over_replicas(one, models, key)
