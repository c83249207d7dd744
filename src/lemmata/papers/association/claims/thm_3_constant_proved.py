"""Theorem 3's flow with the right rates, proved: the constant of its decay."""

from lemmata.papers.association.claims._proved import proved
from lemmata.papers.association.run.proofs import FlowConstant

EXPERIMENT = proved(
    "constant",
    FlowConstant(),
    FlowConstant(constant="0.750001"),
    {"constant": "0.75"},
    title="Theorem 3, proved: the flow's constant",
    id="thm-3-constant-proved",
    locus="Appendix G.2 and Lemma H.3",
    statement="Under Assumptions G.1 and G.2, with $n = 2$ and the right rates of (42), $a = W_{12} - W_{11}$ "
    r"falls at every time and $t e^a \to \frac{4}{3(1-\alpha)}$, for every $\alpha \in (0, 1)$.",
    remark="The control's constant is off in the sixth digit. Theorem 3's window for α is not needed.",
)
