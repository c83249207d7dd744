"""What a run shows over its training time, declared beside `draw`: matrices that play, curves, a point on a line; and
which of the numbers that it records on its way a claim will read in the end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lemmata.core.run import Runs


@dataclass(frozen=True, kw_only=True)
class Frames:
    """A matrix a moment, as attention over training: `values` is [moment, row, column]."""

    title: str
    steps: Sequence[float] | np.ndarray
    values: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    note: str = ""
    clock: str = "step"  # what `steps` count

    def __post_init__(self) -> None:
        wanted = (len(self.steps), len(self.rows), len(self.columns))
        if np.shape(self.values) != wanted:
            raise ValueError(f"{self.title}: frames of shape {np.shape(self.values)}, their labels say {wanted}")


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Numbers over training, by name; `band`: between which values the rule wants them in the end."""

    title: str
    steps: Sequence[float] | np.ndarray
    series: Mapping[str, np.ndarray]
    band: tuple[float, float] | None = None
    note: str = ""
    clock: str = "step"

    def __post_init__(self) -> None:
        for name, values in self.series.items():
            if np.shape(values) != (len(self.steps),):
                raise ValueError(f"{self.title}: {name} has shape {np.shape(values)} at {len(self.steps)} steps")


@dataclass(frozen=True, kw_only=True)
class Track:
    """A point that moves over training, above a curve of theory that stands still: `line`, its x and its y."""

    title: str
    steps: Sequence[float] | np.ndarray
    x: np.ndarray
    y: np.ndarray
    x_label: str
    y_label: str
    line: tuple[np.ndarray, np.ndarray]
    note: str = ""
    clock: str = "step"

    def __post_init__(self) -> None:
        shapes = {np.shape(self.x), np.shape(self.y), (len(self.steps),)}
        if len(shapes) > 1 or np.shape(self.line[0]) != np.shape(self.line[1]):
            raise ValueError(
                f"{self.title}: its point has shapes {shapes}, its line {[np.shape(a) for a in self.line]}"
            )


@dataclass(frozen=True, kw_only=True)
class Follow:
    """A number that a run records on its way, as the part of a claim reads it at the end: the live page draws what the
    rule asks beneath it, and judges it as it stands."""

    run: str  # by the experiment's name for it
    row: str  # as the training loop records it, one number a seed
    claim: str  # its id, without the paper's
    part: str = ""


View = Frames | Curves | Track


@dataclass(frozen=True, kw_only=True)
class Live:
    """What the live page shows of an experiment; it decides nothing."""

    views: Callable[["Runs"], Sequence[View]] = lambda runs: ()  # what it plays back over training time
    follows: tuple[Follow, ...] = ()  # numbers that are judged while they are recorded
