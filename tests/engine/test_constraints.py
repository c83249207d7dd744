"""Constraints as types: what a field may hold is checked in one place, and said in words."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from lemmata.core import Bound, Config, Count, Inside, Natural, NonNegative, Positive, Share, Some, UserError, require
from lemmata.core.config import described


@dataclass(frozen=True, kw_only=True)
class Inner(Config):
    size: Annotated[int, Bound(least=3, most=5)] = 3


@dataclass(frozen=True, kw_only=True)
class Outer(Config):
    rate: Positive = 0.1
    decay: NonNegative = 0.0
    alpha: Share = 1.0
    level: Inside = 0.5
    steps: Count = 1
    early: Natural = 0
    clip: Positive | None = None
    seeds: Some[int] = (0,)
    rates: Some[Positive] = (0.1,)
    pairs: tuple[tuple[Count, float], ...] = ()
    mode: Literal["fast", "exact"] = "fast"
    inner: Inner = Inner()

    def cross_check(self) -> None:
        require(self.early <= self.steps, "early", self.early, f"at most steps = {self.steps}")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rate": 0.0}, "rate = 0.0 is not possible: above 0"),
        ({"decay": -1.0}, "decay = -1.0 is not possible: at least 0"),
        ({"alpha": 1.5}, "alpha = 1.5 is not possible: at least 0 and at most 1"),
        ({"level": 1.0}, "above 0 and below 1"),
        ({"steps": 0}, "steps = 0 is not possible: at least 1"),
        ({"clip": 0.0}, "clip = 0.0"),
        ({"seeds": ()}, r"seeds = \(\) is not possible: a list of length at least 1"),
        ({"rates": (0.1, -1.0)}, r"rates\[1\] = -1.0 is not possible: above 0"),
        ({"pairs": ((1, 0.0), (0, 0.0))}, r"pairs\[1\]\[0\] = 0"),
        ({"early": 2}, "early = 2 is not possible: at most steps = 1"),
    ],
)
def test_what_is_out_of_bounds_is_refused(wrong: dict, message: str) -> None:
    assert Outer(clip=1.0, rates=(0.1, 0.2), pairs=((1, -2.0),)).clip == 1.0
    with pytest.raises(UserError, match=message):
        Outer(**wrong)


def test_nested_configs_check_themselves() -> None:
    with pytest.raises(UserError, match="size = 9 is not possible: at least 3 and at most 5"):
        Inner(size=9)


def test_fields_say_what_they_may_hold() -> None:
    said = {key: (words, value) for key, words, value in described(Outer())}
    assert said["rate"] == ("float, above 0", 0.1)
    assert said["clip"] == ("float, above 0 or None", None)
    assert said["seeds"] == ("list of int, no fewer than 1", [0])
    assert said["mode"] == ("one of fast, exact", "fast")
    assert said["inner.size"] == ("int, at least 3 and at most 5", 3)
