"""Beyond the paper: the limit of T log n where one pair takes over."""

from lemmata.papers.ic_recall.claims._proved import BEYOND, proved
from lemmata.papers.ic_recall.run.transition_limit_proof import TransitionLimit
from lemmata.proofs import proved_by

EXPERIMENT = proved(
    "The limit of T log n where one pair takes over, proved",
    {"limit": TransitionLimit(), "wrong/limit": TransitionLimit(limit="0.500001")},
    proved_by(
        "limit",
        {"limit": "0.5", "first": 10**5},
        id="limit-proved",
        locus=BEYOND,
        uses=("temperature-order-proved", "best-on-line-proved"),
        statement=r"In every full world with $n \ge 10^5$ subjects let $T_e$ be the highest temperature at which the "
        r"unequal minimum exists and $T_g$ that at which it is the best attention. Then $\frac12 - "
        r"\frac{1}{2\sqrt{\log n}} < T_g\log n \le T_e\log n < \frac12$: both tend to $\frac12$, from below.",
        remark="The control's limit is off in the sixth digit. Digits for single worlds: `exist-proved`, "
        "`global-proved`.",
    ),
)
