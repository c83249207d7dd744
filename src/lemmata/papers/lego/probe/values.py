"""The theory model at many lengths, quickly: teacher-forced accuracy and attention for maps of many cells.

`accuracy_of_prefixes` reads any model; here the neurons read only the clauses that are there, and W_4 is not
touched unless it is asked for.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.papers.lego.model import TheoryTransformer
from lemmata.papers.lego.probe.chunks import divisor, over_sentences
from lemmata.papers.lego.task import Lego


def over_lengths(
    model: TheoryTransformer,
    task: Lego,
    lengths: tuple[int, ...],
    *,
    key: Key[Array, ""],
    num: int,
    variables: bool = False,
) -> dict[str, Float[Array, " lengths"]]:
    """On `num` chains, cut short to each length (the first L links and answers are a draw of D^L): `values` (all
    right), `value_step`, the means over sentences and steps of the concentration degree (19), its largest step, the
    gap (20); with `variables` also `both`: all variables and values right, so that the greedy rollout is right too.

    One body serves all lengths, with later clauses hidden: programs of many lengths take long to compile.
    """
    longest = max(lengths)
    clauses = task.draw(num, key=key, length=longest)

    def at(length: Int[Array, ""]) -> dict[str, Float[Array, ""]]:
        def read(sentence: Int[Array, "clauses 5"]) -> tuple[Array, ...]:
            weights = cut_attention(model, sentence, length)
            right = right_values(model, task, sentence, weights)
            all_right = (right & right_variables(model, sentence, weights)) if variables else right
            return right, all_right, jnp.diagonal(weights), jnp.diagonal(weights, offset=longest)

        right, all_right, predicate, answer = over_sentences(read, clauses, divisor(num, 16))
        epsilon, gap = 1 - predicate - answer, jnp.abs(predicate - answer)
        asked, steps = jnp.arange(longest) < length, num * length
        found = {
            "values": jnp.mean(jnp.all(right | ~asked, axis=1).astype(epsilon.dtype)),
            "value_step": jnp.sum(right & asked) / steps,
            "epsilon": jnp.sum(jnp.where(asked, epsilon, 0)) / steps,
            "epsilon_worst_step": jnp.max(jnp.where(asked, jnp.mean(epsilon, axis=0), 0)),
            "gap": jnp.sum(jnp.where(asked, gap, 0)) / steps,
        }
        both = jnp.mean(jnp.all(all_right | ~asked, axis=1).astype(epsilon.dtype))
        return {**found, "both": both} if variables else found

    return jax.lax.map(at, jnp.asarray(lengths))


def value_accuracy(
    model: TheoryTransformer, task: Lego, *, key: Key[Array, ""], length: int, num: int
) -> dict[str, Float[Array, ""]]:
    """`over_lengths` at one length."""
    return {name: value[0] for name, value in over_lengths(model, task, (length,), key=key, num=num).items()}


def cut_attention(
    model: TheoryTransformer, clauses: Int[Array, "clauses 5"], length: Int[Array, ""]
) -> Float[Array, "longest seen"]:
    """Of the chain's first `length` answers, over its first `length` predicates and the answers so far; rows that
    follow mean nothing."""
    longest = (len(clauses) - 1) // 2
    place = jnp.arange(longest)
    links, named = clauses[:longest, 2], clauses[longest:-1, 3]
    scores = [model.query_third[named[:, None], links], model.query_fourth[named[:, None], named]]
    visible = [jnp.broadcast_to(place < length, (longest, longest)), place <= place[:, None]]
    return jax.nn.softmax(jnp.where(jnp.concatenate(visible, 1), jnp.concatenate(scores, 1), -jnp.inf), axis=1)


def right_values(
    model: TheoryTransformer, task: Lego, clauses: Int[Array, "clauses 5"], weights: Float[Array, "longest seen"]
) -> Bool[Array, " longest"]:
    """Whether W_5's largest logit is the next value's; a tie with the tokens without neurons (logit 0) is a loss."""
    longest = (len(clauses) - 1) // 2
    actions, values = model.value.tables[1], model.value.tables[4]
    assert actions is not None  # W_5 reads both, whatever else it reads
    assert values is not None
    v = task.vocabulary
    said = [actions[clauses[:longest, 1] - v.first_action], values[clauses[longest:-1, 4] - v.first_value]]
    logits = model.value.of_input(jnp.einsum("qk,kcr->qcr", weights, jnp.concatenate(said)))
    found = jnp.argmax(logits, axis=1) + model.value.first
    return (found == clauses[longest + 1 :, 4]) & (jnp.max(logits, axis=1) > 0)


def right_variables(
    model: TheoryTransformer, clauses: Int[Array, "clauses 5"], weights: Float[Array, "longest seen"]
) -> Bool[Array, " longest"]:
    """Whether W_4's largest logit is the next variable's."""
    longest = (len(clauses) - 1) // 2
    heads = model.variable.tables[0]
    assert heads is not None  # whatever else W_4 reads
    logits = model.variable.of_input(jnp.einsum("qk,kcr->qcr", weights[:, :longest], heads[clauses[:longest, 0]]))
    return jnp.argmax(logits, axis=1) + model.variable.first == clauses[longest + 1 :, 3]


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
