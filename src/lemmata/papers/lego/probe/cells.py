"""What a cell of section 7's map keeps of a model: accuracy, and the attention on the two right clauses, by length."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import optimized_jit
from lemmata.papers.lego.model import AbstractReasoner
from lemmata.papers.lego.probe.chunks import divisor, over_replicas, over_sentences
from lemmata.papers.lego.probe.prefixes import TOGETHER, prefix_marks, shortened
from lemmata.papers.lego.task import Lego

CELL_MARKS = ("both", "values", "step", "predicate", "answer", "predicate_drop", "answer_drop")


@optimized_jit
def cell_marks(
    models: AbstractReasoner,
    task: Lego,
    lengths: Int[Array, " length"],
    longest: int,
    key: Key[Array, " seed"],
    num: int,
) -> dict[str, Float[Array, "seed length"]]:
    """Means over `num` nested sentences: every clause right, every value right, single steps right; the attention on
    the right predicate and on the answer itself, and its drop along the positions (last quarter against the first,
    relative to the mean, as Figures 6 and 7 are read). One program for all lengths."""

    def one(model: AbstractReasoner, key: Key[Array, ""]) -> dict[str, Float[Array, " length"]]:
        clauses = task.draw(num, key=key, length=longest)

        def at(length: Int[Array, ""]) -> dict[str, Float[Array, ""]]:
            def read(sentence: Int[Array, "clauses 5"]) -> tuple[dict[str, Array], dict[str, Array]]:
                return prefix_marks(model, sentence, length), _looks(model, shortened(sentence, length), length)

            marks, looks = over_sentences(read, clauses, divisor(num, TOGETHER))
            found = {name: jnp.mean(marks[name]) for name in ("both", "values", "step")}
            for name, seen in looks.items():
                by_position = jnp.mean(seen, axis=0)
                found |= {name: jnp.sum(by_position) / length, f"{name}_drop": _drop(by_position, length)}
            return found

        return jax.lax.map(at, lengths)

    return over_replicas(one, models, key)


def _looks(
    model: AbstractReasoner, sentence: Int[Array, "clauses 5"], length: Int[Array, ""]
) -> dict[str, Float[Array, " longest"]]:
    """The attention on the right predicate and on the answer itself from answers 0, ..., L - 1; 0 after them."""
    clauses, total = sentence[:-1], len(sentence) - 1
    weights = jnp.mean(model.attention(clauses, total), axis=0)
    linked = clauses[:, 2] == clauses[:, 3, None]
    seen = {"predicate": jnp.sum(jnp.where(linked, weights, 0), axis=1), "answer": jnp.diagonal(weights)}
    step = jnp.arange(total // 2)
    places = jnp.minimum(length + step, total - 1)
    return {name: jnp.where(step < length, by_place[places], 0) for name, by_place in seen.items()}


def _drop(by_position: Float[Array, " longest"], length: Int[Array, ""]) -> Float[Array, ""]:
    place, quarter = jnp.arange(len(by_position)), jnp.maximum(length // 4, 1)
    first = jnp.sum(jnp.where(place < quarter, by_position, 0)) / quarter
    last = jnp.sum(jnp.where((place >= length - quarter) & (place < length), by_position, 0)) / quarter
    return (first - last) * length / jnp.sum(by_position)


def as_columns(found: dict[str, Float[Array, "seed length"]]) -> dict[str, np.ndarray]:
    return {name: np.asarray(found[name], float).reshape(-1) for name in CELL_MARKS}
