"""Theorem 3's corrected flow, proved: which margins descend monotonically, and which does not."""

from lemmata.papers.association.claims._proved import proved
from lemmata.papers.association.run.proofs import FlowTurn

EXPERIMENT = proved(
    "turn",
    FlowTurn(),
    FlowTurn(after="falls"),
    {"after": "rises"},
    title="Theorem 3's corrected flow, proved: one margin descends, the other turns once",
    id="thm-3-turn-proved",
    locus="Lemma H.3, with the right rates of (42)",
    statement=r"Under Assumptions G.1 and G.2, with $n = 2$, the right rates of (42) and $\alpha \in (0, "
    "1/2)$, $a = W_{12} - W_{11}$ descends at every time. $b = W_{13} - W_{11}$ falls below its limit "
    r"$\log\frac{\alpha}{1-\alpha}$, turns exactly once, and rises to it from then on.",
    remark="The lemma's proof has $b$ fall all the time, as it does in the printed flow "
    "(lemma-h.3-decreasing). The control says so of the corrected one.",
)
