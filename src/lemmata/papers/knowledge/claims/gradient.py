"""Equation (216): the gradient of fine-tuning against its part of rank 1, whole and by the rows of neurons."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Protocol, Runs, Scale, at_least
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, finish
from lemmata.papers.knowledge.claims._pipeline import descent, pipeline
from lemmata.papers.knowledge.claims._trends import share_over_seeds
from lemmata.papers.knowledge.run.question_gradient import QuestionGradient
from lemmata.report.plots import COLOURS, new_figure

FULL = 0  # a place in run.question_gradient.WAYS
OURS = Protocol("sizes, learning rates and t_f", "the fragment gives none")


def gradient_run(scale: Scale) -> QuestionGradient:
    tuning = descent(scale)
    base = pipeline(scale, {"": tuning})
    return QuestionGradient(
        facts=base.facts,
        model=base.model,
        stages=base.stages,
        tuning=tuning,
        seeds=sizes.seeds(scale, sizes.GRADIENT_SEEDS, sizes.PIPELINE_FIRST_SEED),
    )


class Gradient(NamedTuple):
    """Of the loss of questions [o s p], or of the same facts' sentences [o s r]."""

    runs: Runs
    of: str = "question"

    def along(self, what: str) -> tuple[np.ndarray, np.ndarray]:
        """Fine-tuning steps, and a number [seed, step]."""
        return self.runs["main"].curve(f"{self.of}_{what}", way=FULL)

    def first(self, what: str) -> np.ndarray:
        """Before the first step, a number a seed."""
        return self.along(what)[1][:, 0].astype(float)

    def least(self, what: str) -> np.ndarray:
        """The least at the recorded steps, t_f among them, a number a seed."""
        return self.along(what)[1].min(axis=1).astype(float)


def _later(runs: Runs) -> str:
    words = []
    for what, name in (("share", "of its squares"), ("rows", "of a neuron's own row")):
        steps, values = Gradient(runs).along(what)
        found = ", ".join(f"{value:.2f} at {step}" for step, value in zip(steps, values.mean(axis=0), strict=True))
        words.append(f"{name}: {found}")
    along = Gradient(runs).first("along")
    return (
        f"The share kept by rank 1 along fine-tuning, mean over seeds, {'; '.join(words)} steps. Before the first step "
        f"|cos(u₁, p)| is {along.min():.3f} to {along.max():.3f}."
    )


RANK_ONE = Claim(
    id="gradient-rank-one",
    locus="Fragment 57, equation (216): RA_1, the rank-1 part of the fine-tuning gradient",
    statement=r"The gradient $G$ of question fine-tuning in the neurons is nearly its rank-1 part $\mathrm{RA}_1(G)$ "
    r"before the first step: $\sigma_1^2$ is nearly all of $\sum_j \sigma_j^2$. Judged: the mean over seeds.",
    subject=Gradient,
    wrong=lambda runs: Gradient(runs, "sentence"),
    parts=share_over_seeds(lambda found: found.first("share"), at_least(0.9)),
    protocol=OURS,
    remark=_later,
)

ROWS = Claim(
    id="gradient-rows",
    locus="beyond the paper; fragment 57, equation (216): rows i of G(t_f) and of RA_1(G(t_f))",
    statement=r"At every recorded $t_f$ a neuron's row $[\mathrm{RA}_1(G(t_f))]_i$ keeps most of the square of its row "
    r"$[G(t_f)]_i$. Judged: the mean over the neurons that move, at the worst $t_f$, its mean over seeds. The fragment "
    "is cut before it says what follows.",
    subject=Gradient,
    wrong=lambda runs: Gradient(runs, "sentence"),
    parts=share_over_seeds(lambda found: found.least("rows"), at_least(0.5)),
    protocol=OURS,
    remark="The threshold is ours. Descent along the part of rank 1 brings out as many facts all the same: see "
    "rank-one-descent.",
)

ALONG_PROMPT = Claim(
    id="gradient-along-prompt",
    locus="beyond the paper; on equation (216)",
    statement="The one direction of the fine-tuning gradient is nearly that of the prompt token $p$: "
    r"$|\cos(u_1, p)|$ before the first step. Judged: the mean over seeds.",
    subject=Gradient,
    wrong=lambda runs: Gradient(runs, "sentence"),
    parts=share_over_seeds(lambda found: found.first("along"), at_least(0.95)),
    protocol=OURS,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    curves = Curves()
    for of, colour in (("question", "blue"), ("sentence", "orange")):
        for ax, what in zip(axes, ("share", "rows"), strict=True):
            curves.add(ax, f"{of}s, {what}", Gradient(runs, of).along(what), f"{of}s", color=COLOURS[colour])
    axes[0].set(xlabel="fine-tuning step", title="σ₁²/Σσ² of the whole gradient", ylim=SHARE)
    axes[1].set(xlabel="fine-tuning step", title="the same of each neuron's row, mean", ylim=SHARE)
    finish(axes)
    run = runs["main"]
    facts = run.config.facts
    caption = (
        f"The gradient of question fine-tuning in the neurons and its part of rank 1, N = {facts.subjects}, |R| = "
        f"{facts.templates}, K = {facts.multiplicity}, d = {run.config.model.width}, {len(run.config.seeds)} seeds, "
        f"pre-trained in stages to {run.arrays['excess'].mean():.3f} nats over the least loss; for questions, and for "
        "sentences of the same facts."
    )
    return Artefact(figure, curves.table("step"), caption)


EXPERIMENT = Experiment(
    title="The fine-tuning gradient has rank 1",
    runs=lambda scale: {"main": gradient_run(scale)},
    needs={"main": stored},
    claims=(RANK_ONE, ROWS, ALONG_PROMPT),
    draw=draw,
)
