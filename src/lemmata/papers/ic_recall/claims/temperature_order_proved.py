"""Beyond the paper: what a rise of the temperature does on the pairwise line."""

from lemmata.papers.ic_recall.claims._proved import proved
from lemmata.papers.ic_recall.run.transition_limit_proof import TemperatureOrder
from lemmata.proofs import proved_by

EXPERIMENT = proved(
    "One temperature decides for all lower ones, proved",
    {"order": TemperatureOrder(until="0.202274"), "wrong/order": TemperatureOrder(until="0.202276")},
    proved_by(
        "order",
        {"until": "0.202274"},
        id="temperature-order-proved",
        locus="beyond the paper: why one temperature decides for all lower ones",
        statement="In every full world, at every $x$ of the pairwise line, the slope of the loss times a positive "
        "number rises with $T$. So does $S(x) - S(0)$ up to $T = 0.202274$, with $S$ the exponential of the loss. So "
        "an attention that is better than one pair alone at one temperature is better at every lower one.",
        remark=r"Beyond $x = \frac16$ the slope is taken without $r_2$'s term, which is positive. `exist-proved`, "
        r"`global-proved` and `limit-proved` rest on it. The control's temperature is off in the sixth digit, beyond "
        r"$\frac{4}{9\log 9}$.",
    ),
)
