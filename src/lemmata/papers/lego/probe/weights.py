"""What the theory model's weights hold: diagonals of Q, features V(g) and V(y)."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

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

    def over_fibres(self, table: Int[Array, "actions values"]) -> Float[Array, "classes neurons values"]:
        """The mean of (V_{j,r}(g) + V_{j,r}(y)) / 2 over the actions that send y to j (Definition 6.3); for a simply
        transitive action there is one."""
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
