"""Arithmetic without warnings, where any assumption may have been changed."""

import contextlib
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def suppress_warnings(changed: bool) -> Iterator[None]:
    """Under changed assumptions what is not a number decides nothing, and its verdict says so: NumPy need not too.

    Without changes a warning is a defect of the reading, and stays.
    """
    with warnings.catch_warnings():
        if changed:
            warnings.simplefilter("ignore", RuntimeWarning)
        yield
