"""Figure 2 (a): extraction against the number of subjects."""

from lemmata.core import Claim, Experiment, Part, Runs, Scale, at_least, rises
from lemmata.papers.knowledge.claims._sweeps import SLACK, drawing_along, means, stored, sweep
from lemmata.papers.knowledge.probe.sweep import along
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import setting


def subject_line(scale: Scale) -> Sweep:
    """N varies, the rest is the base cell's. Small worlds hold few subjects out, hence four seeds. At laptop scale
    fewer steps than the base cell's: facts are stored by then, and there are many cells."""
    base = setting(scale)
    r, k = base.facts.templates, base.facts.multiplicity
    numbers = scale.pick(smoke=(8, 16), laptop=(50, 100, 200, 400), paper=(125, 250, 500, 1000))
    return sweep(
        base,
        steps=scale.pick(smoke=200, laptop=1500, paper=2000),
        cells=tuple((n, r, k) for n in numbers),
        shapes=tuple((n, r) for n in numbers[1:]),
        seeds=scale.seeds(smoke=2, laptop=4, paper=3),
    )


def at_equal_steps(runs: Runs) -> str:
    sizes, excess = along(runs["main"], "subjects", "excess")
    few, *_, many = excess.mean(axis=0)
    return (
        "The paper's text gives no direction; this is ours. It is at an equal number of steps, where a larger world "
        f"has seen each fact less often and is further from the optimal loss: {few:.2f} nats over it with "
        f"N = {sizes[0]}, {many:.2f} with N = {sizes[-1]}. Where K = |R|, as in the paper, a single question covers "
        "every template."
    )


FIGURE_2A = Claim(
    id="fig-2a",
    locus="Figure 2 (a)",
    statement="Extraction on unseen facts rises with the number of subject-answer pairs N, half of which are asked "
    "about in fine-tuning (means over seeds).",
    subject=lambda runs: means(runs, "subjects"),
    wrong=lambda runs: means(runs, "subjects", "extraction_shuffled"),  # fine-tuned on shuffled answers
    parts={
        "rise": Part(lambda line: line[-1] - line[0], at_least(0.15)),
        "order": Part(lambda line: line, rises(SLACK)),
    },
    remark=at_equal_steps,
)

EXPERIMENT = Experiment(
    title="Extraction rises with the number of subjects",
    runs=lambda scale: {"main": subject_line(scale)},
    needs={"main": stored},
    claims=(FIGURE_2A,),
    draw=drawing_along("subjects", "the number of subject-answer pairs N"),
)
