"""The kinds of steps a proof is made of. A function takes balls or power series over balls, one a variable."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Interval = tuple[Fraction, Fraction]  # with its ends
Domain = tuple[Interval, ...]
Function = Callable[..., Any]


@dataclass(frozen=True)
class Positive:
    """A function is positive on all of a box; ends that coincide make it a point."""

    name: str
    function: Function
    domain: Domain
    bits: int = 128


@dataclass(frozen=True)
class Zeros:
    """A function of one variable has exactly `count` zeros in an interval, each of them simple."""

    name: str
    function: Function
    domain: Domain
    count: int
    bits: int = 128


@dataclass(frozen=True)
class Exact:
    """Something that integers and fractions decide."""

    name: str
    holds: Callable[[], bool]


Step = Positive | Zeros | Exact
