"""A paper whose runs take a while, and of which one can go wrong in every way."""

from lemmata.core import Paper

PAPER = Paper(
    id="faulty",
    title="On Walks That Are Disturbed",
    authors="A. Nonymous",
    year=2026,
    sentence="A random walk ends where it ends, whoever disturbs it.",
)
