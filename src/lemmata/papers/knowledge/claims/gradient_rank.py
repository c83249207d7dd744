"""Equation (216): one direction, that of the prompt, holds the gradient of fine-tuning, and its rank-1 part does the
work of the whole."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, near
from lemmata.papers.knowledge.claims._acquisition import stored
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.claims._tuned import FEWEST, LEARNED, long_enough, tuning
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.question_gradient import WAYS, QuestionGradient
from lemmata.papers.knowledge.run.training import FRESH, setting
from lemmata.papers.knowledge.task import FactsConfig
from lemmata.report.plots import COLOURS, band, columns, legend, letter, new_figure

FULL, RANK_1, NEURONS = 0, 1, 2  # places in WAYS


def gradient_run(scale: Scale) -> QuestionGradient:
    """On a laptop of more subjects than elsewhere: of few questions the gradient's rank varies much between seeds."""
    base, way = setting(scale), tuning(scale, "descent")
    larger, longer = FactsConfig(subjects=100), PreTrainingConfig(steps=1500, records=15)
    return QuestionGradient(
        facts=scale.pick(smoke=base.facts, laptop=larger, paper=base.facts),
        model=base.model,
        pretraining=scale.pick(smoke=base.pretraining, laptop=longer, paper=base.pretraining),
        tuning=way,
        seeds=tuple(FRESH + seed for seed in scale.seeds(smoke=1, laptop=9, paper=5)),
    )


def before_the_first_step(run: RunResult, column: str) -> np.ndarray:
    """A number a seed."""
    return run.column(column, way=FULL, step=0).astype(float)


def _later(runs: Runs) -> str:
    steps, share = runs["main"].curve("question_share", way=FULL)
    found = [f"{value:.2f} after {step}" for step, value in zip(steps, share.mean(axis=0), strict=True)]
    least = before_the_first_step(runs["main"], "question_share").min()
    return f"In the worst seed {least:.2f}. Along gradient descent, mean over seeds: {', '.join(found)} steps."


BY_SEED = {"seed": lambda runs: runs["main"].config.seeds}

RANK_ONE = Claim(
    id="gradient-rank-one",
    locus="Appendix, equation (216): RA_1, the rank-1 part of the fine-tuning gradient",
    statement="The gradient of question fine-tuning in the neurons is nearly of rank 1: σ₁² is nearly all of Σσ² "
    "before the first step (mean over seeds).",
    subject=lambda runs: before_the_first_step(runs["main"], "question_share"),
    # of the same facts' sentences, [o s r] in the place of [o s p]
    wrong=lambda runs: before_the_first_step(runs["main"], "sentence_share"),
    parts=share_over_seeds(np.asarray, at_least(0.9)),
    remark=_later,
)


def _what_is_shared(runs: Runs) -> str:
    common = before_the_first_step(runs["main"], "question_common")
    return (
        "Not in our text: told by a summary of the paper that is not its authors'. What all questions share is p and, "
        "where pre-training left attention on it, o: with the mean of Ξ over the questions |cos| is "
        f"{common.min():.3f} to {common.max():.3f}."
    )


ALONG_PROMPT = Claim(
    id="gradient-along-prompt",
    locus="beyond the paper; on equation (216)",
    statement="The one direction of the fine-tuning gradient is that of the prompt token p: |cos(u₁, p)| is nearly 1 "
    "before the first step, in every seed.",
    subject=lambda runs: before_the_first_step(runs["main"], "question_along"),
    wrong=lambda runs: before_the_first_step(runs["main"], "sentence_along"),
    parts=Part(np.asarray, at_least(0.99), along=BY_SEED),
    remark=_what_is_shared,
)


class Pair(NamedTuple):
    """Extraction with a gradient of rank 1, and the gain of the whole one, a number a seed."""

    thin: np.ndarray
    full: np.ndarray


def extraction(run: RunResult, way: int) -> np.ndarray:
    """In the seeds in which the whole gradient has learned its own questions."""
    end = run.config.tuning.steps
    learned = run.column("asked_accuracy", way=FULL, step=end) >= LEARNED
    if learned.sum() < FEWEST:
        raise Undecided(f"gradient descent learned {LEARNED:g} of its own questions in {learned.sum()} seeds only")
    return run.column("extraction", way=way, step=end).astype(float)[learned]


def _both(runs: Runs) -> str:
    found = [f"{name} {extraction(runs['main'], way).mean():.2f}" for way, name in enumerate(WAYS)]
    return f'Extraction: {", ".join(found)} ("neurons": the attention matrix frozen).'


DESCENT = Claim(
    id="rank-one-descent",
    locus="Abstract: the theory applies to both full and low-rank fine-tuning; equation (216)",
    statement="Gradient descent that uses only the rank-1 part of the neurons' gradient extracts as much as with the "
    "whole gradient (held-out facts, means over seeds in which the latter has learned its own questions).",
    subject=lambda runs: Pair(extraction(runs["main"], RANK_1), extraction(runs["main"], FULL)),
    # the whole gradient of the neurons, the attention matrix frozen: another part of the update is left out
    wrong=lambda runs: Pair(extraction(runs["main"], NEURONS), extraction(runs["main"], FULL)),
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
    rows = []
    for of, colour in (("question", "blue"), ("sentence", "orange")):
        for name, style in (("share", "-"), ("along", "--")):
            steps, values = run.curve(f"{of}_{name}", way=FULL)
            label = {"share": "σ₁²/Σσ²", "along": "|cos(u₁, p)|"}[name]
            band(axes[0], steps, values, f"{of}s, {label}", color=COLOURS[colour], linestyle=style)
            rows += [
                {"what": f"{of}s, {label}", "step": int(step), "mean": float(m), "std": float(s)}
                for step, m, s in zip(steps, values.mean(axis=0), values.std(axis=0), strict=True)
            ]
    for way, (name, colour) in enumerate(zip(WAYS, ("blue", "sky", "vermillion", "orange"), strict=True)):
        steps, values = run.curve("extraction", way=way)
        band(axes[1], steps, values, name, color=COLOURS[colour], linestyle="--" if "rank" in name else "-")
        rows += [
            {"what": f"extraction, {name}", "step": int(step), "mean": float(m), "std": float(s)}
            for step, m, s in zip(steps, values.mean(axis=0), values.std(axis=0), strict=True)
        ]
    axes[0].set(xlabel="fine-tuning step", title="the gradient in the neurons", ylim=(-0.02, 1.04))
    axes[1].set(xlabel="fine-tuning step", title="extraction of held-out facts", ylim=(-0.02, 1.04))
    for ax in axes:
        legend(ax, fontsize=7, loc="best")
    letter(axes)
    facts = run.config.facts
    caption = (
        f"Question fine-tuning by gradient descent, N = {facts.subjects}, |R| = {facts.templates}, K = "
        f"{facts.multiplicity}, d = {run.config.model.width}; pre-training accuracy "
        f"{run.arrays['pretraining.fact_accuracy'].mean():.3f}, loss {run.arrays['pretraining.excess'].mean():.3f} "
        "nats over the least. (a) The leading share of the gradient and its direction, for questions and for sentences "
        "of the same facts. (b) Along the whole gradient and along its rank-1 part, with the attention matrix moving "
        f"or frozen. Mean and one standard deviation of {len(run.config.seeds)} seeds."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="The fine-tuning gradient has rank 1",
    runs=lambda scale: {"main": gradient_run(scale)},
    needs={"main": stored},
    claims=(RANK_ONE, ALONG_PROMPT, DESCENT),
    draw=draw,
)
