"""Theorem 2's first gap with the W_V that training really leaves: its sign for every alpha, proved."""

from lemmata.core import Experiment, Scale
from lemmata.papers.association.run.proofs import FirstGap
from lemmata.proofs import proved_by_each, table_of_proofs

SIZES = (16, 64, 256)  # N; T = 8N


def runs(scale: Scale) -> dict[str, FirstGap]:
    proved = {f"gap/{n}": FirstGap(num_tokens=n, length=8 * n, sign="negative") for n in SIZES}
    return proved | {f"wrong-gap/{n}": FirstGap(num_tokens=n, length=8 * n, sign="positive") for n in SIZES}


EXPERIMENT = Experiment(
    title="Theorem 2's first gap: its sign at every noise level, proved",
    runs=runs,
    claims=(
        proved_by_each(
            "gap",
            "N",
            "num_tokens",
            SIZES,
            id="thm-2-sign-proved",
            locus="Theorem 2",
            statement="Under Assumption F.1's orthonormal embeddings and uniform prediction, with the $W_V$ that "
            r"phases 1 and 2 leave and $\bar y$ in $[N]$, one step of $W_{QK}$ gives $\xi_{q \to j} < \xi_{q \to N+1}$ "
            r"for $j \ne q$. It does so at every $\alpha \in (0, 0.4]$, for $N = 16, 64, 256$ with $T = 8N$.",
            remark="The theorem says the opposite (thm-2). The exact chain, with the whole matrix that phase 2 "
            "produces; the control says positive, as printed.",
        ),
    ),
    draw=table_of_proofs,
    extra="proofs",
)
