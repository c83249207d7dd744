"""Corollary 5.1: after enough stages of self-training every length is solved."""

from lemmata.core import Claim, Experiment, Runs
from lemmata.papers.lego.claims import _doubling as doubling
from lemmata.papers.lego.claims._doubling import Course, every_length, main


def without_stages(runs: Runs) -> str:
    length = max(runs["main"].config.lengths)
    doubled, alone = (Course(runs["main"], arm).at(length)[:, -1].mean() for arm in ("self", "alone"))
    return (
        f"At length {length} self-training ends at {doubled:.4f} of the ceiling; T² alone for as many clauses read at "
        f"{alone:.4f} (`self-train-cost`)."
    )


COROLLARY = Claim(
    id="cor-5.1",
    locus="Corollary 5.1",
    uses=("thm-5.1-doubling",),
    statement=r"Under the hypotheses of Theorem 5.1 with $K = O(\log d)$ stages, for any length $L < |\mathcal{X}|$ "
    r"the model $F^{(T_K)}$ that Algorithm 2 trains has $\mathrm{Acc}_L \ge 1 - 1/\mathrm{poly}(d)$. Judged at every "
    r"length that is read, up to the largest power of two that fits the longest chain, $|\mathcal{X}| - 1$ steps, in "
    r"every seed: equation (5) as a share of its ceiling, and greedy chains. Control: $\mathcal{T}^2$ only, without "
    "further stages.",
    subject=lambda runs: every_length(main(runs), -1),
    wrong=lambda runs: every_length(main(runs), 0),
    parts=doubling.solved_parts(lambda course: every_length(course, -1)),
    remark=without_stages,
)

EXPERIMENT = Experiment(
    title="Every length by self-training",
    runs=lambda scale: {"main": doubling.doublings(scale)["main"]},
    needs={"main": doubling.ended},
    claims=(COROLLARY,),
    draw=doubling.drawing(doubling.reach, doubling.greedy_reach),
)
