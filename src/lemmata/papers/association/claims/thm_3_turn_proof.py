"""Theorem 3's corrected flow, proved: which margins descend monotonically, and which does not."""

from lemmata.core import Experiment, RunConfig, Scale
from lemmata.papers.association.run.proofs import FlowTurn
from lemmata.proofs import proved_by, table_of_proofs


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {"turn": FlowTurn(), "wrong/turn": FlowTurn(after="falls")}


CLAIMS = (
    proved_by(
        "turn",
        {"after": "rises"},
        id="thm-3-turn-proved",
        locus="Lemma H.3, with the right rates of (42)",
        statement="Two inputs, α in (0, 1/2): a = W_12 - W_11 descends at every time, and b = W_13 - W_11 does not: it "
        "falls below its limit log(α/(1-α)), turns exactly once, and rises to it from then on.",
        remark="The lemma's proof has b fall all the time, as it does in the printed flow (lemma-h.3-decreasing). The "
        "control says so of the corrected one.",
    ),
)

EXPERIMENT = Experiment(
    title="Theorem 3's corrected flow, proved: one margin descends, the other turns once",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
