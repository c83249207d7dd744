"""Theorem 3, proved: the flow's constant, the order of its singular values, and the noise's direction for any n."""

from lemmata.core import Experiment, RunConfig, Scale
from lemmata.papers.association.run.proofs import FlowConstant, FlowOrder, NoiseDirection
from lemmata.proofs import proved_by, table_of_proofs


def _runs(scale: Scale) -> dict[str, RunConfig]:
    return {
        "constant": FlowConstant(),
        "wrong/constant": FlowConstant(constant="0.750001"),
        "order": FlowOrder(),
        "wrong/order": FlowOrder(larger="noise"),
        "direction": NoiseDirection(),
        "wrong/direction": NoiseDirection(last_smaller=3),
    }


CLAIMS = (
    proved_by(
        "constant",
        {"constant": "0.75"},
        id="thm-3-constant-proved",
        locus="Appendix G.2 and Lemma H.3",
        statement="Two inputs, the flow with the right rates of (42): a = W_12 - W_11 falls at every time, and t e^a "
        "tends to 4/(3(1-α)), for every α in (0, 1).",
        remark="The control's constant is off in the sixth digit. Theorem 3's window for α is not needed.",
    ),
    proved_by(
        "order",
        {"larger": "signal"},
        id="thm-3-rank-1-proved",
        locus="Theorem 3, second equation: 'assuming β_1 > β_2'",
        statement="Two inputs: at every t > 0 the signal's singular value exceeds the noise's, for every α in "
        "(0, 1/2), so that truncation to rank 1 removes the noise and not the signal.",
        remark="The paper assumes it. The control says the opposite.",
    ),
    proved_by(
        "direction",
        {"most": 64, "last_smaller": 2},
        id="thm-3-direction-proved",
        locus="Section 3.3, after Theorem 3: 'when N > 2'",
        statement="For every n from 2 to 64 the noise's singular value over the signal's tends to (n-1)/√(n+1): below "
        "1 for n = 2 alone, 1 at n = 3, above 1 from n = 4 on.",
        remark="So from n = 4 on the noise is not in the smallest singular direction, and cutting that one does not "
        "remove it. The control says that n = 3 is still below.",
    ),
)

EXPERIMENT = Experiment(
    title="Theorem 3, proved: the flow's constant, its singular values, the noise's direction",
    runs=_runs,
    claims=CLAIMS,
    draw=table_of_proofs,
    extra="proofs",
)
