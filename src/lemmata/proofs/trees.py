"""Halvings of a box, and the words that stand for them: "x" splits the first axis, "y" the second, a leaf is a letter.

The word is in preorder, the lower half first; so the leaves of one axis stand from left to right, and whatever leaves a
word has, they cover the box.
"""

from collections.abc import Iterator

from lemmata.core.certificate import AXES
from lemmata.proofs.balls import middle
from lemmata.proofs.steps import Domain


def halves(box: Domain, axis: int) -> tuple[Domain, Domain]:
    low, high = box[axis]
    cut = middle(box[axis])
    before, after = box[:axis], box[axis + 1 :]
    return (*before, (low, cut), *after), (*before, (cut, high), *after)


def longest(box: Domain, whole: Domain) -> int:
    """The axis along which a box is widest, relative to the whole domain."""
    widths = [
        (high - low) / (top - bottom) if top > bottom else 0
        for (low, high), (bottom, top) in zip(box, whole, strict=True)
    ]
    return max(range(len(box)), key=lambda axis: widths[axis])


class BadTree(Exception):
    """A word that is no tree of halvings of this domain."""


def leaves(word: str, domain: Domain) -> Iterator[tuple[Domain, str]]:
    """Every leaf's box and letter."""
    waiting = [domain]
    for letter in word:
        if not waiting:
            raise BadTree("it goes on after its last leaf")
        box = waiting.pop()
        if letter not in AXES:
            yield box, letter
            continue
        axis = AXES.index(letter)
        if axis >= len(box):
            raise BadTree(f"it splits axis {letter!r} of a box without one")
        lower, upper = halves(box, axis)
        waiting += [upper, lower]
    if waiting:
        raise BadTree("it ends before its last leaf")


def words(box: Domain) -> str:
    """A box for a reader."""
    return " x ".join(
        f"[{float(low):.10g}, {float(high):.10g}]" if low != high else f"{float(low):.17g}" for low, high in box
    )
