"""A probe reads numbers from an unchanged model."""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Array, Key


@runtime_checkable
class Probe(Protocol):
    def __call__(self, model: Any, task: Any, *, key: Key[Array, ""]) -> dict[str, Array]: ...
