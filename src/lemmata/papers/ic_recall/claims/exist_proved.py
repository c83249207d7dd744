"""Up to which temperature the pairwise line has an unequal minimum, proved to fifteen digits."""

from lemmata.papers.ic_recall.claims._proved import BEYOND, transition

EXPERIMENT = transition(
    "The highest temperature with an unequal minimum, proved",
    "exist",
    locus=BEYOND,
    statement="In the full world of $n$ subjects the highest temperature at which the loss has an unequal minimum on "
    r"$v = (x, x, \frac12 - x, \frac12 - x, 0, 0)$ lies between two numbers that differ in the fifteenth digit, world "
    "by world.",
)
