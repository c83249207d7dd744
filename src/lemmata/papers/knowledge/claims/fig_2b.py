"""Figure 2 (b), and the template universe: extraction against the number of templates."""

from dataclasses import replace

from lemmata.core import Claim, Experiment, Runs, Scale, at_least, falls
from lemmata.papers.knowledge.claims._sweeps import BEFORE, SLACK, Line, drawing_along, stored, sweep
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import lighter, setting


def template_line(scale: Scale) -> Sweep:
    """|R| varies, the rest is the base cell's."""
    base = setting(scale)
    n, k = base.facts.subjects, base.facts.multiplicity
    universes = scale.pick(smoke=(3, 6), laptop=(5, 20, 80), paper=(5, 10, 20, 40, 80))
    return sweep(
        replace(base, pretraining=lighter(scale)),
        steps=scale.pick(smoke=200, laptop=1000, paper=2000),
        cells=tuple((n, r, k) for r in universes),
        shapes=scale.pick(smoke=((n, 6),), laptop=((n, 20), (n, 80)), paper=((n, 80),)),
        seeds=base.seeds,
    )


def both(runs: Runs) -> str:
    found = {
        name: -Line(runs["main"], "templates", column).ends().mean()
        for name, column in (("before fine-tuning", BEFORE), ("with AdamW", "extraction_adamw"))
    }
    words = "; ".join(f"{name} {value:.2f}" for name, value in found.items())
    return f"From the smallest |R| to the largest the failures double, {words} times."


FIGURE_2B = Claim(
    id="fig-2b",
    locus="Figure 2 (b) (its caption alone: impact of |R|); the direction is the abstract's",
    statement="Extraction falls as the number of relation templates |R| grows, from a high level (gradient descent; "
    "means over seeds).",
    subject=lambda runs: Line(runs["main"], "templates"),
    wrong=lambda runs: Line(runs["main"], "templates", BEFORE),  # the same models before fine-tuning
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


TEMPLATE_UNIVERSE = Claim(
    id="template-universe",
    locus="Abstract: extraction becomes harder as the relation-template universe grows",
    statement="From the smallest |R| to the largest the held-out facts that stay inside double several times over "
    "(gradient descent; mean over seeds), while the facts stay stored.",
    subject=lambda runs: Line(runs["main"], "templates"),
    wrong=lambda runs: Line(runs["main"], "templates", BEFORE),
    parts=over_seeds(lambda line: -line.ends(), at_least(1.5)),
    remark=both,
)

EXPERIMENT = Experiment(
    title="Extraction falls with the number of templates",
    runs=lambda scale: {"main": template_line(scale)},
    needs={"main": stored},
    claims=(FIGURE_2B, TEMPLATE_UNIVERSE),
    draw=drawing_along("templates", "the number of relation templates |R|"),
)
