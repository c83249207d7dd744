"""Beyond the paper: what the optimum is for k pairs in context, as T -> 0."""

from lemmata.core import Experiment, RunConfig, Runs, Scale
from lemmata.papers.ic_recall.run.proofs import PairWeights
from lemmata.proofs import proved_by_each, table_of_proofs

PAIRS = (2, 3, 4, 5, 6)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    firsts = {"weights": 1, "wrong-weights": 2}
    return {f"{name}/{k}": PairWeights(k=k, first=first) for name, first in firsts.items() for k in PAIRS}


def _remark(runs: Runs) -> str:
    gaps = [run.config.k * (run.config.k + 1) for run in runs.group("weights").values()]
    return (
        f"The smallest gaps are {', '.join(f'2/{gap**2}' for gap in gaps)}: temperatures must fall like k^-4. That is "
        "why Figure 2 (right), with three pairs, needs a lower one. The control's lightest pair weighs twice the unit."
    )


CLAIMS = (
    proved_by_each(
        "weights",
        "k",
        "k",
        PAIRS,
        id="pair-weights-proved",
        locus="beyond the paper: Figure 2, right, has three pairs",
        statement="With k pairs in context, in the world of all bijections of more than k subjects, the best attention "
        "tends, as T -> 0, to i/(k(k+1)) on each token of the i-th pair (i = 1 ... k, in some order), and its smallest "
        "logit gap is 2/(k(k+1))^2.",
        remark=_remark,
    ),
)

EXPERIMENT = Experiment(
    title="k pairs in context: the attention that low temperatures prefer",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
