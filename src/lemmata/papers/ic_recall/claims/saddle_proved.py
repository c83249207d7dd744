"""The saddle falls along the escaping direction at every temperature (Lemma B.5)."""

from lemmata.papers.ic_recall.claims._proved import proved
from lemmata.papers.ic_recall.run.proofs import SaddleCurvature
from lemmata.proofs import proved_by

EXPERIMENT = proved(
    "The saddle's curvature is negative, proved",
    {"saddle": SaddleCurvature(), "wrong/saddle": SaddleCurvature(sign="positive")},
    proved_by(
        "saddle",
        {"sign": "negative"},
        id="saddle-proved",
        locus="Lemma B.5",
        statement=r"With three subjects the second derivative of $L_1$ at the saddle along $\tilde\epsilon = (1, 1, "
        "-1, -1, 0, 0)/2$ is negative at every temperature $T > 0$.",
        remark="The control says positive.",
    ),
)
