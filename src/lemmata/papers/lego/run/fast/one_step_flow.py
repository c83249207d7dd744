"""Equal to `OneStep` with a stride, for W_5 alone, neurons first: stage 1 until the loss is at the clip's floor.

It stops where nothing is left to learn. Along the flow right logits end at B exactly, for there the clip cuts their
gradient. A step overshoots B, and nothing brings that logit back; stage 2 would then find it right with less attention
than it takes. So strides shrink near the floor.
"""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.core import Config, Count, Positive, Share, optimized_jit
from lemmata.papers.lego.model.fast.value_neurons import ValueNeurons, nll_and_slope, value_of_each


@dataclass(frozen=True, kw_only=True)
class ToTheFloor(Config):
    """Until the loss is within `tolerance` of its floor. Far below the 5% that a claim needs: as long as wrong logits
    are awake, what stage 2 learns depends on where stage 1 was stopped."""

    stride: Positive = 0.2  # no weight moves by more than this share of itself in a step
    shrink_below: Positive = 0.1  # from this excess of the loss over its floor on, strides go with the excess's root,
    finest: Share = 0.02  # down to this share; 1 for strides of one length
    tolerance: Positive = 1e-8
    steps: Count = 200_000  # the cap


class OneStepEnd(eqx.Module):
    excess: Float[Array, ""]  # loss over floor, minus 1
    steps: Int[Array, ""]
    time: Float[Array, ""]  # of the flow


def learn_one_step(
    neurons: ValueNeurons, table: Int[Array, "action value"], plan: ToTheFloor
) -> tuple[ValueNeurons, OneStepEnd]:
    """The neurons whose loss was the first within the tolerance, or the last ones."""
    return _learn(neurons, table, {name: jnp.asarray(value) for name, value in vars(plan).items()})


@optimized_jit
def _learn(
    neurons: ValueNeurons, table: Int[Array, "action value"], plan: dict[str, Array]
) -> tuple[ValueNeurons, OneStepEnd]:
    tolerance = plan["tolerance"]

    def unfinished(carry: tuple[ValueNeurons, OneStepEnd]) -> Array:
        return (carry[1].excess > tolerance) & (carry[1].steps < plan["steps"])

    def one(carry: tuple[ValueNeurons, OneStepEnd]) -> tuple[ValueNeurons, OneStepEnd]:
        now, end = carry
        loss, *slopes = one_step_slopes(now, table)
        excess = loss / now.floor - 1
        pairs = list(zip((now.actions, now.values), slopes, strict=True))
        relative_speeds = [jnp.max(jnp.abs(g) / (now.bias + jnp.minimum(jnp.abs(w), now.rho))) for w, g in pairs]
        share = jnp.clip(jnp.sqrt(jnp.maximum(excess, 0) / plan["shrink_below"]), plan["finest"], 1)
        step_size = share * plan["stride"] / jnp.maximum(jnp.stack(relative_speeds).max(), jnp.finfo(loss.dtype).tiny)
        step_size = jnp.where(excess > tolerance, step_size, 0)  # a step too far would leave the floor
        tables = tuple(w - step_size * g for w, g in pairs)
        moved = eqx.tree_at(lambda n: (n.actions, n.values), now, tables)
        return moved, OneStepEnd(excess, end.steps + 1, end.time + step_size)

    start = OneStepEnd(jnp.asarray(jnp.inf), jnp.asarray(0), jnp.asarray(0.0))
    arrays, static = eqx.partition((neurons, start), eqx.is_array)
    found = jax.lax.while_loop(
        lambda a: unfinished(eqx.combine(a, static)),
        lambda a: eqx.filter(one(eqx.combine(a, static)), eqx.is_array),
        arrays,
    )
    return eqx.combine(found, static)


def one_step_slopes(
    neurons: ValueNeurons, table: Int[Array, "action value"]
) -> tuple[Float[Array, ""], Float[Array, "neurons classes actions"], Float[Array, "neurons classes values"]]:
    """Loss_5^1 over all pairs [value, action] at uniform attention, with its derivative in the neurons' tables.

    Neuron after neuron, as the logits are.
    """
    truth = value_of_each(table)
    each = (neurons.speaks, neurons.actions, neurons.values)

    def read(actions: Array, values: Array) -> Array:
        return (actions[:, None, :] + values[:, :, None]) / 2

    loss, by_logit = nll_and_slope(neurons.logits(read, truth.shape), truth, neurons)
    by_logit = by_logit / (2 * loss.size)

    def pull(_: None, neuron: tuple[Array, Array, Array]) -> tuple[None, tuple[Array, Array]]:
        speaks, *tables = neuron
        moved = speaks * by_logit * neurons.slope(read(*tables))
        return None, (jnp.sum(moved, axis=1), jnp.sum(moved, axis=2))

    _, slopes = jax.lax.scan(pull, None, each)
    return jnp.mean(loss), *slopes
