"""Facts that fine-tuning never asked about come out (abstract)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.claims._tuned import (
    LEARNED,
    OPTIMIZERS,
    Optimizer,
    Tuned,
    long_enough,
    main,
    main_run,
    on_all,
)
from lemmata.papers.knowledge.claims._tuned_drawing import curve_table, described
from lemmata.papers.knowledge.claims._words import halves
from lemmata.report.plots import COLOURS, band, ceiling, legend, letter, new_figure


class Answers(NamedTuple):
    """Of one model to held-out questions, a number a seed."""

    of: Tuned
    extraction: np.ndarray
    before: np.ndarray


def answers(runs: Runs, reading: Optimizer) -> Answers:
    """In the seeds in which fine-tuning has learned its own questions."""
    tuned = main(runs)
    return Answers(tuned, tuned.reached(reading), tuned.before()[tuned.learned_seeds(reading)])


def silence(runs: Runs, reading: Optimizer) -> Answers:
    """Of the same models before fine-tuning."""
    found = answers(runs, reading)
    return found._replace(extraction=found.before)


STORED = Part(lambda found: found.of.accuracy, at_least(0.95))


def _one_subject(runs: Runs) -> str:
    tuned = main(runs)
    words = []
    for reading in OPTIMIZERS:
        one, every = tuned.mean(f"{reading} on 1"), tuned.mean(on_all(reading))
        attention, neurons = (tuned.mean(f"{reading}, {part}") for part in ("attention", "neurons"))
        words.append(
            f"{reading} {one:.2f} with one subject asked about and {every:.2f} with all, {attention:.2f} where the "
            f"attention matrix alone moves and {neurons:.2f} where it is frozen"
        )
    learned = ", ".join(f"{reading} in {len(tuned.learned_seeds(reading))}" for reading in OPTIMIZERS)
    silent = int((tuned.before() <= 0.1).sum())
    return (
        f"Of {len(tuned.before())} seeds fine-tuning has learned its own questions: {learned}. Means over all seeds: "
        f"before fine-tuning {tuned.before().mean():.2f} come out (in {silent} seeds at most a tenth; in the "
        "others the attention of pre-training happens to send the new token p to the subject); "
        f"{'; '.join(words)}."
    )


UNSEEN = Claim(
    id="extraction-unseen-facts",
    locus="Abstract; core claim; appendix, steps 44-45",
    statement="Fine-tuning on questions about half of the subjects, by gradient descent as in the theory, makes the "
    "model answer questions about the other half, which fine-tuning never names (mean over the seeds in which it has "
    f"learned {LEARNED:g} of its own).",
    wording=halves("main"),
    subject=lambda runs: answers(runs, "descent"),
    wrong=lambda runs: silence(runs, "descent"),  # the same models before fine-tuning
    parts={
        "pre-training accuracy": STORED,
        "extraction": share_over_seeds(lambda found: found.extraction, at_least(0.6)),
    },
    remark=_one_subject,
)

ADAMW = Claim(
    id="extraction-unseen-facts-adamw",
    locus="Abstract; core claim; appendix, steps 44-45, read with AdamW in fine-tuning too",
    statement="The same with AdamW: held-out facts come out that did not before fine-tuning (mean over seeds).",
    subject=lambda runs: answers(runs, "AdamW"),
    wrong=lambda runs: silence(runs, "AdamW"),
    parts={
        "pre-training accuracy": STORED,
        "extraction, over that before fine-tuning": over_seeds(
            lambda found: found.extraction - found.before, at_least(0.25)
        ),
    },
    remark="The level depends on how long pre-training went on: see the notes on larger runs.",
)


def draw(runs: Runs) -> Artefact:
    tuned = main(runs)
    figure, axes = new_figure(1, 3, width=11.4)
    table = {}
    for reading, colour in zip(OPTIMIZERS, ("blue", "vermillion"), strict=True):
        for ax, number, title in ((axes[0], "all", "half of the subjects"), (axes[1], "1", "one subject")):
            curve = table[f"{title}, {reading}"] = tuned.curve(f"{reading} on {number}")
            band(ax, *curve, reading, color=COLOURS[colour])
            ax.set(title=f"asked about {title}", ylabel="share of held-out facts")
    ceiling(axes[0], tuned.accuracy, "pre-training accuracy")
    said = {"extraction": ("its answer", "blue"), "relation_fraction": ("a relation", "orange")}
    said["other_fraction"] = ("another's answer", "black")
    for column, (label, colour) in said.items():
        curve = table[f"half of the subjects, descent, said: {label}"] = tuned.curve(on_all("descent"), column)
        band(axes[2], *curve, label, color=COLOURS[colour])
    axes[2].set(title="what is said (gradient descent)", ylabel="share of held-out questions")
    for ax in axes:
        ax.set(xlabel="fine-tuning step", ylim=(-0.02, 1.02))
        legend(ax, loc="center right", fontsize=7.5)
    letter(axes)
    caption = (
        "Questions about subjects that fine-tuning never names, along fine-tuning (a) on the other half of the "
        "subjects, (b) on one of them, by gradient descent (blue) and with AdamW (red). (c) What the model of (a) says "
        f"to them under gradient descent. {described(tuned)}"
    )
    return Artefact(figure, curve_table(table, "step", tuned), caption)


EXPERIMENT = Experiment(
    title="Facts that fine-tuning never named",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": long_enough},
    claims=(UNSEEN, ADAMW),
    draw=draw,
)
