"""The numbers that decide a part of a claim: element by element, each with where it stands, the deciding ones first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lemmata.core.errors import Undecided
from lemmata.core.rule import Rule
from lemmata.core.sample import Sample
from lemmata.core.verdict import Verdict


@dataclass(frozen=True)
class Evidence:
    """One part: what was predicted and measured, and the verdict on it.

    `along` names the axes of the measurement: an axis' name -> its values, as {"T": (0.1, 0.2)}; a value that is a
    mapping, as of `rows_of` and `crossed`, has names of its own. Where it does not fit the measurement (changed
    settings may leave others), elements are told by their positions, counted from 1.
    """

    part: str
    rule: Rule
    verdict: Verdict
    predicted: Any
    measured: Any
    corrected: Any = None
    printed: Verdict | None = None  # on the printed form, where the corrected one was accepted: it says what decides
    along: Mapping[str, Any] = field(default_factory=dict)

    def shape(self) -> tuple[int, ...] | None:
        """Of what was compared, seeds aside; None where there is nothing to tell apart."""
        found = self.compared()
        if isinstance(found, Undecided) or self.verdict.each is None:
            return None
        try:
            return np.broadcast_shapes(np.shape(values_of(found)), np.shape(self.verdict.each.margins))
        except ValueError:  # a reading of several arrays at once: nobody can say which number stands where
            return None

    def compared(self) -> Any:
        """What the rule looked at, of what was measured."""
        return self.measured if self.verdict.compared is None else self.verdict.compared


def values_of(found: Any) -> Any:
    """A sample's mean; anything else as it is."""
    return found.mean if isinstance(found, Sample) else found
