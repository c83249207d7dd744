"""Equal to `accuracy_of_prefixes` and `look` on a theory model: teacher-forced accuracy and attention, for many cells.

`accuracy_of_prefixes` reads any model; here attention is formed only between clauses that are there, and W_4 is not
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
) -> dict[str, Float[Array, "lengths *longest"]]:
    """On `num` chains, cut short to each length (the first L links and answers are a draw of D^L): `values` (all
    right), `value_step`, `value_probability` (of the true value, mean over steps), the means over sentences and steps
    of the concentration degree (19), its largest step, the gap (20); with `variables` also `both`: all variables and
    values right, so that the greedy rollout is right too, and `probability`: Acc_L, equation (5). `epsilon_steps` and
    `gap_steps` are means over sentences alone, by step; past the length they mean nothing.

    One body serves all lengths, with later clauses hidden: programs of many lengths take long to compile.
    """
    longest = max(lengths)
    clauses = task.draw(num, key=key, length=longest)

    def at(length: Int[Array, ""]) -> dict[str, Float[Array, "*longest"]]:
        def read(sentence: Int[Array, "clauses 5"]) -> tuple[Array, ...]:
            weights = cut_attention(model, sentence, length)
            after, truth = model.predict(sentence[:-1], weights), sentence[longest + 1 :]
            right, likely = mark(after.value, truth[:, 4])
            both = mark(after.variable, truth[:, 3]) if variables else (right, likely)
            looks = jnp.diagonal(weights), jnp.diagonal(weights, offset=longest)
            return right, likely, right & both[0], likely * both[1], *looks

        right, likely, all_right, all_likely, predicate, answer = over_sentences(read, clauses, divisor(num, 16))
        epsilon, gap = 1 - predicate - answer, jnp.abs(predicate - answer)
        mask, steps = jnp.arange(longest) < length, num * length

        def whole(marks: Bool[Array, "num longest"]) -> Float[Array, ""]:
            return jnp.mean(jnp.all(marks | ~mask, axis=1).astype(epsilon.dtype))

        def mean(found: Array) -> Float[Array, ""]:
            return jnp.sum(jnp.where(mask, found, 0)) / steps

        found = {
            "values": whole(right),
            "value_step": mean(right),
            "value_probability": mean(likely),
            "epsilon": mean(epsilon),
            "epsilon_worst_step": jnp.max(jnp.where(mask, jnp.mean(epsilon, axis=0), 0)),
            "gap": mean(gap),
            "epsilon_steps": jnp.mean(epsilon, axis=0),
            "gap_steps": jnp.mean(gap, axis=0),
        }
        return {**found, "both": whole(all_right), "probability": mean(all_likely)} if variables else found

    return jax.lax.map(at, jnp.asarray(lengths))


def mark(
    logits: Float[Array, "steps vocab"], truth: Int[Array, " steps"]
) -> tuple[Bool[Array, " steps"], Float[Array, " steps"]]:
    """Whether the largest logit is the true token's (a tie is a loss), and the probability of that token."""
    own = jnp.take_along_axis(logits, truth[:, None], axis=1)
    rival = jnp.max(jnp.where(jnp.arange(logits.shape[1]) == truth[:, None], -jnp.inf, logits), axis=1)
    return own[:, 0] > rival, jnp.exp(own[:, 0] - jax.nn.logsumexp(logits, axis=1))


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
