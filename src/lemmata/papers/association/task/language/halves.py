"""Two halves of a set of prompts: one to choose settings on, the other to judge them on."""

import zlib
from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

Half = Literal["choose", "judge"]
HALVES: tuple[Half, ...] = ("choose", "judge")
T = TypeVar("T")


def halves(items: Iterable[T], key: Callable[[T], str]) -> dict[Half, tuple[T, ...]]:
    """Split so that no key (a name, a subject) stands in both halves; by the keys alone, whatever the seed."""
    items = tuple(items)
    keys = sorted({key(item) for item in items}, key=lambda one: (zlib.crc32(one.encode()), one))
    half_of = {one: HALVES[place % 2] for place, one in enumerate(keys)}
    return {half: tuple(item for item in items if half_of[key(item)] == half) for half in HALVES}
