"""The values alone, and quickly: teacher-forced accuracy and attention of the theory model, for maps of many cells.

`lemmata.probes.lego.accuracy` reads both tokens of any model; here W_4 is never touched, and the neurons read only
the clauses that are there.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import require
from lemmata.models.lego import TheoryTransformer
from lemmata.probes.lego.chunks import over_sentences
from lemmata.tasks.lego import Lego


def value_marks(
    model: TheoryTransformer, task: Lego, clauses: Int[Array, "clauses 5"]
) -> tuple[Bool[Array, " length"], Float[Array, " length"], Float[Array, " length"]]:
    """One sentence with all its answers: which values are right, and the attention on the predicate and the answer
    that decide them."""
    length = (len(clauses) - 1) // 2
    weights = model.attention(clauses[:-1], length)[0]
    actions, values = model.value.tables[1], model.value.tables[4]
    require(actions is not None and values is not None, "reads", "none", "W_5 reads g and y")
    assert actions is not None
    assert values is not None
    said = [actions[clauses[:length, 1] - task.vocabulary.first_action]]
    said.append(values[clauses[length:-1, 4] - task.vocabulary.first_value])
    logits = model.value.of_input(jnp.einsum("qk,kcr->qcr", weights, jnp.concatenate(said)))
    # A tie with the tokens without neurons (logit 0) is a loss.
    found = jnp.argmax(logits, axis=1) + model.value.first
    right = (found == clauses[length + 1 :, 4]) & (jnp.max(logits, axis=1) > 0)
    return right, jnp.diagonal(weights), jnp.diagonal(weights, offset=length)


def value_accuracy(
    model: TheoryTransformer, task: Lego, *, key: Key[Array, ""], length: int, num: int = 64, chunk: int = 16
) -> dict[str, Float[Array, ""]]:
    """On `num` fresh sentences: `values` (all right), `value_step`, and the means over sentences and steps of the
    concentration degree (19), its largest step, and the gap (20)."""
    clauses = task.draw(num, key=key, length=length)
    chunk = next(size for size in range(min(chunk, num), 0, -1) if num % size == 0)
    right, predicate, answer = over_sentences(lambda sentence: value_marks(model, task, sentence), clauses, chunk)
    epsilon, gap = 1 - predicate - answer, jnp.abs(predicate - answer)
    return {
        "values": jnp.mean(jnp.all(right, axis=1).astype(epsilon.dtype)),
        "value_step": jnp.mean(right.astype(epsilon.dtype)),
        "epsilon": jnp.mean(epsilon),
        "epsilon_worst_step": jnp.max(jnp.mean(epsilon, axis=0)),
        "gap": jnp.mean(gap),
    }


def length_reached(
    lengths: tuple[int, ...], accuracy: Float[np.ndarray, "*cells lengths"], level: float = 0.9
) -> Float[np.ndarray, "*cells"]:
    """The largest length up to which accuracy stays at `level`, interpolated in log length between grid points.

    It is the last length of the grid where accuracy never falls, and 0 where it is too low at the first.
    """
    accuracy = np.asarray(accuracy, float)
    count = np.cumprod(accuracy >= level, axis=-1).sum(axis=-1)  # grid points in a row
    below, above = np.maximum(count - 1, 0), np.minimum(count, len(lengths) - 1)
    start = np.take_along_axis(accuracy, below[..., None], axis=-1)[..., 0]
    end = np.take_along_axis(accuracy, above[..., None], axis=-1)[..., 0]
    part = np.where(start > end, (start - level) / np.where(start > end, start - end, 1), 0).clip(0, 1)
    logs = np.log(np.array(lengths, float))
    between = np.exp(logs[below] + part * (logs[above] - logs[below]))
    return np.where(count == 0, 0.0, np.where(count == len(lengths), float(lengths[-1]), between))


def over_lengths(
    model: TheoryTransformer,
    task: Lego,
    lengths: tuple[int, ...],
    *,
    key: Key[Array, ""],
    num: int = 64,
    chunk: int = 16,
) -> dict[str, Float[Array, " lengths"]]:
    """`value_accuracy` at each length, on the same chains cut short: the first L links and answers are a draw of D^L.

    One body serves all lengths, with later clauses hidden: programs of many lengths take long to compile.
    """
    longest = max(lengths)
    clauses = task.draw(num, key=key, length=longest)
    chunk = next(size for size in range(min(chunk, num), 0, -1) if num % size == 0)

    def at(length: Int[Array, ""]) -> dict[str, Float[Array, ""]]:
        read = over_sentences(lambda sentence: _cut_marks(model, task, sentence, length), clauses, chunk)
        right, epsilon, gap = read
        asked = jnp.arange(longest) < length
        steps = num * length
        return {
            "values": jnp.mean(jnp.all(right | ~asked, axis=1).astype(epsilon.dtype)),
            "value_step": jnp.sum(right & asked) / steps,
            "epsilon": jnp.sum(jnp.where(asked, epsilon, 0)) / steps,
            "epsilon_worst_step": jnp.max(jnp.where(asked, jnp.mean(epsilon, axis=0), 0)),
            "gap": jnp.sum(jnp.where(asked, gap, 0)) / steps,
        }

    return jax.lax.map(at, jnp.asarray(lengths))


def _cut_marks(
    model: TheoryTransformer, task: Lego, clauses: Int[Array, "clauses 5"], length: Int[Array, ""]
) -> tuple[Bool[Array, " longest"], Float[Array, " longest"], Float[Array, " longest"]]:
    """Right values, concentration degree and gap of the chain's first `length` steps; what follows means nothing."""
    longest = (len(clauses) - 1) // 2
    actions, values = model.value.tables[1], model.value.tables[4]
    assert actions is not None
    assert values is not None
    place = jnp.arange(longest)
    links, named = clauses[:longest, 2], clauses[longest:-1, 3]
    scores = [model.query_third[named[:, None], links], model.query_fourth[named[:, None], named]]
    visible = [jnp.broadcast_to(place < length, (longest, longest)), place <= place[:, None]]
    weights = jax.nn.softmax(jnp.where(jnp.concatenate(visible, 1), jnp.concatenate(scores, 1), -jnp.inf), axis=1)
    said = [actions[clauses[:longest, 1] - task.vocabulary.first_action]]
    said.append(values[clauses[longest:-1, 4] - task.vocabulary.first_value])
    logits = model.value.of_input(jnp.einsum("qk,kcr->qcr", weights, jnp.concatenate(said)))
    found = jnp.argmax(logits, axis=1) + model.value.first
    right = (found == clauses[longest + 1 :, 4]) & (jnp.max(logits, axis=1) > 0)
    predicate, answer = jnp.diagonal(weights), jnp.diagonal(weights, offset=longest)
    return right, 1 - predicate - answer, jnp.abs(predicate - answer)
