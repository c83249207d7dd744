"""Precision is a property of a run, not of the process: a context, never a switch that the next run inherits."""

import contextlib
from collections.abc import Iterator
from typing import Literal

import jax

Precision = Literal["float32", "float64"]


@contextlib.contextmanager
def precision(name: Precision) -> Iterator[None]:
    """Run the block with this as JAX's default floating type."""
    with jax.enable_x64(name == "float64"):
        yield
