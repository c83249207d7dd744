"""Section 6.2.2: a symmetric action's attention stays bounded, stage after stage."""

from lemmata.core import Claim, Experiment, Part, at_most
from lemmata.papers.lego.claims import _doubling as doubling

SMALL_EPSILON, SMALL_GAP = 0.1, 0.2  # C_1 and C_2, "sufficiently small constants"; the paper prints none

BOUNDS = Claim(
    id="symmetric-attention",
    locus="Section 6.2.2, attention of symmetric actions",
    uses=("feature-structure-symmetric", "distractors"),
    statement=r"For symmetry actions under Algorithm 2, after sufficient training $\varepsilon^{2^k,2} \le C_1$ and "
    r"$\Delta^{2^k,2} \le C_2$ with sufficiently small constants, at every stage. Judged at the end of each, over all "
    rf"seeds, with $C_1 = {SMALL_EPSILON:g}$ and $C_2 = {SMALL_GAP:g}$; and each stage lowers $\varepsilon$. "
    + doubling.CONTROL,
    subject=doubling.main,
    wrong=doubling.ended_early,
    parts={
        "ε at the end": Part(lambda course: course.column("epsilon_after").max(), at_most(SMALL_EPSILON)),
        "gap at the end": Part(lambda course: course.column("gap_after").max(), at_most(SMALL_GAP)),
        "ε, end over start": Part(
            lambda course: (course.column("epsilon_after") / course.column("epsilon_before")).max(), at_most(1.0)
        ),
    },
)

EXPERIMENT = Experiment(
    title="Attention stays concentrated and balanced",
    runs=doubling.doublings,
    needs={"main": doubling.ended},
    claims=(BOUNDS,),
    draw=doubling.drawing(doubling.attention_by_stage),
)
