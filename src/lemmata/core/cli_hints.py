"""Commands that are printed can be pasted: they name the store and the papers' folders that the user named.

The command line says once where it was told to look; whoever prints a command need not know.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from lemmata.core.scale import Scale

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


def command_of(
    experiment_id: str, scale: Scale, changes: Mapping[str, str] | None = None, verb: str = "reproduce"
) -> str:
    """`verb`: of an experiment as it is; one with changed assumptions is `run`."""
    words = ["run" if changes else verb, experiment_id, "--scale", scale.name]
    words += ["--seeds", str(scale.num_seeds)] if scale.num_seeds else []
    words += ["--replication", str(scale.replication)] if scale.replication else []
    words += ["--set", *(f"{key}={value}" for key, value in changes.items())] if changes else []
    return command(*words)
