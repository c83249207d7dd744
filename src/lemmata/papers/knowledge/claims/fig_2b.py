"""Figure 2 (b), extraction against the number of templates."""

from dataclasses import replace

from lemmata.core import Claim, Experiment, Runs, Scale, at_least, falls
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._sweeps import BEFORE, JUDGED, SLACK, Line, drawing_along, sweep
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import base_cell, lighter


def template_line(scale: Scale) -> Sweep:
    """|R| varies, the rest is the base cell's."""
    base = base_cell(scale)
    n, k = base.facts.subjects, base.facts.multiplicity
    return sweep(
        replace(base, pretraining=lighter(scale)),
        steps=sizes.LINE_STEPS.at(scale),
        cells=tuple((n, r, k) for r in sizes.LINE_TEMPLATES.at(scale)),
        shapes=tuple((n, r) for r in sizes.LINE_SHAPES.at(scale)),
        seeds=base.seeds,
    )


def after_fine_tuning(runs: Runs) -> Line:
    return Line(runs["main"], "templates")


def before_fine_tuning(runs: Runs) -> Line:
    """Of the same models before fine-tuning."""
    return Line(runs["main"], "templates", BEFORE)


def both(runs: Runs) -> str:
    adamw = Line(runs["main"], "templates", "extraction_adamw")
    return (
        f"From the smallest |R| to the largest the failures double {-before_fine_tuning(runs).ends().mean():.2f} times "
        f"before fine-tuning, and {-adamw.ends().mean():.2f} times with AdamW."
    )


FIGURE_2B = Claim(
    id="fig-2b",
    locus="Figure 2 (b) (its caption alone: impact of |R|); the direction is the abstract's",
    statement=r"Extraction of unseen facts falls, from a high level, as the number $|\mathcal{R}|$ of relation "
    f"templates grows. {JUDGED} The caption alone is in our text; one-token names stand for its 5-token data.",
    subject=after_fine_tuning,
    wrong=before_fine_tuning,
    parts={
        "order": share_over_seeds(
            lambda line: line.values,
            falls(SLACK),
            {"|R|": lambda runs: sorted(r for _, r, _ in runs["main"].config.cells)},
        ),
        "largest, at the smallest |R|": share_over_seeds(lambda line: line.values[:, 0], at_least(0.8)),
    },
    remark=both,
)


EXPERIMENT = Experiment(
    title="Extraction falls with the number of templates",
    runs=lambda scale: {"main": template_line(scale)},
    needs={"main": stored},
    claims=(FIGURE_2B,),
    draw=drawing_along("templates", "the number of relation templates |R|"),
)
