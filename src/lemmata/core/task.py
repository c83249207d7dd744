"""A task is a world that can be sampled: token batches out, nothing learned."""

import abc

import equinox as eqx
from jaxtyping import Array, Bool, Int, Key


class Batch(eqx.Module):
    """Sequences with, at each position where `mask` holds, the token the model should predict there."""

    tokens: Int[Array, "batch seq"]
    targets: Int[Array, "batch seq"]
    mask: Bool[Array, "batch seq"]


class AbstractTask(eqx.Module):
    @abc.abstractmethod
    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        """`num` sequences, a function of the key alone."""
