"""The theory's pipeline from end to end: stages store, questions unlock; what moves, and what low rank changes."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Protocol, Runs, at_least, at_most, near
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, finish
from lemmata.papers.knowledge.claims._pipeline import (
    ALL,
    ATTENTION,
    LORA,
    NEURONS,
    RANK_1,
    WRONG,
    Pair,
    Tuned,
    after,
    main_run,
    main_tunings,
    pair,
    pipeline,
    said,
    share,
    wrong_tunings,
)
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.report.plots import COLOURS, new_figure

OURS = Protocol("sizes and learning rates", "the fragments give orders alone")
full = after("main", main_tunings)
wrongly = after("wrong answers", wrong_tunings, WRONG)


def before(runs: Runs) -> object:
    """The same models before fine-tuning."""
    return full(runs).untuned()


class Parts(NamedTuple):
    """Fine-tunings of the neurons alone, of the attention matrix alone, and of both."""

    neurons: Tuned
    attention: Tuned
    both: Tuned


class Course(NamedTuple):
    """Extraction along a fine-tuning, a number a seed."""

    of: Tuned

    @property
    def rise(self) -> np.ndarray:
        return self.of.extraction - self.of.untuned().extraction

    @property
    def second_half(self) -> np.ndarray:
        """From half of the steps recorded to the last."""
        values = self.of.curve()[1].astype(float)
        return values[:, -1] - values[:, values.shape[1] // 2]


def _by_way(runs: Runs) -> str:
    found = [f"{name} {full(runs).after(name).extraction.mean():.2f}" for name in main_tunings(runs.scale)]
    return (
        f"Extraction by what fine-tunes, mean of all seeds: {', '.join(found)}. After the whole gradient "
        f"{full(runs).stored.mean():.2f} of the sentences still give their answer."
    )


STORED = Claim(
    id="stored-and-silent",
    locus="Abstract: facts may be stored but remain inaccessible; before fine-tuning",
    statement=r"Staged pre-training stores the facts ($[o\,s\,r] \to a$), and a question $[o\,s\,p]$ does not bring "
    "them out: before fine-tuning a relation is the answer to it.",
    subject=before,
    wrong=full,  # after fine-tuning
    parts={
        "stored": share("stored", at_least(0.99), carries=False),
        "extraction": share("extraction", at_most(0.05)),
        "answered with a relation": share("relation", at_least(0.95)),
    },
    protocol=OURS,
)

EXTRACTED = Claim(
    id="extraction-unseen-facts",
    locus="Abstract; core claim; fragments 44-45: what fine-tuning does not revisit",
    uses=("near-optimal-in-stages",),
    statement="After pre-training in stages, gradient descent on questions about half of the subjects brings out the "
    "facts of the other half. Our split is by subject. Judged: the mean over all seeds.",
    subject=full,
    wrong=before,
    parts={"extraction": share("extraction", at_least(0.8)), "own questions learned": share("learned", at_least(0.95))},
    protocol=OURS,
    remark=_by_way,
)

LOW_RANK = Claim(
    id="rank-one-descent",
    locus="Abstract: the theory applies to both full and low-rank fine-tuning; RA_1 of fragment 57",
    statement=r"Gradient descent along $\mathrm{RA}_1(G)$ in the neurons, with the whole gradient in $A$, brings out "
    "as many facts as descent along the whole of $G$. Judged: the difference, its mean over all seeds.",
    subject=pair("main", main_tunings, RANK_1),
    wrong=pair("main", main_tunings, ATTENTION),  # another part of the gradient is left out
    parts=over_seeds(lambda found: found.gain, near(0.0, atol=0.1)),
    protocol=OURS,
)

LORA_ENOUGH = Claim(
    id="low-rank-enough",
    locus="Abstract; consequence 4: low-rank adaptation recovers the facts; factors and AdamW are our reading",
    statement="Factors of rank 4 of both matrices, trained with AdamW on the same questions, bring out most facts of "
    "the other half. Judged: the mean over all seeds.",
    subject=after("main", main_tunings, LORA),
    wrong=before,
    parts=share("extraction", at_least(0.6)),
    protocol=OURS,
)

NEURONS_CARRY = Claim(
    id="neurons-extract",
    locus="beyond the paper; which matrix turns the prompt into a trigger",
    statement="The neurons do it: with the attention matrix frozen as many facts come out as with both moving, with "
    "the neurons frozen none do. Judged: means over all seeds.",
    subject=lambda runs: Parts(*(full(runs).after(name) for name in (NEURONS, ATTENTION, ALL))),
    wrong=lambda runs: Parts(*(full(runs).after(name) for name in (ATTENTION, NEURONS, ALL))),  # exchanged
    parts={
        "neurons alone - both": over_seeds(lambda found: Pair(found.neurons, found.both).gain, near(0.0, atol=0.1)),
        "attention alone": share_over_seeds(lambda found: found.attention.extraction, at_most(0.05)),
    },
    protocol=OURS,
)

FORMAT = Claim(
    id="format-triggers",
    locus="Abstract: fine-tuning turns the Q&A prompt format into a trigger; that answers do not matter is ours",
    uses=("stored-and-silent",),
    statement="The format is the trigger: gradient descent on questions about half of the subjects, each to get "
    "another subject's answer, brings out the right answers of the other half. Judged: the mean over all seeds.",
    subject=wrongly,
    wrong=lambda runs: wrongly(runs).untuned(),
    parts={
        "extraction": share("extraction", at_least(0.8)),
        "own questions answered rightly": share("learned", at_most(0.05), carries=False),
    },
    needs={"wrong answers": stored},
    protocol=OURS,
)

FIGURE_6 = Claim(
    id="fig-6",
    locus="Appendix E, Figure 6 (its caption alone: accuracy versus fine-tuning steps); the size of the rise is ours",
    statement="Extraction of unseen facts rises along fine-tuning, to most of them, and does not fall again when "
    "fine-tuning goes on for as many steps again. Judged: means over all seeds.",
    subject=lambda runs: Course(full(runs)),
    wrong=lambda runs: Course(full(runs).after(ATTENTION)),  # the neurons frozen
    parts={
        "rise": over_seeds(lambda found: found.rise, at_least(0.5)),
        "change over the second half": replace(
            over_seeds(lambda found: found.second_half, at_least(-0.1)), carries=False
        ),
    },
    protocol=OURS,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    ways, replies = Curves(), Curves()
    colours = ("blue", "sky", "green", "vermillion", "orange", "purple")
    for name, colour in zip(main_tunings(runs.scale), colours, strict=True):
        ways.add(axes[0], name, full(runs).after(name).curve(), color=COLOURS[colour])
    for column, label, colour in (
        ("extraction", "right", "blue"),
        ("relation", "a relation", "vermillion"),
        ("another", "another answer", "orange"),
        ("learned", "own questions learned", "green"),
        ("stored", "sentences recalled", "black"),
    ):
        replies.add(axes[1], label, full(runs).curve(column), color=COLOURS[colour])
    axes[0].set(xlabel="fine-tuning step", title="held-out facts, by what fine-tunes", ylim=SHARE)
    axes[1].set(xlabel="fine-tuning step", title="gradient descent on both", ylim=SHARE)
    finish(axes)
    caption = (
        "The theory's pipeline: gradient descent in stages, then questions about half of the subjects. (a) Extraction "
        "of the other half's facts: the whole gradient, its part of rank 1, either matrix alone, factors of rank 4 "
        f"and AdamW. (b) What questions and sentences get under the whole gradient. {said(runs['main'])}"
    )
    return Artefact(figure, {**ways.table("step")}, caption)


EXPERIMENT = Experiment(
    title="The theory from end to end",
    runs=lambda scale: {"main": main_run(scale), "wrong answers": pipeline(scale, wrong_tunings(scale))},
    needs={"main": stored},
    claims=(STORED, EXTRACTED, LOW_RANK, LORA_ENOUGH, NEURONS_CARRY, FORMAT, FIGURE_6),
    draw=draw,
)
