"""Precision is a property of a run, not of the process: a context, never a switch that the next run inherits."""

import contextlib
from collections.abc import Iterator
from typing import Literal

import jax

Precision = Literal["float32", "float64"]


@contextlib.contextmanager
def precision(name: Precision) -> Iterator[None]:
    """Run the block with this as JAX's default floating type.

    Double precision is computed on the CPU even where there is a GPU: what needs it here are small steps in order, one
    after another, and a GPU takes longer to start such a step than a CPU to make it.
    """
    double = name == "float64"
    with jax.enable_x64(double), _on_cpu() if double else contextlib.nullcontext():
        yield


def platform() -> str:
    """What computes here and now: "cpu", "gpu", ..."""
    chosen = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]
    return getattr(chosen, "platform", chosen) or jax.default_backend()


def _on_cpu() -> contextlib.AbstractContextManager[object]:
    if jax.default_backend() == "cpu":
        return contextlib.nullcontext()
    try:
        return jax.default_device(jax.local_devices(backend="cpu")[0])
    except RuntimeError:  # JAX_PLATFORMS names the GPU alone
        return contextlib.nullcontext()
