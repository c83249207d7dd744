"""Figure 2 (b), and the template universe: extraction against the number of templates."""

from lemmata.core import Claim, Experiment, Part, Scale, at_least, falls
from lemmata.papers.knowledge.claims._sweeps import SLACK, drawing_along, means, stored, sweep
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import setting


def template_line(scale: Scale) -> Sweep:
    """|R| varies, the rest is the base cell's; fewer steps at laptop scale, as along the subjects."""
    base = setting(scale)
    n, k = base.facts.subjects, base.facts.multiplicity
    universes = scale.pick(smoke=(3, 6), laptop=(5, 20, 40, 80), paper=(5, 10, 20, 40, 80))
    return sweep(
        base,
        steps=scale.pick(smoke=200, laptop=1500, paper=2000),
        cells=tuple((n, r, k) for r in universes),
        shapes=((n, universes[-1]),),
        seeds=scale.seeds(smoke=2, laptop=3, paper=3),
    )


FIGURE_2B = Claim(
    id="fig-2b",
    locus="Figure 2 (b)",
    statement="Extraction falls as the number of relation templates |R| grows (means over seeds).",
    subject=lambda runs: means(runs, "templates"),
    wrong=lambda runs: means(runs, "templates", "extraction_shuffled"),  # fine-tuned on shuffled answers
    parts={
        "order": Part(lambda line: line, falls(SLACK)),
        "largest, at the smallest |R|": Part(lambda line: line[0], at_least(0.6)),
    },
)

TEMPLATE_UNIVERSE = Claim(
    id="template-universe",
    locus="Abstract: extraction becomes harder as the relation-template universe grows",
    statement="From the smallest |R| to the largest (5 and 80) extraction falls, mean over seeds, while the facts stay "
    "stored.",
    subject=lambda runs: means(runs, "templates"),
    wrong=lambda runs: means(runs, "templates", "extraction_shuffled"),  # fine-tuned on shuffled answers
    parts=Part(lambda line: line[0] - line[-1], at_least(0.25)),
)

EXPERIMENT = Experiment(
    title="Extraction falls with the number of templates",
    runs=lambda scale: {"main": template_line(scale)},
    needs={"main": stored},
    claims=(FIGURE_2B, TEMPLATE_UNIVERSE),
    draw=drawing_along("templates", "the number of relation templates |R|"),
)
