"""The model without learned attention stores facts that questions reach less (appendix, step 45)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least
from lemmata.papers.knowledge.claims._trends import over_seeds, side_by_side
from lemmata.papers.knowledge.claims._tuned import (
    OPTIMIZERS,
    Optimizer,
    Tuned,
    long_enough,
    main,
    main_run,
    on_all,
    uniform_run,
    variant,
)
from lemmata.papers.knowledge.claims._tuned_drawing import curve_table, described
from lemmata.report.plots import COLOURS, band, joined, legend, letter, new_figure


class Gap(NamedTuple):
    """Extraction of the standard model, beside that of another model or of a part of it; numbers are one a seed."""

    standard: Tuned
    other: Tuned
    lead: np.ndarray


def against_uniform(runs: Runs, reading: Optimizer) -> Gap:
    standard, uniform = main(runs), variant(runs, "uniform")
    both = side_by_side([standard.reached(reading), uniform.after(on_all(reading))])
    return Gap(standard, uniform, both[:, 0] - both[:, 1])


def against_attention_alone(runs: Runs, reading: Optimizer) -> Gap:
    tuned = main(runs)
    return Gap(tuned, tuned, tuned.reached(reading) - tuned.reached(reading, f"{reading}, attention"))


def _levels(runs: Runs) -> str:
    standard, uniform = main(runs), variant(runs, "uniform")
    found = [
        f"{reading} {standard.mean(on_all(reading)):.2f} and {uniform.mean(on_all(reading)):.2f}"
        for reading in OPTIMIZERS
    ]
    return (
        f"Extraction of the standard and of the uniform model: {'; '.join(found)}. That the latter stores the facts "
        f"rests on accuracy alone: its loss is {uniform.excess:.2f} nats over the least, the standard model's "
        f"{standard.excess:.2f}."
    )


def claim(reading: Optimizer, *, id: str, locus: str, statement: str) -> Claim:
    return Claim(
        id=id,
        locus=locus,
        statement=statement,
        subject=lambda runs: against_uniform(runs, reading),
        # learned attention that alone moves in fine-tuning, the neurons frozen: the other way round
        wrong=lambda runs: against_attention_alone(runs, reading),
        parts={
            "standard - uniform": over_seeds(lambda gap: gap.lead, at_least(0.4)),
            "standard: pre-training accuracy": Part(lambda gap: gap.standard.accuracy, at_least(0.9)),
            "uniform: pre-training accuracy": Part(lambda gap: gap.other.accuracy, at_least(0.9)),
        },
        remark=_levels,
    )


LOCUS = "Appendix, step 45 compares 'standard' and 'Uniform attention + MLP'; our text is cut before the outcome"
DESCENT = claim(
    "descent",
    id="uniform-attention-fails",
    locus=LOCUS,
    statement="Learned attention reaches facts that uniform attention does not: after gradient descent extraction is "
    "far higher in the standard model, while both recall their facts after pre-training (means over seeds).",
)
ADAMW = claim(
    "AdamW",
    id="uniform-attention-fails-adamw",
    locus=f"{LOCUS}; read with AdamW in fine-tuning",
    statement="The same, fine-tuned with AdamW.",
)


def draw(runs: Runs) -> Artefact:
    models = {"standard": main(runs), "uniform attention": variant(runs, "uniform")}
    figure, axes = new_figure(1, 2)
    tables = []
    for (name, tuned), colour in zip(models.items(), (COLOURS["blue"], COLOURS["vermillion"]), strict=True):
        stored = tuned.run.arrays["pretraining.step"], tuned.run.arrays["pretraining.fact_accuracy"]
        band(axes[0], *stored, name, color=colour)
        curves = {f"{name}: stored": stored}
        for reading, style in zip(OPTIMIZERS, ("-", "--"), strict=True):
            curve = curves[f"{name}: extracted, {reading}"] = tuned.curve(on_all(reading))
            band(axes[1], *curve, f"{name}, {reading}", color=colour, linestyle=style)
        tables.append(curve_table(curves, "step", tuned))
    shown = (-0.02, 1.02)
    axes[0].set(xlabel="pre-training step", ylabel="accuracy of [o s r] → a", title="stored", ylim=shown)
    axes[1].set(xlabel="fine-tuning step", ylabel="share of held-out facts", title="extracted", ylim=shown)
    letter(axes)
    for ax in axes:
        legend(ax, loc="best", fontsize=7)
    caption = (
        "(a) Accuracy along pre-training; (b) extraction of held-out facts along fine-tuning. Standard: "
        f"{described(models['standard'])} Uniform: {described(models['uniform attention'])}"
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Without learned attention",
    runs=lambda scale: {"main": main_run(scale), "uniform": uniform_run(scale)},
    needs={"main": long_enough, "uniform": long_enough},
    claims=(DESCENT, ADAMW),
    draw=draw,
)
