"""Programs that are worth compiling well, among others that are compiled in haste.

Most programs of a run draw, read or lay out something a few times: making them fast takes longer than they do. Loops
are another matter. Which is which stands in the code, not in a measurement: bits do not depend on how long a run took.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any

import equinox as eqx

OPTIMIZE = "LEMMATA_THOROUGH"  # set where programs are compiled in haste by default, by `lemmata.run.compile_lightly`
OPTIONS = {"xla_backend_optimization_level": 1, "xla_cpu_use_fusion_emitters": True}


def has_gpu() -> bool:
    """Whether JAX may find one. Nothing is asked of JAX: its flags are read when it first looks for devices."""
    return find_spec("jax_plugins") is not None and os.environ.get("JAX_PLATFORMS") != "cpu"


def optimized_jit(function: Callable[..., Any], jit: Callable[..., Any] = eqx.filter_jit, **how: Any) -> Any:
    """Like `jit`, for a program that runs for longer than it takes to compile; not within another one."""

    @cache
    def compiled() -> Callable[..., Any]:  # at the first call: by then a command has chosen how
        return jit(function, **how, **({"compiler_options": OPTIONS} if OPTIMIZE in os.environ else {}))

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return compiled()(*args, **kwargs)

    return call
