"""What the fast paths are tested against: accuracy sentence by sentence and step by step; Q from its four scores."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.papers.lego.model import AbstractReasoner, rollout
from lemmata.papers.lego.model.fast.four_scores import Scores
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons, exact_for
from lemmata.papers.lego.model.theory_transformer import Neurons
from lemmata.papers.lego.task import Lego


class Marks(eqx.Module):
    """Which tokens of the answers 1, ..., L are right."""

    variable: Bool[Array, "*num length"]
    value: Bool[Array, "*num length"]


def teacher_forced(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Marks:
    """One sentence with all its answers: every step is asked with the true answers before it."""
    length = (clauses.shape[0] - 1) // 2
    return _marks(model.next_clause(clauses[:-1], length).greedy(), clauses)


def rolled_out(model: AbstractReasoner, clauses: Int[Array, "clauses 5"]) -> Marks:
    """The same, every step asked with the model's own answers before it."""
    length = (clauses.shape[0] - 1) // 2
    return _marks(rollout(model, clauses[: length + 1], length)[length + 1 :], clauses)


def _marks(written: Int[Array, "length 5"], clauses: Int[Array, "clauses 5"]) -> Marks:
    right = written[:, 3:] == clauses[-len(written) :, 3:]
    return Marks(right[:, 0], right[:, 1])


def accuracy(
    model: AbstractReasoner, task: Lego, *, key: Key[Array, ""], length: int, num: int
) -> dict[str, Float[Array, "..."]]:
    """Of `num` fresh sentences: `values` and `both`, those with every value (and variable) right; `step` and
    `value_step`, the share of steps."""
    marks = jax.vmap(lambda sentence: teacher_forced(model, sentence))(task.draw(num, key=key, length=length))
    both = marks.variable & marks.value
    return {
        "values": jnp.mean(jnp.all(marks.value, axis=1)),
        "both": jnp.mean(jnp.all(both, axis=1)),
        "step": jnp.mean(both),
        "value_step": jnp.mean(marks.value),
    }


def as_tables(scores: Scores, variables: int) -> tuple[Float[Array, "x x"], Float[Array, "x x"]]:
    """Q_{4,3} and Q_{4,4} with these scores."""
    own = jnp.eye(variables, dtype=bool)
    return jnp.where(own, scores[0], scores[1]), jnp.where(own, scores[2], scores[3])


def value_neurons(neurons: Neurons) -> ValueNeurons:
    """A theory transformer's W_5, neurons first."""
    read = {slot for slot, table in enumerate(neurons.tables) if table is not None}
    actions, values = neurons.tables[1], neurons.tables[4]
    assert actions is not None
    assert values is not None
    exact_for("needed" if read == {1, 4} else "all", "possible" if neurons.classes == len(values) else "all")
    return ValueNeurons(
        actions=jnp.transpose(actions, (2, 1, 0)),
        values=jnp.transpose(values, (2, 1, 0)),
        speaks=neurons.speaks,
        bias=neurons.bias,
        rho=neurons.rho,
        bound=neurons.bound,
        vocab=jnp.asarray(neurons.vocab, float),
        power=neurons.power,
    )
