"""Theorem 2, restated for data whose correct token is not the trigger, and proved for every N."""

from lemmata.papers.association.claims._proved import proved
from lemmata.papers.association.run.proofs import RestatedTheorem2

EXPERIMENT = proved(
    "restated",
    RestatedTheorem2(),
    RestatedTheorem2(target="any token"),
    {"target": "any other token"},
    title="Theorem 2 restated: both gaps, proved for every N",
    id="thm-2-restated-proved",
    locus="Theorem 2, for data with ȳ ≠ q",
    statement=r"Let $\bar y$ be uniform in $[N]\setminus\{q\}$, $N \ge 3$, $\alpha \in (0, 1)$, $T \to \infty$. Under "
    r"Assumption F.1, with (26)'s $W_V$ and any $\beta_1 \ge \beta_2 > 0$, a unit step of $W_{QK}$ gives, for every "
    r"$j \in [N]\setminus\{q\}$, $\xi_{q \to j} - \xi_{q \to N+1} = \frac{(1-\alpha)^2(N-2)}{(N+1)^2(N-1)^2}"
    r"[\beta_1(1 + \alpha N) + \beta_2(\alpha N - \frac1N)] > 0$, and $\xi_{q \to j} > \xi_{k \to l}$ for every "
    r"$k \ne q$ and every $l$.",
    remark=r"This is Theorem 2 with two words changed, and without its bound on $\alpha$. The control is the printed "
    r"data, $\bar y$ in $[N]$, where the first gap has no one sign. $N = 2$ leaves one $\bar y$ and no gap.",
)
