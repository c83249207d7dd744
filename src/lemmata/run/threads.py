"""A run computes in one thread: other runs have the other cores, and a sum in two parts has other last digits."""

import os

THREADS = "PJRT_NPROC"  # what JAX makes its threads by when it first looks for devices


def compute_in_one_thread() -> None:
    """From now on, in this process and those it starts, if JAX has computed nothing yet; not where somebody has said
    how many."""
    os.environ.setdefault(THREADS, "1")
