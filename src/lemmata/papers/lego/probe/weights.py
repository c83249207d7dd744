"""What the theory model's weights hold: diagonals of Q, features V(g) and V(y), which neuron learned what, and when."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from lemmata.papers.lego.model import TheoryTransformer


def query_diagonals(model: TheoryTransformer) -> dict[str, Float[Array, ""]]:
    """Of Q_{4,3} (`third`, to predicates) and Q_{4,4} (`fourth`, to answers): the means of the diagonal over variables
    and of everything else (Section 6.2)."""
    size = len(model.query_third)
    found = {}
    for name, table in (("third", model.query_third), ("fourth", model.query_fourth)):
        diagonal = jnp.mean(jnp.diagonal(table))
        found[f"{name}_diagonal"] = diagonal
        found[f"{name}_rest"] = (jnp.sum(table) - size * diagonal) / (size * (size - 1))
    return found


class Features(eqx.Module):
    """Definition 6.2: what neuron r of class j says to an action and to a value."""

    action: Float[Array, "classes neurons actions"]  # V_{j,r}(g)
    value: Float[Array, "classes neurons values"]  # V_{j,r}(y)

    def composite(self) -> Float[Array, "classes neurons actions values"]:
        """V_{j,r}(g, y) = (V_{j,r}(g) + V_{j,r}(y)) / 2."""
        return (self.action[..., :, None] + self.value[..., None, :]) / 2

    def over_fibres(self, table: Int[Array, "actions values"]) -> Float[Array, "classes neurons values"]:
        """The composite's mean over the actions that send y to j (Definition 6.3); for a simply transitive action
        there is one."""
        classes = self.action.shape[0]
        in_fibre = table[None] == jnp.arange(classes)[:, None, None]  # [j, g, y]
        size = jnp.maximum(jnp.sum(in_fibre, axis=1), 1)
        total = jnp.einsum("jrg,jgy->jry", self.action, in_fibre.astype(self.action.dtype), precision="highest")
        return (total / size[:, None, :] + self.value) / 2


def features(model: TheoryTransformer) -> Features:
    """From W_5's slots 2 and 5; the classes are the values alone."""
    (first, size), neurons = model.slots[4], model.value
    start = first - neurons.first
    read = [table for table in (neurons.tables[1], neurons.tables[4]) if table is not None]  # W_5 reads both
    return Features(*(jnp.transpose(table[:, start : start + size], (1, 2, 0)) for table in read))


class Learned(eqx.Module):
    """For each class j and value y, the neuron that answers j on the fibre of (j, y), and how strongly."""

    neuron: Int[Array, "classes values"]
    magnitude: Float[Array, "classes values"]
    runner_up: Float[Array, "classes values"]  # the next neuron of the class

    def distinct(self) -> Bool[Array, ""]:
        """Whether no neuron serves two combinations of its class."""
        same = self.neuron[:, :, None] == self.neuron[:, None, :]
        return ~jnp.any(same & ~jnp.eye(self.neuron.shape[1], dtype=bool))


def learned(found: Features, table: Int[Array, "actions values"]) -> Learned:
    strength = found.over_fibres(table)
    ranked = jnp.sort(strength, axis=1)
    runner_up = ranked[:, -2] if strength.shape[1] > 1 else jnp.full_like(ranked[:, -1], -jnp.inf)
    return Learned(jnp.argmax(strength, axis=1), ranked[:, -1], runner_up)


def learning_times(
    history: Float[np.ndarray, "records classes values"], threshold: float
) -> Int[np.ndarray, "classes values"]:
    """The first record at which each combination's magnitude passes the threshold; `records` if none does."""
    passed = history > threshold
    return np.where(passed.any(axis=0), passed.argmax(axis=0), len(history))
