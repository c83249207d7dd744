"""Programs that run for a moment need not be fast ones: where compiling is nearly all there is to do, it is hasty."""

import os
from importlib.metadata import version
from importlib.util import find_spec

FLAGS = "XLA_FLAGS"
HASTY = "--xla_backend_optimization_level=0"
OLDER_CODE = "--xla_cpu_use_fusion_emitters=false"  # what the newer emitters make takes three times as long to compile
WITH_OLDER_CODE = "0.10."  # XLA ends the process at a flag that it does not know


def compile_hastily() -> None:
    """From now on, in this process and those it starts, if JAX has compiled nothing yet; not on a GPU, and not where
    somebody has chosen flags already."""
    if FLAGS not in os.environ and find_spec("jax_plugins") is None:
        older = OLDER_CODE if version("jaxlib").startswith(WITH_OLDER_CODE) else ""
        os.environ[FLAGS] = f"{HASTY} {older}".strip()
