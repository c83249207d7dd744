"""How often a model's answers are right: teacher-forced in one parallel pass, or read back from its own rollout.

Where every token of a rollout is right it equals the teacher-forced pass, so "all right" needs no rollout; the share of
single steps does.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.papers.lego.model import AbstractReasoner, NextClause, rollout
from lemmata.papers.lego.probe.chunks import fitting_chunk, over_replicas, over_sentences
from lemmata.papers.lego.probe.intervals import wilson
from lemmata.papers.lego.task import Lego


class Marks(eqx.Module):
    """Which tokens of the answers 1, ..., L are right."""

    variable: Bool[Array, "*num length"]
    value: Bool[Array, "*num length"]
    probability: Float[Array, "*num length"]  # that a clause drawn from the model is the true one


def teacher_forced(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Marks:
    """One sentence with all its answers: every step is asked with the true answers before it."""
    length = (clauses.shape[0] - 1) // 2
    after = model.next_clause(clauses[:-1], length)
    return _marks(after, clauses[length + 1 :])


def rolled_out(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Marks:
    """The same, every step asked with the model's own answers before it."""
    length = (clauses.shape[0] - 1) // 2
    written = rollout(model, clauses[: length + 1], length)[length + 1 :]
    right = written[:, 3:] == clauses[length + 1 :, 3:]
    return Marks(right[:, 0], right[:, 1], jnp.all(right, axis=1).astype(float))


def accuracy(
    model: AbstractReasoner,
    task: Lego,
    *,
    key: Key[Array, ""],
    length: int | None = None,
    num: int = 256,
    chunk: int | None = None,
    by_rollout: bool = False,
) -> dict[str, Float[Array, "..."]]:
    """On `num` fresh sentences of one length, the shares of

    - `values`: sentences whose every value is right (the paper's figures);
    - `both`: sentences whose every value and variable is right;
    - `step`: steps with both tokens right; `value_step`, `variable_step`: with that one right;
    - `expected`: equation (5) to the letter, the clause being drawn from the model and not the most probable one;
    - `value_by_step`, `both_by_step`: the same by position in the chain.
    """
    length = task.config.length if length is None else length
    clauses = task.draw(num, key=key, length=length)
    read = rolled_out if by_rollout else teacher_forced
    chunk = chunk or fitting_chunk(num, length, task.vocabulary.size)
    marks = over_sentences(lambda sentence: read(model, sentence), clauses, chunk)
    both = marks.variable & marks.value
    return {
        "values": jnp.mean(jnp.all(marks.value, axis=1)),
        "both": jnp.mean(jnp.all(both, axis=1)),
        "step": jnp.mean(both),
        "value_step": jnp.mean(marks.value),
        "variable_step": jnp.mean(marks.variable),
        "expected": jnp.mean(marks.probability),
        "value_by_step": jnp.mean(marks.value, axis=0),
        "both_by_step": jnp.mean(both, axis=0),
    }


SHARES = ("values", "both", "step", "value_step", "variable_step", "expected")


def accuracy_at_lengths(
    model: AbstractReasoner,
    task: Lego,
    lengths: tuple[int, ...],
    *,
    key: Key[Array, "..."],
    num: int = 256,
    by_rollout: bool = False,
) -> dict[str, np.ndarray]:
    """The shares at each length (one program a length), `num`, and Wilson's interval of the two "all right" ones.

    Models stacked along a leading axis (seeds, cells), with a key for each, give shares of shape (replica, length).
    """
    columns: dict[str, list[np.ndarray]] = {name: [] for name in SHARES}
    for length in lengths:
        found = _shares(model, task, key, length, num, by_rollout)
        for name in SHARES:
            columns[name].append(np.asarray(found[name]))
    shares: dict[str, np.ndarray] = {name: np.stack(column, axis=-1) for name, column in columns.items()}
    for name in ("values", "both"):
        shares[f"{name}_low"], shares[f"{name}_high"] = wilson(shares[name], num)
    return {**shares, "num": np.full(len(lengths), num), "length": np.array(lengths)}


@eqx.filter_jit
def _shares(
    model: AbstractReasoner, task: Lego, key: Key[Array, "..."], length: int, num: int, by_rollout: bool
) -> dict[str, Float[Array, "..."]]:
    def one(model: AbstractReasoner, key: Key[Array, ""]) -> dict[str, Float[Array, "..."]]:
        own = jax.random.fold_in(key, length)
        return accuracy(model, task, key=own, length=length, num=num, by_rollout=by_rollout)

    return over_replicas(one, model, key)


def _marks(after: NextClause, true: Int[Array, "length 5"]) -> Marks:
    variable, value = true[:, 3], true[:, 4]
    steps = jnp.arange(true.shape[0])
    chance = jax.nn.log_softmax(after.variable)[steps, variable] + jax.nn.log_softmax(after.value)[steps, value]
    written = after.greedy()
    return Marks(written[:, 3] == variable, written[:, 4] == value, jnp.exp(chance))
