"""What W_5 says to T^2 while attention is still uniform (Section 6.2.1, stage 2.1)."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons


@eqx.filter_jit
def uniform_logits(neurons: ValueNeurons, table: Int[Array, "action value"]) -> dict[str, Float[Array, ""]]:
    """Medians over all sentences of T^2 where they differ, in units of B: at step 1 of the right answer g_1(y_0) and of
    the spurious one g_2(y_0); at step 2 of the right answer g_2(y_1) and of the spurious one g_2(y_0)."""
    first, second, start = (axis.ravel() for axis in jnp.indices((len(table), len(table), table.shape[1])))
    middle, spurious = table[first, start], table[second, start]
    last = table[second, middle]

    def read(actions: Array, values: Array) -> Array:
        both = actions[:, first] + actions[:, second] + values[:, start]
        return jnp.stack([both / 3, (both + values[:, middle]) / 4])

    logits = neurons.logits(read, (2, table.shape[1], len(first)))
    clipped = jnp.minimum(logits, neurons.bound) / neurons.bound

    def median(step: int, answer: Array, where: Array) -> Array:
        found = jnp.take_along_axis(clipped[step], answer[None], axis=0)[0]
        return jnp.nanmedian(jnp.where(where, found, jnp.nan))

    return {
        "first_right": median(0, middle, middle != spurious),
        "first_spurious": median(0, spurious, middle != spurious),
        "second_right": median(1, last, last != spurious),
        "second_spurious": median(1, spurious, last != spurious),
    }
