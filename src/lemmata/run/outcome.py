"""How an attempt at a run ended."""

from dataclasses import dataclass

from lemmata.core import Undecided


@dataclass(frozen=True)
class Finished:
    digest: str
    seconds: float


@dataclass(frozen=True)
class Refused:
    """The request is not possible: nothing else is tried."""

    digest: str
    message: str


@dataclass(frozen=True)
class Raised:
    """The run's own code raised; another attempt would, too."""

    digest: str
    reason: str
    trace: str


@dataclass(frozen=True)
class Died:
    """The process that computed it is gone; another one can continue from the checkpoint."""

    digest: str
    how: str


@dataclass(frozen=True)
class Helped:
    """A process that helped with a run has stopped, however: whoever computes the run goes on without it."""

    digest: str


@dataclass(frozen=True)
class Stopped:
    """The process that computes it is there and does nothing, until somebody lets it go on."""

    digest: str
    how: str


Outcome = Finished | Refused | Raised | Died | Helped | Stopped


def reason_of(error: Exception) -> str:
    """Why a run cannot be had, in one line."""
    if isinstance(error, Undecided):
        return error.reason
    lines = str(error).strip().splitlines()
    said = lines[0] if lines else ""
    if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in said:
        return f"out of memory{f' ({said})' if said else ''}"
    return f"{type(error).__name__}: {said}".rstrip(": ")
