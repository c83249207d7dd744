"""Lemma B.4, proved: Stage 1 tends to the saddle at every temperature."""

from lemmata.core import Experiment, RunConfig, Scale
from lemmata.papers.ic_recall.run.convergence_proof import StageOne
from lemmata.proofs import proved_by, table_of_proofs


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {"stage-1": StageOne(), "wrong/stage-1": StageOne(limit="0.250001")}


CLAIMS = (
    proved_by(
        "stage-1",
        {"limit": "0.25"},
        id="lemma-b.4-proved",
        locus="Appendix B, Lemma B.4",
        statement="Warm-up, n = 3, at every T: gradient descent from theta = 0, with steps of at most the inverse of "
        "the gradient's Lipschitz constant, converges to v = (1/4, 1/4, 1/4, 1/4, 0, 0).",
        remark="The lemma gives no temperature either. The control's limit is off in the sixth digit.",
    ),
)

EXPERIMENT = Experiment(
    title="Lemma B.4, proved: Stage 1 tends to the saddle at every temperature",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
