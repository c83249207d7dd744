"""Equal to `one_step_slopes` of `ValueNeurons`, for small worlds; also with the activation of Assumption B.2.

Dense in neurons, classes and pairs: a step is one small array, and d enters as a number, so it may be 10^16.
"""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

Pairs = Float[Array, "neurons classes values actions"]


class FeatureNeurons(eqx.Module):
    actions: Float[Array, "neurons classes actions"]  # V_{j,r}(g)
    values: Float[Array, "neurons classes values"]  # V_{j,r}(y)
    vocab: Float[Array, ""]  # d
    bias: Float[Array, ""]  # mu = sigma_0 log d
    rho: Float[Array, ""]
    bound: Float[Array, ""]  # B
    leak: Float[Array, ""]  # varpi of Assumption B.2; 0 for Definition 3.4
    power: int = eqx.field(static=True)

    @property
    def floor(self) -> Float[Array, ""]:
        """lambda of Fact B.2 is this to leading order: 1 - p of the right class where it is at B and others at 0."""
        return jnp.log1p((self.vocab - 1) * jnp.exp(-self.bound))

    def read(self) -> Pairs:
        """The pre-activation on every pair, the bias in it."""
        return (self.actions[:, :, None, :] + self.values[:, :, :, None]) / 2 + self.bias

    def fire(self, x: Pairs) -> Pairs:
        """Assumption B.2; with leak 0 Definition 3.4. Constants join the branches."""
        below = jnp.where(x > -self.leak, -(x**2) / 2, self.leak * jnp.maximum(x, -self.bound) + self.leak**2 / 2)
        above = self.rho / self.power * jnp.clip(x / self.rho, 0, 1) ** self.power + jnp.maximum(x - self.rho, 0)
        return jnp.where(x > 0, above, jnp.where(self.leak > 0, below, 0))

    def slope(self, x: Pairs) -> Pairs:
        below = jnp.where(x > -self.bound, jnp.minimum(-x, self.leak), 0)
        above = jnp.clip(x / self.rho, 0, 1) ** (self.power - 1)
        return jnp.where(x > 0, above, below)


def new_neurons(
    shape: tuple[int, int, int],
    vocab: float,
    sigma: float,
    clip: float,
    power: int,
    rho: float,
    leak: float,
    *,
    key: Key[Array, ""],
) -> FeatureNeurons:
    neurons, actions, values = shape
    drawn = sigma * jax.random.normal(key, (neurons, values, actions + values))
    bound = clip * math.log(vocab)
    numbers = {"vocab": vocab, "bias": sigma * math.log(vocab), "rho": rho, "bound": bound, "leak": leak}
    return FeatureNeurons(
        actions=drawn[..., :actions],
        values=drawn[..., actions:],
        power=power,
        **{name: jnp.asarray(float(number)) for name, number in numbers.items()},
    )


def right_of(table: Int[Array, "actions values"]) -> Float[Array, "classes values actions"]:
    """1 where g(y) is j."""
    return jnp.asarray(jnp.arange(table.shape[1])[:, None, None] == table.T[None], float)


class OneStepSlopes(eqx.Module):
    loss: Float[Array, ""]
    right: Float[Array, "values actions"]  # 1 - p of the right class
    wrong: Float[Array, ""]  # the largest p of a wrong class among values
    actions: Float[Array, "neurons classes actions"]
    values: Float[Array, "neurons classes values"]


def slopes(neurons: FeatureNeurons, truth: Float[Array, "classes values actions"]) -> OneStepSlopes:
    """Loss_5^1 over all pairs at uniform attention, and its derivative. What is small is summed, never 1 minus it."""
    x = neurons.read()
    logits = jnp.sum(neurons.fire(x), axis=0)
    clipped = jnp.minimum(logits, neurons.bound)
    right = jnp.sum(truth * clipped, axis=0)
    others = jnp.where(truth > 0, 0, jnp.exp(clipped - right))
    silent = neurons.vocab - truth.shape[0]
    odds = jnp.sum(others, axis=0) + silent * jnp.exp(-right)
    by_logit = jnp.where(truth > 0, -odds, others) / (1 + odds)
    moved = jnp.where(logits < neurons.bound, by_logit, 0) * neurons.slope(x) / (2 * odds.size)
    loss = jnp.mean(jnp.log1p(odds))
    return OneStepSlopes(
        loss, odds / (1 + odds), jnp.max(others / (1 + odds)), jnp.sum(moved, axis=2), jnp.sum(moved, axis=3)
    )
