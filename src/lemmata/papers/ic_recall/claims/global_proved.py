"""Up to which temperature the unequal minimum is the best attention, proved to fifteen digits."""

from lemmata.papers.ic_recall.claims._proved import THEOREM_4_2, transition

EXPERIMENT = transition(
    "The highest temperature at which both pairs are best, proved",
    "global",
    locus=THEOREM_4_2,
    statement="In the full world of $n$ subjects the lowest loss over the whole simplex of attention is on both pairs "
    "up to a temperature $T_g$, and from it on at one pair alone. $T_g$ lies between two numbers that differ in the "
    "fifteenth digit, world by world.",
)
