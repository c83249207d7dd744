"""A proof as data: the statement it is of, the boxes that were covered, and whether they closed.

A certificate is not to be believed: whoever doubts it builds the steps again from the statement and checks every box
(`lemmata verify-proof`). A step's boxes are a tree of halvings of the step's own domain, so that they cover it by
construction: "xL" writes a split of the first axis and a leaf.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from lemmata.core.config import digest
from lemmata.core.errors import Undecided
from lemmata.core.pluralize import pluralize

Made = TypeVar("Made")
Outcome = Literal["closed", "open", "refuted"]
ARRAY = "certificate"  # its name among a run's arrays


@dataclass(frozen=True)
class Proposition:
    """What is to be proved: in words, on which set, and as the canonical text of the config that builds the proof."""

    says: str
    on: str  # as "T in (0, 0.08]"
    text: str

    @property
    def digest(self) -> str:
        return digest("|".join((self.says, self.on, self.text)))

    def __str__(self) -> str:
        return self.says


@dataclass(frozen=True)
class ProvedStep:
    """One inequality, count or identity: its name, and the tree of its boxes with a letter a leaf."""

    name: str
    tree: str
    bits: int = 0  # of the balls; 0: integers and fractions alone


@dataclass(frozen=True)
class Certificate:
    proposition: str  # the digest of the one it is of
    says: str
    on: str
    steps: tuple[ProvedStep, ...]
    outcome: Outcome
    where: str = ""  # the box that stayed open, or where the statement is false

    @property
    def boxes(self) -> int:
        return sum(letter not in AXES for step in self.steps for letter in step.tree)

    @property
    def bits(self) -> int:
        return max((step.bits for step in self.steps), default=0)

    def __str__(self) -> str:
        size = f"{pluralize(len(self.steps), 'step')}, {pluralize(self.boxes, 'box', 'boxes')}" + (
            f", {self.bits} bits" if self.bits else ""
        )
        return f"{self.outcome} ({size})" + (f": {self.where}" if self.where else "")

    def as_array(self) -> np.ndarray:
        """For a run's arrays."""
        return np.frombuffer(json.dumps(asdict(self), sort_keys=True).encode(), dtype=np.uint8)


AXES = "xyz"  # letters of a tree that are splits; every other one is a leaf


def read_certificate(stored: np.ndarray) -> Certificate:
    """`Undecided` where it is none: whoever sends one may have written anything."""
    try:
        data = json.loads(bytes(np.asarray(stored, dtype=np.uint8)).decode())
        steps = tuple(_typed(ProvedStep, step) for step in data.pop("steps"))
        return _typed(Certificate, {**data, "steps": steps})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Undecided(f"the certificate cannot be read ({type(error).__name__})") from None


def _typed(kind: type[Made], data: dict[str, Any]) -> Made:
    texts = {name: value for name, value in data.items() if name not in ("steps", "bits")}
    if not all(isinstance(value, str) for value in texts.values()) or type(data.get("bits", 0)) is not int:
        raise TypeError
    return kind(**data)
