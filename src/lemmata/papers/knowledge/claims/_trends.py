"""How much harder or easier facts are to reach: by what factor those that stay inside grow fewer.

Differences of extraction are no measure of this near 0 and 1; and a model that was never fine-tuned, whose prompt looks
at the subject by chance, shows them too. The factor tells the two apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import SHARE, Part, Rule, Seeds


def failing(extraction: np.ndarray, held_out: int) -> np.ndarray:
    """The share of held-out facts that do not come out, half a fact added to each side: it is never 0."""
    return ((1 - np.asarray(extraction, float)) * held_out + 0.5) / (held_out + 1)


def halvings(first: np.ndarray, last: np.ndarray, held_out: int) -> np.ndarray:
    """How many times the failures halve from the first extraction to the last, for each seed."""
    return np.log2(failing(first, held_out) / failing(last, held_out))


def over_seeds(
    read: Callable[[Any], Any],
    rule: Rule,
    along: Mapping[str, Any] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Part:
    """A part whose reading gives a number (or a row, with the name of its axis in `along`) a seed, judged by the
    interval of their mean. `bounds`: what the number can be at all."""
    return Part(lambda subject: Seeds(read(subject), bounds=bounds), replace(rule, over_seeds=True), along=along or {})


def share_over_seeds(read: Callable[[Any], Any], rule: Rule, along: Mapping[str, Any] | None = None) -> Part:
    """The same where the number is a share of facts or a probability."""
    return over_seeds(read, rule, along, SHARE)
