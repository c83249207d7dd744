"""How much XLA makes of a program: at its highest level compiling takes longer than what the papers' programs gain."""

import os
from importlib.metadata import version
from importlib.util import find_spec

FLAGS = "XLA_FLAGS"
LEVEL = "--xla_backend_optimization_level={}"
OLDER_CODE = "--xla_cpu_use_fusion_emitters=false"  # what the newer emitters make takes three times as long to compile
ONE_PART = "--xla_cpu_parallel_codegen_split_count=1"  # 32 parts help many threads; one thread pays for each
KNOWN_TO = "0.10."  # XLA ends the process at a flag that it does not know


def compile_lightly() -> None:
    """Programs that are no slower, made in two thirds of the time. From now on, in this process and those it starts,
    if JAX has compiled nothing yet; not on a GPU, and not where somebody has chosen flags already."""
    _choose(LEVEL.format(1), ONE_PART)


def compile_hastily() -> None:
    """The same for programs that run for a moment and need not be fast ones."""
    _choose(LEVEL.format(0), ONE_PART, OLDER_CODE)


def _choose(level: str, *others: str) -> None:
    if FLAGS not in os.environ and find_spec("jax_plugins") is None:
        os.environ[FLAGS] = " ".join((level, *(others if version("jaxlib").startswith(KNOWN_TO) else ())))
