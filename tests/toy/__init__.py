"""A paper small enough to test the machinery on."""

from lemmata.core import Paper

PAPER = Paper(
    id="toy",
    title="On the Decay of Everything",
    authors="A. Nonymous",
    year=2026,
    sentence="Gradient descent on a parabola decays geometrically.",
)
