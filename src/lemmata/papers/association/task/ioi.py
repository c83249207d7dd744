"""Synthetic indirect object identification (appendix J): of two names after the trigger, the one that came once."""

from dataclasses import dataclass
from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from lemmata.core import AbstractTask, Batch, Bound, Config, Natural, require
from lemmata.papers.association.task.recall import NoiseLevel


@dataclass(frozen=True, kw_only=True)
class IOIConfig(Config):
    """N symbols with the trigger among them; the noise token is N, outside."""

    symbols: Annotated[int, Bound(least=3)] = 65  # the trigger and two names
    length: Annotated[int, Bound(least=8)] = 256  # three pairs, a free position and the trigger
    trigger: Natural = 0
    alpha: NoiseLevel = 0.5  # probability of noise in the place of the answer

    def cross_check(self) -> None:
        require(self.trigger < self.symbols, "trigger", self.trigger, f"0 to {self.symbols - 1}")

    @property
    def vocab(self) -> int:
        return self.symbols + 1

    @property
    def noise_token(self) -> int:
        return self.symbols

    def outputs(self) -> tuple[int, ...]:
        """The names. The trigger is none: as a name it would make a fourth trigger in the context."""
        return tuple(token for token in range(self.symbols) if token != self.trigger)


class IOISample(eqx.Module):
    tokens: Int[Array, "batch seq"]
    answer: Int[Array, " batch"]  # z_{T+1}: the correct name or the noise token
    correct: Int[Array, " batch"]
    distractor: Int[Array, " batch"]


class SyntheticIOI(AbstractTask):
    config: IOIConfig = eqx.field(static=True)

    def draw(self, num: int, *, key: Key[Array, ""]) -> IOISample:
        config = self.config
        name_key, place_key, order_key, fill_key, noise_key = jax.random.split(key, 5)
        names = np.array(config.outputs())
        first, second = jax.random.split(name_key)
        a = jax.random.randint(first, (num,), 0, len(names))
        b = jax.random.randint(second, (num,), 0, len(names) - 1)
        correct, distractor = jnp.asarray(names)[a], jnp.asarray(names)[b + (b >= a)]  # two different names
        fillers = np.array([token for token in range(config.vocab) if token != config.trigger])
        tokens = jnp.asarray(fillers)[jax.random.randint(fill_key, (num, config.length), 0, len(fillers))]
        # Three places of [T - 2] at distances of 2 or more are three distinct ones of [T - 4], spread by 0, 1, 2.
        order = jnp.argsort(jax.random.bits(place_key, (num, config.length - 4)), axis=1)[:, :3]
        places = jnp.sort(order, axis=1) + jnp.arange(3)
        odd_one = jax.random.randint(order_key, (num, 1), 0, 3)
        follower = jnp.where(jnp.arange(3) == odd_one, correct[:, None], distractor[:, None])
        rows = jnp.arange(num)[:, None]
        tokens = tokens.at[rows, places].set(config.trigger).at[rows, places + 1].set(follower)
        tokens = tokens.at[:, -1].set(config.trigger).astype(jnp.int32)
        noisy = jax.random.bernoulli(noise_key, config.alpha, (num,))
        answer = jnp.where(noisy, config.noise_token, correct).astype(jnp.int32)
        return IOISample(tokens, answer, correct.astype(jnp.int32), distractor.astype(jnp.int32))

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        drawn = self.draw(num, key=key)
        following = jnp.concatenate([drawn.tokens[:, 1:], drawn.answer[:, None]], axis=1)
        mask = jnp.broadcast_to(jnp.arange(self.config.length) == self.config.length - 1, drawn.tokens.shape)
        return Batch(drawn.tokens, following, mask)
