"""The model without learned attention stores facts that questions reach less (appendix, fragment 45)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, described, finish
from lemmata.papers.knowledge.claims._extraction_runs import (
    OPTIMIZERS,
    Optimizer,
    long_enough,
    main_run,
    on_all,
    uniform_run,
)
from lemmata.papers.knowledge.claims._trends import over_seeds, side_by_side
from lemmata.papers.knowledge.claims._tuned import BY, Tuned, main, under_both, variant
from lemmata.report.plots import COLOURS, joined, new_figure


class Gap(NamedTuple):
    """Extraction of the standard model, beside that of another model or of a part of it; numbers are one a seed."""

    standard: Tuned
    other: Tuned
    lead: np.ndarray


def against_uniform(runs: Runs, optimizer: Optimizer) -> Gap:
    standard, uniform = main(runs), variant(runs, "uniform")
    both = side_by_side([standard.reached(optimizer), uniform.after(on_all(optimizer))])
    return Gap(standard, uniform, both[:, 0] - both[:, 1])


def against_attention_alone(runs: Runs, optimizer: Optimizer) -> Gap:
    tuned = main(runs)
    return Gap(tuned, tuned, tuned.reached(optimizer) - tuned.reached(optimizer, f"{optimizer}, attention"))


def _levels(runs: Runs) -> str:
    standard, uniform = main(runs), variant(runs, "uniform")
    found = [f"{BY[one]} {standard.level(one):.2f} and {uniform.mean(on_all(one)):.2f}" for one in OPTIMIZERS]
    return (
        f"Extraction of the standard and of the uniform model: {'; '.join(found)}. That the "
        f"uniform model stores the facts rests on accuracy alone. Its loss is {uniform.excess:.2f} nats over the "
        f"least, the standard model's {standard.excess:.2f}."
    )


def claim(optimizer: Optimizer) -> Claim:
    return Claim(
        id="uniform-attention-fails",
        locus="Appendix, fragment 45 compares 'standard' and 'Uniform attention + MLP'; our text is cut before the "
        "outcome",
        statement="Learned attention reaches facts that uniform attention does not: after fine-tuning "
        f"{BY[optimizer]} extraction is far higher in the standard model, while both recall their facts after "
        "pre-training. Judged: the mean difference over seeds, the standard model in those in which it has learned its "
        "own questions. The outcome is our reading.",
        subject=lambda runs: against_uniform(runs, optimizer),
        # learned attention that alone moves in fine-tuning, the neurons frozen: the other way round
        wrong=lambda runs: against_attention_alone(runs, optimizer),
        parts={
            "standard - uniform": over_seeds(lambda gap: gap.lead, at_least(0.4)),
            "standard: pre-training accuracy": Part(lambda gap: gap.standard.accuracy, at_least(0.9)),
            "uniform: pre-training accuracy": Part(lambda gap: gap.other.accuracy, at_least(0.9)),
        },
        remark=_levels,
    )


def draw(runs: Runs) -> Artefact:
    models = {"standard": main(runs), "uniform attention": variant(runs, "uniform")}
    figure, axes = new_figure(1, 2)
    tables = []
    for (name, tuned), colour in zip(models.items(), (COLOURS["blue"], COLOURS["vermillion"]), strict=True):
        curves = Curves()
        stored = tuned.run.arrays["pretraining.step"], tuned.run.arrays["pretraining.fact_accuracy"]
        curves.add(axes[0], f"{name}: stored", stored, name, color=colour)
        for one, style in zip(OPTIMIZERS, ("-", "--"), strict=True):
            curve = tuned.shown_curve(one) if name == "standard" else tuned.curve(on_all(one))
            curves.add(axes[1], f"{name}: extracted, {one}", curve, f"{name}, {one}", color=colour, linestyle=style)
        tables.append(curves.table("step", tuned))
    axes[0].set(xlabel="pre-training step", ylabel="accuracy of [o s r] → a", title="stored", ylim=SHARE)
    axes[1].set(xlabel="fine-tuning step", ylabel="share of held-out facts", title="extracted", ylim=SHARE)
    finish(axes, loc="best", fontsize=7)
    caption = (
        "(a) Accuracy along pre-training; (b) extraction of held-out facts along fine-tuning. Standard: "
        f"{described(models['standard'])} Uniform: {described(models['uniform attention'], every_seed=True)}"
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Without learned attention",
    runs=lambda scale: {"main": main_run(scale), "uniform": uniform_run(scale)},
    needs={"main": long_enough, "uniform": long_enough},
    claims=under_both(claim),
    draw=draw,
)
