"""Theorem 3's singular values, proved: the signal's is the larger at every time."""

from lemmata.papers.association.claims._proved import proved
from lemmata.papers.association.run.proofs import FlowOrder

EXPERIMENT = proved(
    "order",
    FlowOrder(),
    FlowOrder(larger="noise"),
    {"larger": "signal"},
    title="Theorem 3, proved: the order of the singular values",
    id="thm-3-rank-1-proved",
    locus="Theorem 3, second equation: 'assuming β_1 > β_2'",
    statement=r"Under Assumptions G.1 and G.2, with $n = 2$ and $\alpha \in (0, 1/2)$, at every $t > 0$ the "
    "signal's singular value exceeds the noise's, so that truncation to rank 1 removes the noise and not the "
    "signal.",
    remark="The paper assumes it. The control says the opposite.",
)
