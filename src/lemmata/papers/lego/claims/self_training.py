"""Theorem 5.1 and Corollary 5.1: recursive self-training of a symmetric action, on the exact population.

Theorems speak of Acc_L (5), the mean over steps of the chance that a sampled clause is right. It is judged as a share
of what the clip allows; greedy chains stand beside it, for an argmax may be right where its probability is small. All
claims are judged on one training: (11) and (12) are of the same models.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Frames, Live, Part, Runs, at_least, at_most, exactly
from lemmata.papers.lego.claims._doubling import Asked, Course, doublings, ended, every_length, twice_its_length
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, legend, letter, new_figure

SOLVED = 0.99  # of the largest Acc_L: the paper's 1 - 1/poly(d), whose degree it leaves open
PRINTED_EPSILON = 0.01
SMALL_EPSILON, SMALL_GAP = 0.1, 0.2  # C_1 and C_2, "sufficiently small constants"


def main(runs: Runs) -> Course:
    return Course(runs["main"])


def of_the_first(asked: Asked) -> Asked:
    """The model of T^2 at the lengths that others are asked for."""
    return asked._replace(stages=[0] * len(asked.stages))


def _by_length(read: Callable[[Course], Asked]) -> dict[str, Part]:
    """What is solved, told by the length that is asked for."""
    return {name: replace(part, along={"L": lambda runs: read(main(runs)).lengths}) for name, part in SOLVES.items()}


SOLVES = {
    "Acc over its ceiling": Part(lambda asked: asked.solved("accuracy"), at_least(SOLVED)),
    "greedy chains right": Part(lambda asked: asked.solved("greedy"), at_least(SOLVED), carries=False),
}

DOUBLING = Claim(
    id="thm-5.1-doubling",
    locus="Theorem 5.1, equation (11)",
    uses=("one-step-learned", "thm-5.1-attention"),
    statement="The model of stage k, self-trained up to length 2^k, solves length 2^(k+1), at every stage k = 1, ..., "
    "K and in every seed: Acc (5) as a share of its ceiling, and greedy chains. Control: without the stages, the model "
    "of T² on the same lengths.",
    subject=lambda runs: twice_its_length(main(runs)),
    wrong=lambda runs: of_the_first(twice_its_length(main(runs))),
    parts=_by_length(twice_its_length),
    remark="The theorem's k runs to log₂|X|, but a chain has at most |X| - 1 steps: 2^(k+1) must not exceed them.",
)


def patience(runs: Runs) -> str:
    """How long the stages took."""
    course = main(runs)
    time, least = course.column("time").mean(axis=0), course.column("epsilon_worst").max(axis=0)
    said = ", ".join(
        f"{e:.4f} (length {n}, {t:.1e})" for e, n, t in zip(least, course.run.config.lengths, time, strict=False)
    )
    return (
        f"By stage, the largest ε with the time of the flow it took: {said}. It is a matter of time: stages that end "
        f"at a hundred times their floor leave {Course(runs['hasty']).column('epsilon_worst').max():.2f}."
    )


ATTENTION = Claim(
    id="thm-5.1-attention",
    locus="Theorem 5.1, equation (12)",
    uses=("symmetric-attention", "self-labels"),
    statement="After stage k, at length 2^k, every answer puts all but ε < 0.01 of its attention on the two clauses "
    "that decide the next: at the worst step and in the worst seed, for every k, of the same models as (11). Control: "
    "stages that end at a hundred times their floor.",
    subject=lambda runs: main(runs).column("epsilon_worst"),
    wrong=lambda runs: Course(runs["hasty"]).column("epsilon_worst"),
    parts=Part(
        lambda found: found.max(axis=0).tolist(),
        at_most(PRINTED_EPSILON),
        along={"k": lambda runs: range(1, runs["main"].config.stages + 1)},
    ),
    remark=patience,
)


BOUNDS = Claim(
    id="symmetric-attention",
    locus="Section 6.2.2, attention of symmetric actions",
    uses=("feature-structure-symmetric", "distractors"),
    statement="Under Algorithm 2 a symmetric action's attention stays bounded, stage after stage: at the end of each, "
    f"ε^{{2^k,2}} <= C₁ (here {SMALL_EPSILON:g}) and the gap <= C₂ (here {SMALL_GAP:g}), and each stage lowers ε. Over "
    "all seeds and stages. Control: stages that end at a hundred times their floor.",
    subject=main,
    wrong=lambda runs: Course(runs["hasty"]),
    parts={
        "ε at the end": Part(lambda course: course.column("epsilon_after").max(), at_most(SMALL_EPSILON)),
        "gap at the end": Part(lambda course: course.column("gap_after").max(), at_most(SMALL_GAP)),
        "ε, end over start": Part(
            lambda course: (course.column("epsilon_after") / course.column("epsilon_before")).max(), at_most(1.0)
        ),
    },
)


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
    statement="A stage begins well: where the model of stage k - 1 first reads sentences of length 2^k, its ε^{2^k,2} "
    "is at most twice the ε^{2^(k-1),2} it had (here 2.1 times: entries of Q off the diagonals are near 0, not 0), "
    "and the gap Δ^{2^k,2} no larger than Δ^{2^(k-1),2}; for every k and seed. Control: lengths four times as long.",
    subject=lambda runs: growth(main(runs), "before"),
    wrong=lambda runs: growth(main(runs), "beyond"),
    parts={
        "ε, after over before": Part(lambda found: found["epsilon"].max(), at_most(2.1)),
        "gap, after over before": Part(lambda found: found["gap"].max(), at_most(1.0), carries=False),
    },
    remark="Both are arithmetic of the softmax: at most twice as much to look away from, less for each that counts.",
)

LABELS = Claim(
    id="self-labels",
    locus="Section 6.2.2: the bootstrapped distribution coincides with the original source",
    uses=("stage-start",),
    statement="The labels that the greedy model of stage k - 1 writes for length 2^k are the true answers, at every "
    "stage and in every seed. Control: annotators whose stages end at a hundred times their floor.",
    subject=main,
    wrong=lambda runs: Course(runs["hasty"]),
    parts=Part(lambda course: float(course.column("labels_right").min()), exactly(1.0)),
)


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
    statement="After K = O(log d) stages the model solves every length that is read, up to the largest power of two "
    "that fits the longest chain, |X| - 1 steps, in every seed: Acc (5) as a share of its ceiling, and greedy chains. "
    "Control: T² only, without further stages.",
    subject=lambda runs: every_length(main(runs), -1),
    wrong=lambda runs: every_length(main(runs), 0),
    parts=_by_length(lambda course: every_length(course, -1)),
    remark=without_stages,
)


def draw(runs: Runs) -> Artefact:
    course, config = main(runs), runs["main"].config
    figure, axes = new_figure(1, 3, width=13.5, height=3.8)
    reach, greedy, look = axes
    for stage in range(config.stages):
        label, colour = f"to length {2 ** (stage + 1)}", CYCLE[stage % len(CYCLE)]
        band(reach, config.lengths, course.read()[:, stage], label, color=colour)
        band(greedy, config.lengths, course.read("greedy")[:, stage], label, color=colour)
    reach.set(ylabel="Acc (5) over its ceiling", title="by probability")
    greedy.set(ylabel="greedy chains right to the end", title="by argmax")
    for ax in (reach, greedy):
        ax.set(xscale="log", xlabel="length of the chain", ylim=(-0.03, 1.05))
        ceiling(ax, 1.0)
    lengths = [2 ** (stage + 1) for stage in range(config.stages)]
    for name, label, colour in (
        ("epsilon_worst_before", "ε before the stage, worst step", COLOURS["sky"]),
        ("epsilon_worst", "ε after it, worst step", COLOURS["blue"]),
        ("gap_after", "gap after it, step 2", COLOURS["vermillion"]),
    ):
        band(look, lengths, course.column(name), label, color=colour, marker="o")
    ceiling(look, PRINTED_EPSILON)
    look.set(xscale="log", yscale="log", xlabel="length of the stage", title="attention elsewhere")
    for ax in axes:
        legend(ax, fontsize=6.5)
    letter(axes)
    caption = (
        f"Algorithm 2 on the exact population of {config.action}, d = {config.vocabulary}, |X| = {config.variables}, "
        f"C_B = {config.clip:g}, {len(config.seeds)} seeds (bands: one standard deviation); from length 4 on by "
        f"{config.contexts} drawn contexts; a stage ends {config.excess:g} above its floor. Where (a) and (b) part, "
        "the argmax is right and its probability small."
    )
    return Artefact(figure, {name: list(values) for name, values in runs["main"].metrics.items()}, caption)


def views(runs: Runs) -> list[Frames]:
    """Self-training walks to the right: accuracy by length, stage after stage."""
    course, config = main(runs), runs["main"].config
    return [
        Frames(
            title="Accuracy by length, stage after stage",
            steps=np.arange(1, config.stages + 1),
            values=np.stack([course.read().mean(axis=0), course.read("greedy").mean(axis=0)], axis=1),
            rows=["by probability, over its ceiling", "greedy chains right to the end"],
            columns=[f"L = {length}" for length in config.lengths],
            note=f"Stage k trains on chains of 2^k that the model labelled itself. Mean of {len(config.seeds)} seeds.",
            clock="stage",
        )
    ]


EXPERIMENT = Experiment(
    title="S5 by recursive self-training",
    runs=doublings,
    needs={"main": ended},
    claims=(DOUBLING, ATTENTION, BOUNDS, START, LABELS, COROLLARY),
    draw=draw,
    live=Live(views=views),
)
