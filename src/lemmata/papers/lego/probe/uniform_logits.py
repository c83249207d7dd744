"""What W_5 says to T^2 while attention is still uniform (Section 6.2.1, stage 2.1)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.lego.model.value_neurons import ValueNeurons


@eqx.filter_jit
def uniform_logits(neurons: ValueNeurons, table: Int[Array, "action value"]) -> dict[str, Float[Array, ""]]:
    """Medians over all sentences of T^2 where they differ, in units of B: at step 1 of the right answer g_1(y_0) and of
    the spurious one g_2(y_0); at step 2 of the right answer g_2(y_1) and of the spurious one g_2(y_0)."""
    first, second, start = (axis.ravel() for axis in jnp.indices((len(table), len(table), table.shape[1])))
    middle, spurious = table[first, start], table[second, start]
    last = table[second, middle]

    def add(logits: Array, neuron: tuple[Array, Array, Array]) -> tuple[Array, None]:
        speaks, actions, values = neuron
        said = actions[:, first] + actions[:, second] + values[:, start]
        reads = jnp.stack([said / 3, (said + values[:, middle]) / 4])
        return logits + speaks * neurons.fire(reads), None

    each = (neurons.speaks, neurons.actions, neurons.values)
    logits, _ = jax.lax.scan(add, jnp.zeros((2, table.shape[1], len(first))), each)
    clipped = jnp.minimum(logits, neurons.bound) / neurons.bound

    def median(step: int, answer: Array, where: Array) -> Array:
        said = jnp.take_along_axis(clipped[step], answer[None], axis=0)[0]
        return jnp.nanmedian(jnp.where(where, said, jnp.nan))

    return {
        "first_right": median(0, middle, middle != spurious),
        "first_spurious": median(0, spurious, middle != spurious),
        "second_right": median(1, last, last != spurious),
        "second_spurious": median(1, spurious, last != spurious),
    }
