"""Beyond the paper: the limit of T log n where one pair takes over, and what a rise of T does, proved."""

from lemmata.core import Experiment, RunConfig, Scale
from lemmata.papers.ic_recall.run.limit_proof import TemperatureOrder, TransitionLimit
from lemmata.proofs import proved_by, table_of_proofs


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {
        "limit": TransitionLimit(),
        "wrong/limit": TransitionLimit(limit="0.500001"),
        "order": TemperatureOrder(until="0.202274"),
        "wrong/order": TemperatureOrder(until="0.202276"),
    }


CLAIMS = (
    proved_by(
        "limit",
        {"limit": "0.5", "first": 10**5},
        id="limit-proved",
        locus="beyond the paper: what T <= C_1 / log n of Theorem 4.4 allows",
        uses=("temperature-order-proved", "best-on-line-proved"),
        statement="In every full world with n >= 10^5 subjects the highest temperature at which the unequal minimum "
        "exists, and that at which it is the best attention, times log n, lie between 1/2 - 1/(2 sqrt(log n)) and 1/2: "
        "both tend to 1/2, from below.",
        remark="The control's limit is off in the sixth digit. Digits for single worlds: `exist-proved`, "
        "`global-proved`.",
    ),
    proved_by(
        "order",
        {"until": "0.202274"},
        id="temperature-order-proved",
        locus="beyond the paper: why one temperature decides for all lower ones",
        statement="In every full world, at every x of the pairwise line: the slope of the loss, times a positive "
        "number, rises with T, and so does S(x) - S(0) up to T = 0.202274, S = exp of the loss. So an attention that "
        "is better than one pair alone at one temperature is better at every lower one.",
        remark="Beyond x = 1/6 the slope is taken without r_2's term, which is positive. `exist-proved`, "
        "`global-proved` and `limit-proved` rest on it. The control's temperature is off in the sixth digit, beyond "
        "4/(9 log 9).",
    ),
)

EXPERIMENT = Experiment(
    title="The limit of T log n where one pair takes over, proved",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
