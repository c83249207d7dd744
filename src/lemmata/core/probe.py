"""A probe reads numbers from an unchanged model."""

from typing import Any, Protocol

from jaxtyping import Array, Key


class Probe(Protocol):
    def __call__(self, model: Any, task: Any, *, key: Key[Array, ""]) -> dict[str, Array]: ...
