"""A run computes in one thread: other runs have the other cores, and a sum in two parts has other last digits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

THREADS = "PJRT_NPROC"  # what JAX makes its threads by when it first looks for devices
LINEAR_ALGEBRA = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # NumPy's and SciPy's, read on import


def compute_in_one_thread() -> None:
    """From now on, in this process and those it starts, if JAX has computed nothing yet; not where somebody has said
    how many."""
    os.environ.setdefault(THREADS, "1")


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes started in this block have one thread for linear algebra: a thread a core in each of many processes
    that wait for one another took twice the time."""
    lacking = [name for name in LINEAR_ALGEBRA if name not in os.environ]
    os.environ.update(dict.fromkeys(lacking, "1"))
    try:
        yield
    finally:
        for name in lacking:
            del os.environ[name]
