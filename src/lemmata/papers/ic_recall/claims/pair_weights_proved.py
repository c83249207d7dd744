"""Beyond the paper: what the optimum is for k pairs in context, as T -> 0."""

from lemmata.core import Runs
from lemmata.papers.ic_recall.claims._proved import proved
from lemmata.papers.ic_recall.run.proofs import PairWeights
from lemmata.proofs import proved_by_each

PAIRS = (2, 3, 4, 5, 6)
FIRSTS = {"weights": 1, "wrong-weights": 2}


def _remark(runs: Runs) -> str:
    gaps = [run.config.k * (run.config.k + 1) for run in runs.group("weights").values()]
    return (
        f"The smallest gaps are {', '.join(f'2/{gap**2}' for gap in gaps)}: temperatures must fall like $k^{{-4}}$. "
        "That "
        "is why Figure 2 (right), with three pairs, needs a lower one. The control's lightest pair weighs twice the "
        "unit."
    )


EXPERIMENT = proved(
    "k pairs in context: the attention that low temperatures prefer",
    {f"{name}/{k}": PairWeights(k=k, first=first) for name, first in FIRSTS.items() for k in PAIRS},
    proved_by_each(
        "weights",
        "k",
        "k",
        PAIRS,
        id="pair-weights-proved",
        locus="beyond the paper: Figure 2, right, has three pairs",
        statement="With $k$ pairs in context, in the world of all bijections of more than $k$ subjects, the best "
        r"attention tends, as $T \to 0$, to $\frac{i}{k(k+1)}$ on each token of the $i$-th pair ($i = 1, \ldots, k$, "
        r"in some order). Its smallest logit gap is $\frac{2}{(k(k+1))^2}$.",
        remark=_remark,
    ),
)
