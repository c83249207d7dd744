"""How many critical points the loss on the pairwise line has, proved for three subjects."""

from lemmata.papers.ic_recall.claims._proved import THEOREM_4_2, WARM_UP, proved
from lemmata.papers.ic_recall.run.proofs import TurningPoints
from lemmata.proofs import proved_by

UNTIL, DIP = WARM_UP.exist[0], "0.03478344"

EXPERIMENT = proved(
    "The pairwise line has two critical points, proved",
    {
        "turning-points": TurningPoints(until=UNTIL, dip=DIP),
        "wrong/turning-points": TurningPoints(until=UNTIL, dip=DIP, count=1),
    },
    proved_by(
        "turning-points",
        {"count": 2},
        id="turning-points-proved",
        locus=THEOREM_4_2,
        statement="With three subjects, at every temperature up to the last at which an unequal minimum exists, $L_1$ "
        r"on $v = (x, x, \frac12 - x, \frac12 - x, 0, 0)$ has exactly two critical points in $(0, \frac14)$, a maximum "
        "and then a minimum. (The proof of Theorem B.3 says one.)",
        remark=r"The control says one, as printed. Below $T = \frac{1}{20}$ the count is an argument with $x$ of the "
        r"order of $T$, above it a cover by boxes; docs/proofs.md has both.",
    ),
)
