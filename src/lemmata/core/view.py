"""What a finished run shows over its training time: matrices that play, and curves; declared beside `draw`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Frames:
    """A matrix a moment, as attention over training: `values` is [moment, row, column]."""

    title: str
    steps: Sequence[float] | np.ndarray
    values: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    note: str = ""

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

    def __post_init__(self) -> None:
        for name, values in self.series.items():
            if np.shape(values) != (len(self.steps),):
                raise ValueError(f"{self.title}: {name} has shape {np.shape(values)} at {len(self.steps)} steps")


View = Frames | Curves
