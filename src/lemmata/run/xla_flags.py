"""How much XLA makes of a program: at its highest level compiling takes longer than what the papers' programs gain."""

import os
from importlib.metadata import version

from lemmata.core.jit_options import OPTIMIZE, has_gpu

FLAGS = "XLA_FLAGS"
LEVEL = "--xla_backend_optimization_level={}"
OLDER_CODE = "--xla_cpu_use_fusion_emitters=false"  # what the newer emitters make takes three times as long to compile
ONE_PART = "--xla_cpu_parallel_codegen_split_count=1"  # 32 parts help many threads; one thread pays for each
KNOWN = version("jaxlib").startswith(
    "0.10."
)  # XLA ends the process at a flag that it does not know: 0.11 has dropped one
IN_HASTE = " ".join((LEVEL.format(0), ONE_PART, OLDER_CODE))


def compile_lightly() -> None:
    """In haste, but for what `lemmata.core.thorough_jit` marks. From now on, in this process and those it starts, if
    JAX has compiled nothing yet; not on a GPU, and not where somebody has chosen flags already."""
    if _may_choose():
        if KNOWN:
            os.environ[OPTIMIZE] = "1"
        os.environ[FLAGS] = IN_HASTE if KNOWN else LEVEL.format(1)


def compile_fast() -> None:
    """The same for runs of a moment, which mark nothing."""
    if _may_choose():
        os.environ[FLAGS] = IN_HASTE if KNOWN else LEVEL.format(0)


def _may_choose() -> bool:
    return FLAGS not in os.environ and not has_gpu()
