"""What the toy paper states."""

from lemmata.record import Stated

COVERAGE = (
    Stated("Section 1", claims=("rate", "typo")),
    Stated("Section 2", claims=("bound", "vague"), why="x in the end is not run long enough"),
    Stated("Section 3", claims=("sure", "coin", "close")),
    Stated("Theorem 4", why="It is about infinitely many steps."),
)
