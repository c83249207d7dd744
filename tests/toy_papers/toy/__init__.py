"""A paper small enough to test the machinery on."""

from lemmata.core import Paper

PAPER = Paper(
    id="toy",
    title="On the Decay of Everything",
    authors="A. Nonymous",
    sentence="Gradient descent on a parabola decays geometrically.",
    package="lemmata.papers.toy",
    modules=("decay",),
)
