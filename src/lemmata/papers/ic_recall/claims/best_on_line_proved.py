"""The best attention is pairwise, at every temperature and in every full world."""

from lemmata.papers.ic_recall.claims._proved import THEOREM_4_2, proved
from lemmata.papers.ic_recall.run.proofs import BestOnLine
from lemmata.proofs import proved_by

EXPERIMENT = proved(
    "The best attention lies on the pairwise line, proved",
    {"best-on-line": BestOnLine(), "wrong/best-on-line": BestOnLine(right=2)},
    proved_by(
        "best-on-line",
        {"right": 1},
        id="best-on-line-proved",
        locus=THEOREM_4_2,
        statement=r"At every temperature and in every full world the lowest loss over the 5-simplex of attention is "
        r"attained on the pairwise line $(x, x, \frac12 - x, \frac12 - x, 0, 0)$.",
        remark="The control asks for another relation, whose pairs are others. The argument is three lines of "
        "arithmetic and geometric means; the certificate holds the facts about relations that it uses.",
    ),
)
