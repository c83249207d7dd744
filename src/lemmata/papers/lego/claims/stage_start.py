"""Section 6.2.2: where a stage of self-training begins."""

import numpy as np

from lemmata.core import Claim, Experiment, Part, at_most
from lemmata.papers.lego.claims import _doubling as doubling
from lemmata.papers.lego.claims._doubling import Course, main

TWICE = 2.1  # the paper's 2: entries of Q off the diagonals are near 0, not 0


def growth(course: Course, when: str) -> dict[str, np.ndarray]:
    """ε and the gap where a model first reads longer sentences over those at its own length: [seed, stage]."""
    return {
        name: course.column(f"{name}_{when}")[:, 1:] / course.column(f"{name}_after")[:, :-1]
        for name in ("epsilon", "gap")
    }


START = Claim(
    id="stage-start",
    locus="Section 6.2.2, recursive learning for T^(2^k)",
    uses=("symmetric-attention",),
    statement=r"For $k \ge 2$ a stage begins well: $\varepsilon^{2^k,2} \le 2\varepsilon^{2^{k-1},2}$ and "
    r"$\Delta^{2^k,2} \le \Delta^{2^{k-1},2}$. Judged where the model of stage $k - 1$ first reads sentences of length "
    rf"$2^k$, for every $k$ and seed; the factor is {TWICE:g}, for entries of $Q$ off the diagonals are near 0, not 0. "
    "Control: lengths four times as long.",
    subject=lambda runs: growth(main(runs), "before"),
    wrong=lambda runs: growth(main(runs), "beyond"),
    parts={
        "ε, after over before": Part(lambda found: found["epsilon"].max(), at_most(TWICE)),
        "gap, after over before": Part(lambda found: found["gap"].max(), at_most(1.0), carries=False),
    },
    remark="Both are arithmetic of the softmax: at most double the clauses to look away from, and less for each that "
    "counts.",
)

EXPERIMENT = Experiment(
    title="Where a stage of self-training begins",
    runs=lambda scale: {"main": doubling.doublings(scale)["main"]},
    needs={"main": doubling.ended},
    claims=(START,),
    draw=doubling.drawing(doubling.attention_by_stage),
)
