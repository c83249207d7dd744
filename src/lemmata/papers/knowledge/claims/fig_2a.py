"""Figure 2 (a): extraction against the number of subjects."""

from dataclasses import replace

import numpy as np

from lemmata.core import Claim, Experiment, RunResult, Runs, Scale, TooShort, Undecided, at_least, of_result, rises
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._sweeps import BEFORE, JUDGED, SLACK, Line, drawing_along, sweep
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.probe.sweep import along
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import base_cell, lighter

SAME = 0.05  # nats by which the cells' distance from the least loss may differ


def subject_line(scale: Scale) -> Sweep:
    """N varies, the rest is the base cell's; so few subjects that all cells come near the least loss."""
    base = base_cell(scale)
    r, k = base.facts.templates, base.facts.multiplicity
    numbers = sizes.LINE_SUBJECTS.at(scale)
    shapes = numbers[1:] if scale.name == "paper" else numbers[-1:]
    return sweep(
        replace(base, pretraining=lighter(scale)),
        steps=sizes.LINE_STEPS.at(scale),
        cells=tuple((n, r, k) for n in numbers),
        shapes=tuple((n, r) for n in shapes),
        seeds=base.seeds[: sizes.LINE_SEEDS],
    )


@of_result
def as_well_trained(run: RunResult) -> Undecided | None:
    """A larger world has seen each fact less often; where that shows in the loss, N is not all that differs."""
    if reason := stored(run):
        return reason
    excess = along(run, "subjects", "excess")[1].mean(axis=0)
    if np.ptp(excess) <= SAME:
        return None
    return TooShort(
        f"the cells are {excess.min():.2f} to {excess.max():.2f} nats over the least loss: not trained alike"
    )


def other_optimizer(runs: Runs) -> str:
    sizes, adamw = along(runs["main"], "subjects", "extraction_adamw")
    found = ", ".join(f"{value:.2f} with N = {n}" for n, value in zip(sizes, adamw.mean(axis=0), strict=True))
    return (
        "The paper's text gives no direction; this is ours: half of N is asked about, so a larger world is better "
        f"covered. With AdamW: {found}. Where K = |R|, as in the paper, a single question covers every template."
    )


FIGURE_2A = Claim(
    id="fig-2a",
    locus="Figure 2 (a) (its caption alone: impact of N); the direction is ours",
    statement="In worlds that are equally near the least pre-training loss, extraction of unseen facts rises with the "
    f"number $N$ of subject-answer pairs, half of which are asked about in fine-tuning. {JUDGED} The caption alone is "
    "in our text; one-token names stand for its 5-token data.",
    subject=lambda runs: Line(runs["main"], "subjects"),
    wrong=lambda runs: Line(runs["main"], "subjects", BEFORE),  # the same models before fine-tuning
    parts={
        "rise": over_seeds(lambda line: line.values[:, -1] - line.values[:, 0], at_least(0.15)),
        "order": share_over_seeds(lambda line: line.values, rises(SLACK)),
    },
    needs={"main": as_well_trained},
    remark=other_optimizer,
)

EXPERIMENT = Experiment(
    title="Extraction against the number of subjects",
    runs=lambda scale: {"main": subject_line(scale)},
    claims=(FIGURE_2A,),
    draw=drawing_along("subjects", "the number of subject-answer pairs N"),
)
