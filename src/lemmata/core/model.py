"""A model maps ONE sequence to logits; callers vmap. `trace` gives the inside of the same pass as values."""

import abc

import equinox as eqx
from jaxtyping import Array, Float, Int


class Trace(eqx.Module):
    """What happened inside one forward pass."""

    attention: Float[Array, "layer query key"]
    residuals: Float[Array, "depth seq width"]
    logits: Float[Array, "seq vocab"]


class AbstractModel(eqx.Module):
    @abc.abstractmethod
    def __call__(self, tokens: Int[Array, " seq"]) -> Float[Array, "seq vocab"]:
        """Next-token logits at every position."""

    @abc.abstractmethod
    def trace(self, tokens: Int[Array, " seq"]) -> Trace:
        """The same pass, with attention and residual stream."""
