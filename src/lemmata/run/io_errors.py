"""A store that cannot be written: said in one line, whatever library stumbled over it."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from safetensors import SafetensorError

from lemmata.core import UserError


class Unwritable(UserError):
    """The store takes nothing more: its disk is full, it has become read-only, it is gone."""


@contextlib.contextmanager
def writing(root: Path, then: str = "; what is finished is kept, and the same command continues") -> Iterator[None]:
    """Whatever keeps the store from being written is said in one line."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        matched = re.search(r"os error (\d+)", str(error)) if isinstance(error, SafetensorError) else None
        if isinstance(error, SafetensorError) and not matched:
            raise
        number = int(matched[1]) if matched else getattr(error, "errno", None)
        why = os.strerror(number) if number else str(error)
        raise Unwritable(f"store {str(root)!r} cannot be written: {why}{then}") from None
