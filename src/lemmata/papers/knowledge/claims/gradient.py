"""Equation (216): one direction holds the gradient of fine-tuning, and its rank-1 part does the work of the whole."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, near
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, finish
from lemmata.papers.knowledge.claims._extraction_runs import long_enough, tuning
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.claims._tuned import FEWEST, LEARNED
from lemmata.papers.knowledge.run.question_gradient import WAYS, QuestionGradient
from lemmata.papers.knowledge.run.training import base_cell
from lemmata.report.plots import COLOURS, long_table, new_figure

FULL, RANK_1, NEURONS = 0, 1, 2  # places in WAYS


def gradient_run(scale: Scale) -> QuestionGradient:
    base = base_cell(scale)
    return QuestionGradient(
        facts=replace(base.facts, **sizes.GRADIENT_FACTS.at(scale)),
        model=base.model,
        pretraining=replace(base.pretraining, **sizes.GRADIENT_PRETRAINING.at(scale)),
        tuning=tuning(scale, "descent"),
        seeds=sizes.seeds(scale, sizes.GRADIENT_SEEDS),
    )


def before_the_first_step(runs: Runs, column: str) -> np.ndarray:
    """A number a seed."""
    return runs["main"].column(column, way=FULL, step=0).astype(float)


def _later(runs: Runs) -> str:
    steps, share = runs["main"].curve("question_share", way=FULL)
    found = [f"{value:.2f} after {step}" for step, value in zip(steps, share.mean(axis=0), strict=True)]
    least = before_the_first_step(runs, "question_share").min()
    return f"In the worst seed {least:.2f}. Along gradient descent, mean over seeds: {', '.join(found)} steps."


RANK_ONE = Claim(
    id="gradient-rank-one",
    locus="Appendix, equation (216): RA_1, the rank-1 part of the fine-tuning gradient",
    statement=r"The gradient $G$ of question fine-tuning in the neurons is nearly its rank-1 part $\mathrm{RA}_1(G)$: "
    r"$\sigma_1^2$ is nearly all of $\sum_j \sigma_j^2$. The fragment compares rows of the two at $t_f$; judged is the "
    "share before the first step, its mean over seeds.",
    subject=lambda runs: before_the_first_step(runs, "question_share"),
    # of the same facts' sentences, [o s r] in the place of [o s p]
    wrong=lambda runs: before_the_first_step(runs, "sentence_share"),
    parts=share_over_seeds(np.asarray, at_least(0.9)),
    remark=_later,
)


def _what_is_shared(runs: Runs) -> str:
    common = before_the_first_step(runs, "question_common")
    return (
        "Not in our text: a summary of the paper that is not its authors' says so. What all questions share is p and, "
        "where pre-training left attention on it, o. With the mean of Ξ over the questions |cos| is "
        f"{common.min():.3f} to {common.max():.3f}."
    )


ALONG_PROMPT = Claim(
    id="gradient-along-prompt",
    locus="beyond the paper; on equation (216)",
    statement=r"The one direction of the fine-tuning gradient is that of the prompt token $p$: $|\cos(u_1, p)|$ is "
    "nearly 1 before the first step, in every seed.",
    subject=lambda runs: before_the_first_step(runs, "question_along"),
    wrong=lambda runs: before_the_first_step(runs, "sentence_along"),
    parts=Part(np.asarray, at_least(0.99), along={"seed": lambda runs: runs["main"].config.seeds}),
    remark=_what_is_shared,
)


class Pair(NamedTuple):
    """Extraction with a gradient of rank 1, and the gain of the whole one, a number a seed."""

    thin: np.ndarray
    full: np.ndarray


def learned_seeds(run: RunResult) -> np.ndarray:
    """In which the whole gradient has learned its own questions."""
    return run.column("asked_accuracy", way=FULL, step=run.config.tuning.steps) >= LEARNED


def extraction(runs: Runs, way: int) -> np.ndarray:
    run = runs["main"]
    learned = learned_seeds(run)
    if learned.sum() < FEWEST:
        raise Undecided(f"gradient descent learned {LEARNED:g} of its own questions in {learned.sum()} seeds only")
    return run.column("extraction", way=way, step=run.config.tuning.steps).astype(float)[learned]


def _both(runs: Runs) -> str:
    found = [f"{name} {extraction(runs, way).mean():.2f}" for way, name in enumerate(WAYS)]
    return (
        f'Extraction: {", ".join(found)} ("neurons": the attention matrix frozen), in '
        f"{learned_seeds(runs['main']).sum()} of {len(runs['main'].config.seeds)} seeds."
    )


DESCENT = Claim(
    id="rank-one-descent",
    locus="Abstract: the theory applies to both full and low-rank fine-tuning; equation (216)",
    statement=r"Gradient descent along $\mathrm{RA}_1(G)$ in the neurons, the whole gradient in $A$, extracts as much "
    "as "
    "along the whole of $G$. Judged: held-out facts after question fine-tuning, means over the seeds in which the "
    "whole gradient has learned its own questions.",
    subject=lambda runs: Pair(extraction(runs, RANK_1), extraction(runs, FULL)),
    # the whole gradient of the neurons, the attention matrix frozen: another part of the update is left out
    wrong=lambda runs: Pair(extraction(runs, NEURONS), extraction(runs, FULL)),
    parts={
        "rank 1 - full": over_seeds(lambda pair: pair.thin - pair.full, near(0.0, atol=0.1)),
        "full": share_over_seeds(lambda pair: pair.full, at_least(0.6)),
    },
    needs={"main": long_enough},
    remark=_both,
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, axes = new_figure(1, 2)
    curves, learned = Curves(), learned_seeds(run)
    for of, colour in (("question", "blue"), ("sentence", "orange")):
        for name, label, style in (("share", "σ₁²/Σσ²", "-"), ("along", "|cos(u₁, p)|", "--")):
            curve = run.curve(f"{of}_{name}", way=FULL)
            curves.add(axes[0], f"{of}s, {label}", curve, color=COLOURS[colour], linestyle=style)
    for way, (name, colour) in enumerate(zip(WAYS, ("blue", "sky", "vermillion", "orange"), strict=True)):
        steps, values = run.curve("extraction", way=way)
        curve, style = (steps, values[learned] if learned.any() else values), "--" if "rank" in name else "-"
        curves.add(axes[1], f"extraction, {name}", curve, name, color=COLOURS[colour], linestyle=style)
    axes[0].set(xlabel="fine-tuning step", title="the gradient in the neurons", ylim=SHARE)
    axes[1].set(xlabel="fine-tuning step", title="extraction of held-out facts", ylim=SHARE)
    finish(axes, fontsize=7, loc="best")
    facts = run.config.facts
    caption = (
        f"Question fine-tuning by gradient descent, N = {facts.subjects}, |R| = {facts.templates}, K = "
        f"{facts.multiplicity}, d = {run.config.model.width}; pre-training accuracy "
        f"{run.arrays['pretraining.fact_accuracy'].mean():.3f}, loss {run.arrays['pretraining.excess'].mean():.3f} "
        "nats over the least. (a) The leading share of the gradient and its direction, for questions and for sentences "
        f"of the same facts, in {len(run.config.seeds)} seeds. (b) Along the whole gradient and along its rank-1 part, "
        "with the attention matrix moving or frozen, in the "
        f"{learned.sum()} seeds that have learned their own questions. Mean and one standard deviation."
    )
    return Artefact(figure, long_table(curves), caption)


EXPERIMENT = Experiment(
    title="The fine-tuning gradient has rank 1",
    runs=lambda scale: {"main": gradient_run(scale)},
    needs={"main": stored},
    claims=(RANK_ONE, ALONG_PROMPT, DESCENT),
    draw=draw,
)
