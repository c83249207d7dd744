"""Commands that are printed can be pasted: they name the store and the papers' folders that the user named.

The command line says once where it was told to look; whoever prints a command need not know.
"""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_GIVEN: ContextVar[tuple[str, ...]] = ContextVar("options that say where things are", default=())


@contextmanager
def cli_options(options: Sequence[str]) -> Iterator[None]:
    """While a command runs: the options of it that every other command needs, too."""
    token = _GIVEN.set(tuple(options))
    try:
        yield
    finally:
        _GIVEN.reset(token)


def command(*words: str, scale: str = "laptop") -> str:
    """`lemmata` and these words, at another scale than the default if so, and where the user said things are."""
    at = () if scale == "laptop" else ("--scale", scale)
    return shlex.join(("lemmata", *words, *at, *_GIVEN.get()))
