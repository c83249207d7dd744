"""Theorem 5.1: recursive self-training of a symmetric action. Equations (11) and (12) are judged on one training."""

import numpy as np

from lemmata.core import Claim, Experiment, Frames, Live, Part, Runs, at_most
from lemmata.papers.lego.claims import _doubling as doubling
from lemmata.papers.lego.claims._doubling import CONTROL, AtLengths, Course, ended_early, main, twice_its_length


def of_the_first(course: Course) -> AtLengths:
    """The model of T^2 at the lengths at which others are read."""
    lengths = twice_its_length(course).lengths
    return AtLengths(course, [0] * len(lengths), lengths)


DOUBLING = Claim(
    id="thm-5.1-doubling",
    locus="Theorem 5.1, equation (11)",
    uses=("one-step-learned", "thm-5.1-attention"),
    statement=r"Under Assumptions 3.1 to 3.5 and 5.1 with $n_y \le m \le \log^2 d$, for every $1 \le k \le \log_2 "
    r"|\mathcal{X}|$ the model $F^{(T_k)}$ that Algorithm 2 trains up to length $L_k = 2^k$ solves the doubled length: "
    r"$\mathrm{Acc}_{L_{k+1}}(F^{(T_k)}) = 1 - 1/\mathrm{poly}(d)$. Judged at every stage and in every seed: equation "
    r"(5) as a share of its ceiling, and greedy chains. Control: without the stages, the model of $\mathcal{T}^2$ on "
    "the same lengths.",
    subject=lambda runs: twice_its_length(main(runs)),
    wrong=lambda runs: of_the_first(main(runs)),
    parts=doubling.solved_parts(twice_its_length),
    remark=r"The theorem's $k$ runs to $\log_2 |\mathcal{X}|$, but a chain has at most $|\mathcal{X}| - 1$ steps, "
    "which $2^{k+1}$ must not exceed.",
)


def times_remark(runs: Runs) -> str:
    """How long the stages took."""
    course = main(runs)
    time, least = course.column("time").mean(axis=0), course.column("epsilon_worst").max(axis=0)
    by_stage = ", ".join(
        f"{e:.4f} (length {n}, {t:.1e})" for e, n, t in zip(least, course.run.config.lengths, time, strict=False)
    )
    return (
        rf"By stage, the largest $\varepsilon$ with the time of the flow it took: {by_stage}. Stages that end at a "
        f"hundred times their floor leave {ended_early(runs).column('epsilon_worst').max():.2f}."
    )


ATTENTION = Claim(
    id="thm-5.1-attention",
    locus="Theorem 5.1, equation (12)",
    uses=("symmetric-attention", "self-labels"),
    statement=r"Under the hypotheses of thm-5.1-doubling, given $Z^{L_k,\ell}$ with $\ell \in \{0, \ldots, L_k - 1\}$, "
    r"$\mathrm{Attn}_{\mathrm{ans},\ell \to \mathrm{pred},\ell+1} + \mathrm{Attn}_{\mathrm{ans},\ell \to "
    r"\mathrm{ans},\ell} \ge 1 - \varepsilon$ for a small constant $\varepsilon < 0.01$. Judged after every stage $k$, "
    f"of the same models as (11), at the worst step and in the worst seed. {CONTROL}",
    subject=lambda runs: main(runs).column("epsilon_worst"),
    wrong=lambda runs: ended_early(runs).column("epsilon_worst"),
    parts=Part(
        lambda found: found.max(axis=0).tolist(),
        at_most(doubling.PRINTED_EPSILON),
        along={"k": lambda runs: range(1, runs["main"].config.stages + 1)},
    ),
    remark=times_remark,
)


def views(runs: Runs) -> list[Frames]:
    """Self-training walks to the right: accuracy by length, stage after stage."""
    course, config = main(runs), runs["main"].config
    return [
        Frames(
            title="Accuracy by length, stage after stage",
            steps=np.arange(1, config.stages + 1),
            values=np.stack([course.read(name).mean(axis=0) for name in ("accuracy", "greedy")], axis=1),
            rows=["by probability, over its ceiling", "greedy chains right to the end"],
            columns=[f"L = {length}" for length in config.lengths],
            note=f"Stage k trains on chains of 2^k that the model labelled itself. Mean of {len(config.seeds)} seeds.",
            clock="stage",
        )
    ]


EXPERIMENT = Experiment(
    title="S5 by recursive self-training",
    runs=doubling.doublings,
    needs={"main": doubling.ended},
    claims=(DOUBLING, ATTENTION),
    draw=doubling.drawing(doubling.reach, doubling.greedy_reach, doubling.attention_by_stage),
    live=Live(views=views),
)
