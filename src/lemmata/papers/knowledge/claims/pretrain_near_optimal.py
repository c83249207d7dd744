"""How near pre-training comes to the least loss that any predictor can have on the data."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._acquisition import acquisition_run, finished
from lemmata.papers.knowledge.theory.optimal_loss import optimal_fact_loss
from lemmata.report.plots import COLOURS, ceiling, legend, new_figure, panel_label

NEAR = 0.05  # nats over the least loss that still count as near-optimal, and
KNOWN = 0.95  # the share of facts known; both chosen before the run


def least_loss(run: RunResult) -> float:
    """From the data: every subject has K templates."""
    facts = run.config.facts
    return optimal_fact_loss(np.full(facts.subjects, facts.multiplicity)).mean


class Moment(NamedTuple):
    run: RunResult
    record: int


def facts_known(moment: Moment) -> np.ndarray:
    return moment.run.arrays["pretraining.fact_accuracy"][:, moment.record]


def loss_over_least(moment: Moment) -> np.ndarray:
    return moment.run.arrays["pretraining.full_loss"][:, moment.record] - least_loss(moment.run)


def levels_off(runs: Runs) -> str:
    run = runs["main"]
    known = run.arrays["pretraining.fact_accuracy"].min(axis=0) >= KNOWN
    since = f"from step {run.arrays['pretraining.step'][np.argmax(known)]} on" if known.any() else "nowhere"
    return (
        f"{KNOWN:g} of the facts are known {since}; the excess then falls, with the rate and weight decay kept "
        f"constant, and stands at {loss_over_least(Moment(run, -1)).mean():.3f} nats at the end."
    )


NEAR_OPTIMAL = Claim(
    id="pretrain-near-optimal",
    locus="Abstract: the model reaches near-optimal pre-training loss",
    statement="Next-token pre-training comes near the least loss any predictor can have on the data (log(K)/3: only "
    "the template after a subject is uncertain) and knows the facts, in every seed.",
    subject=lambda runs: Moment(runs["main"], -1),
    wrong=lambda runs: Moment(runs["main"], 0),  # the untrained model
    parts={
        "facts known": Part(facts_known, at_least(KNOWN)),
        "loss over the least": Part(loss_over_least, at_most(NEAR)),
    },
    remark=levels_off,
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    config, steps = run.config, run.arrays["pretraining.step"]
    excess = run.arrays["pretraining.full_loss"] - least_loss(run)
    known, templates = run.arrays["pretraining.fact_accuracy"], run.arrays["pretraining.template_accuracy"]
    figure, (left, right) = new_figure(1, 2, width=9.0)
    left.plot(steps[1:], excess[:, 1:].T, "o-", color=COLOURS["blue"], markersize=3, linewidth=1)
    for values, colour, label in (
        (known, COLOURS["blue"], "[o s r] gives the answer"),
        (templates, COLOURS["vermillion"], "[o s] gives a template of the subject"),
    ):
        lines = right.plot(steps, values.T, color=colour, linewidth=1)
        lines[0].set_label(label)
    ceiling(left, NEAR, f"{NEAR:g} nats")
    ceiling(right, KNOWN)
    left.set(yscale="log", xlabel="step", ylabel="nats", title="loss over the least possible")
    right.set(xlabel="step", ylabel="share", ylim=(0, 1.03), title="known")
    for letter, ax in zip("ab", (left, right), strict=True):
        legend(ax, fontsize=7.5)
        panel_label(ax, letter)
    count = len(config.seeds)
    table = {
        "seed": np.repeat(config.seeds, len(steps)),
        "step": np.tile(steps, count),
        "loss over the least": excess.reshape(-1),
        "facts known": known.reshape(-1),
        "templates known": templates.reshape(-1),
    }
    caption = (
        f"Pre-training with AdamW, N = {config.facts.subjects}, |R| = {config.facts.templates}, "
        f"K = {config.facts.multiplicity}, d = {config.model.width}; a line for each of {count} seeds. The least loss, "
        f"from the data, is {least_loss(run):.4f} nats a question; the untrained model: {excess[:, 0].mean():.2f} over."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="Pre-training loss against the least possible",
    runs=lambda scale: {"main": acquisition_run(scale)},
    needs={"main": finished},
    claims=(NEAR_OPTIMAL,),
    draw=draw,
)
