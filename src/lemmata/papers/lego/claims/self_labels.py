"""Section 6.2.2: the labels that self-training learns from are the true ones."""

from lemmata.core import Claim, Experiment, Part, exactly
from lemmata.papers.lego.claims import _doubling as doubling

LABELS = Claim(
    id="self-labels",
    locus="Section 6.2.2: the bootstrapped distribution coincides with the original source",
    uses=("stage-start",),
    statement=r"For $k \ge 2$ the sentences that the greedy model $\hat{p}_F$ of stage $k - 1$ labels coincide with "
    "the original LEGO source: $y_1 = g_1(y_0)$ and $y_2 = g_2(y_1)$ are right. Judged: the share of sentences of "
    "length $2^k$ whose labels are the true answers, the least over stages and seeds. Control: annotators whose "
    "stages end at a hundred times their floor.",
    subject=doubling.main,
    wrong=doubling.ended_early,
    parts=Part(lambda course: float(course.column("labels_right").min()), exactly(1.0)),
)

EXPERIMENT = Experiment(
    title="Self-training's own labels are true",
    runs=doubling.doublings,
    needs={"main": doubling.ended},
    claims=(LABELS,),
    draw=doubling.drawing(doubling.greedy_reach),
)
