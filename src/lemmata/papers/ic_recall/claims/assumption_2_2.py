"""Assumption 2.2: how many bijections can satisfy it, and which do."""

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, exactly
from lemmata.papers.ic_recall.run.world_reports import LargestWorlds

BY_N = {"n": lambda runs: runs["largest"].metrics["n"]}


def _table(runs: Runs) -> Artefact:
    caption = (
        "Whether Assumption 2.2 holds for all affine maps over a field of n elements, for these and one bijection "
        "more, and for as many random bijections."
    )
    return Artefact(None, dict(runs["largest"].metrics), caption)


EXPERIMENT = Experiment(
    title="How many relations Assumption 2.2 allows",
    runs=lambda scale: {"largest": LargestWorlds()},
    claims=(
        Claim(
            id="assumption-2.2",
            locus="Assumption 2.2",
            statement=r"At most $n(n-1)$ bijections can satisfy $|\{r : r(s_1) = a_1, r(s_2) = a_2\}| \le 1$ for all "
            r"$s_1, s_2, a_1, a_2$. All maps $x \mapsto ax + b$ over a field of $n$ elements reach that number, and "
            r"one relation more breaks it. So $|\mathcal{S}| = 8$ with $|\mathcal{R}| = 64 > 56$ (Figures 2 to 4) lies "
            "outside the theorems' assumptions.",
            subject=lambda runs: (runs["largest"].metrics["full"], runs["largest"].metrics["one_more"]),
            wrong=lambda runs: (runs["largest"].metrics["random"], runs["largest"].metrics["one_more"]),
            parts={
                "holds for n(n-1) relations": Part(lambda found: found[0].tolist(), exactly(True), along=BY_N),
                "holds with one more": Part(lambda found: found[1].tolist(), exactly(False), along=BY_N),
            },
            remark="The control draws as many random bijections instead. For $n = 3$ the six relations are all there "
            "are, and the world with one more does not exist.",
        ),
    ),
    draw=_table,
)
