"""Up to which temperature the warm-up's rules have a meaning: above, what they speak of is not there."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from lemmata.core import Condition, Undecided, of_config, within
from lemmata.papers.ic_recall.theory import phase

Highest = Callable[[float], float]  # from log n
EXACTLY = "ic-recall/thm-4.2-proved proves where, to fifteen digits"


@cache
def _with_three_subjects(highest: Highest) -> float:
    return highest(math.log(3.0))


def _under(highest: Highest, key: str, why: str) -> Condition:
    @of_config
    def condition(config: Any) -> Undecided | None:
        most = _with_three_subjects(highest)
        return within(key, f"above {most:.4f} {why}", below=most)(config)

    return condition


def with_optimum(key: str = "temperatures") -> Condition:
    return _under(phase.existence_temperature, key, "the pairwise line has no optimum")


def with_global_optimum() -> Condition:
    return _under(phase.global_temperature, "temperatures", f"the optimum is another: one pair takes all ({EXACTLY})")


def below_log_two() -> Condition:
    return _under(phase.recall_temperature, "temperatures", "no pairwise attention has a loss below log 2")


def cold(most: float, key: str = "temperatures") -> Condition:
    """A limit T → 0, read where it is near."""
    return within(key, f"the limit of low temperature is read at T up to {most:g}", below=most * (1 + 1e-9))
