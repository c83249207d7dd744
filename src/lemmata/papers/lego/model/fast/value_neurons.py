"""Equal to the value's logits of `TheoryTransformer` where slots 2 and 5 are read: W_5 alone, neurons first.

Sums over neurons then run through contiguous memory. Only what the value's loss sees is kept (slots 2 and 5, classes
of values); everything that may differ between models of one action, the vocabulary's size included, is an array, so
that they share one program.
"""

import math
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import require
from lemmata.papers.lego.model.theory_transformer import TheoryConfig


class ValueNeurons(eqx.Module):
    actions: Float[Array, "neurons classes actions"]  # V_{j,r}(g)
    values: Float[Array, "neurons classes values"]  # V_{j,r}(y)
    speaks: Float[Array, " neurons"]
    bias: Float[Array, ""]
    rho: Float[Array, ""]
    bound: Float[Array, ""]  # B
    vocab: Float[Array, ""]  # d
    power: int = eqx.field(static=True)

    @staticmethod
    def create(config: TheoryConfig, *, key: Key[Array, ""]) -> "ValueNeurons":
        """Assumption 3.3, without W_4: with thousands of variables its draw alone would take seconds."""
        exact_for(config.reads, config.classes)
        keys = jax.vmap(lambda r: jax.random.fold_in(key, r))(jnp.arange(config.width))
        shape = (config.values, config.actions + config.values)
        drawn = config.sigma * jax.vmap(lambda k: jax.random.normal(k, shape))(keys)
        constants = {"bias": config.sigma * math.log(config.vocab), "rho": config.smoothing, "bound": config.bound}
        return ValueNeurons(
            actions=drawn[..., : config.actions],
            values=drawn[..., config.actions :],
            speaks=jnp.asarray(jnp.arange(config.width) < (config.active or config.width), float),
            vocab=jnp.asarray(config.vocab, float),
            power=config.power,
            **{name: jnp.asarray(value, float) for name, value in constants.items()},
        )

    @property
    def floor(self) -> Float[Array, ""]:
        """The least loss of a step that the clip allows: the right logit at B, all others at 0."""
        return jnp.log1p((self.vocab - 1) * jnp.exp(-self.bound))

    @property
    def silent(self) -> Float[Array, ""]:
        """Tokens without neurons: their logits are 0."""
        return self.vocab - self.values.shape[1]

    def slope(self, read: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The smoothed ReLU's derivative, the bias added to what is read."""
        return jnp.clip((read + self.bias) * (1 / self.rho), 0, 1) ** (self.power - 1)

    def logits(
        self, read: Callable[..., Float[Array, "classes *inputs"]], shape: tuple[int, ...], *tables: Array
    ) -> Float[Array, "classes *inputs"]:
        """Before the clip. `read` says what a neuron reads, from its rows of the tables (its own two, unless others are
        given). A loop over neurons keeps the logits in the cache: four times as fast as all neurons at once."""

        def add(so_far: Array, neuron: tuple[Array, ...]) -> tuple[Array, None]:
            speaks, *own = neuron
            return so_far + speaks * self.fire(read(*own)), None

        each = (self.speaks, *(tables or (self.actions, self.values)))
        return jax.lax.scan(add, jnp.zeros(shape), each)[0]

    def fire(self, read: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """The smoothed ReLU itself (Definition 3.4)."""
        x = read + self.bias  # times 1/rho below: a division for each would take longer than all the rest
        return self.rho / self.power * jnp.clip(x * (1 / self.rho), 0, 1) ** self.power + jnp.maximum(x - self.rho, 0)


def exact_for(reads: str, classes: str) -> None:
    """The exact engines know the value's loss by actions and values alone."""
    require(reads == "needed", "reads", reads, "needed: neurons that read variables break their exchangeability")
    require(classes == "possible", "classes", classes, "possible: other tokens' logits stay at 0")


def nll_and_slope(
    logits: Float[Array, "classes *inputs"], truth: Bool[Array, "classes *#inputs"], neurons: ValueNeurons
) -> tuple[Float[Array, "*inputs"], Float[Array, "classes *inputs"]]:
    """-log p of the true class, and its derivative in the logits before the clip. Both keep their digits where p is
    nearly 1: what is small is summed, never subtracted from 1."""
    clipped = jnp.minimum(logits, neurons.bound)
    right = jnp.sum(jnp.where(truth, clipped, 0), axis=0)
    others = jnp.where(truth, 0, jnp.exp(clipped - right))
    odds = jnp.sum(others, axis=0) + neurons.silent * jnp.exp(-right)
    slope = jnp.where(truth, -odds, others) / (1 + odds)
    return jnp.log1p(odds), jnp.where(logits < neurons.bound, slope, 0)


def value_of_each(table: Int[Array, "action value"]) -> Bool[Array, "classes value action"]:
    """Whether g(y) is j."""
    return jnp.arange(table.shape[1])[:, None, None] == table.T[None]
