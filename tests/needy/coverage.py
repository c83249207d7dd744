"""What the needy paper states."""

from lemmata.record import Stated

COVERAGE = (
    Stated("Section 1", claims=("small",)),
    Stated("Section 2", claims=("long", "even")),
    Stated("Section 3", why="A joke."),
)
