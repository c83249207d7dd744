"""Where runs are computed, and what a run asks of the machine that computes it."""

from dataclasses import dataclass
from typing import Literal, get_args

EngineName = Literal["local", "ray"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What an engine that has several machines keeps free for a run."""

    cpus: float = 1
    gpus: float = 0
    memory: int = 0  # bytes; 0: not known, so nothing is kept free
