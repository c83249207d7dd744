"""Lemma B.4, proved: Stage 1 tends to the saddle at every temperature."""

from lemmata.papers.ic_recall.claims._proved import proved
from lemmata.papers.ic_recall.run.convergence_proof import StageOne
from lemmata.proofs import proved_by

EXPERIMENT = proved(
    "Lemma B.4, proved: Stage 1 tends to the saddle at every temperature",
    {"stage-1": StageOne(), "wrong/stage-1": StageOne(limit="0.250001")},
    proved_by(
        "stage-1",
        {"limit": "0.25"},
        id="lemma-b.4-proved",
        locus="Appendix B, Lemma B.4",
        statement=r"With three subjects, at every $T > 0$, gradient descent on $L_1$ from $\theta = 0$ with steps of "
        r"at most the inverse of the gradient's Lipschitz constant converges to $\tilde v = (\frac14, \frac14, "
        r"\frac14, \frac14, 0, 0)$.",
        remark="The lemma gives no temperature either. The control's limit is off in the sixth digit.",
    ),
)
