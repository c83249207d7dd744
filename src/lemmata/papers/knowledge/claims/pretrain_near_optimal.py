"""How near pre-training comes to the least loss that any predictor can have on the data."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.knowledge.claims._acquisition import acquisition_run, finished
from lemmata.papers.knowledge.theory.optimal_loss import optimal_fact_loss
from lemmata.report.plots import COLOURS, ceiling, legend, letter, new_figure

NEAR = 0.05  # nats over the least loss that still count as near-optimal, and
KNOWN = 0.95  # the share of facts known; both chosen before the run


def least_loss(run: RunResult) -> float:
    """From the data: every subject has K templates."""
    facts = run.config.facts
    return optimal_fact_loss(np.full(facts.subjects, facts.multiplicity))


def known_and_excess(run: RunResult) -> tuple[np.ndarray, np.ndarray]:
    """The share of facts known and the loss over the least, [seed, record]."""
    return run.arrays["pretraining.fact_accuracy"], run.arrays["pretraining.full_loss"] - least_loss(run)


def levels_off(runs: Runs) -> str:
    accuracy, excess = known_and_excess(runs["main"])
    known = accuracy.min(axis=0) >= KNOWN
    since = f"from step {runs['main'].arrays['pretraining.step'][np.argmax(known)]} on" if known.any() else "nowhere"
    return (
        f"{KNOWN:g} of the facts are known {since}; the excess then falls, with the rate and weight decay kept "
        f"constant, and stands at {excess[:, -1].mean():.3f} nats at the end."
    )


NEAR_OPTIMAL = Claim(
    id="pretrain-near-optimal",
    locus="Abstract: the model reaches near-optimal pre-training loss",
    statement="Next-token pre-training comes near the least loss any predictor can have on the data (log(K)/3: only "
    "the template after a subject is uncertain) and knows the facts, in every seed.",
    subject=lambda runs: [values[:, -1] for values in known_and_excess(runs["main"])],
    wrong=lambda runs: [values[:, 0] for values in known_and_excess(runs["main"])],  # the untrained model
    parts={
        "facts known": Part(lambda found: found[0], at_least(KNOWN)),
        "loss over the least": Part(lambda found: found[1], at_most(NEAR)),
    },
    remark=levels_off,
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    config, steps = run.config, run.arrays["pretraining.step"]
    (known, excess), templates = known_and_excess(run), run.arrays["pretraining.template_accuracy"]
    figure, (left, right) = new_figure(1, 2, width=9.0)
    left.plot(steps[1:], excess[:, 1:].T, "o-", color=COLOURS["blue"], markersize=3, linewidth=1)
    for values, colour, label in (
        (known, COLOURS["blue"], "[o s r] gives the answer"),
        (templates, COLOURS["vermillion"], "[o s] gives a template of the subject"),
    ):
        right.plot(steps, values.T, color=colour, linewidth=1)[0].set_label(label)
    ceiling(left, NEAR, f"{NEAR:g} nats")
    ceiling(right, KNOWN)
    left.set(yscale="log", xlabel="step", ylabel="nats", title="loss over the least possible")
    right.set(xlabel="step", ylabel="share", ylim=(0, 1.03), title="known")
    for ax in (left, right):
        legend(ax, fontsize=7.5)
    letter((left, right))
    table = {
        "seed": np.repeat(config.seeds, len(steps)),
        "step": np.tile(steps, len(known)),
        "loss over the least": excess.reshape(-1),
        "facts known": known.reshape(-1),
        "templates known": templates.reshape(-1),
    }
    caption = (
        f"Pre-training with AdamW, N = {config.facts.subjects}, |R| = {config.facts.templates}, "
        f"K = {config.facts.multiplicity}, d = {config.model.width}; a line for each of {len(known)} seeds. The least "
        f"loss, from the data, is {least_loss(run):.4f} nats; the untrained model: {excess[:, 0].mean():.2f} over."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="Pre-training loss against the least possible",
    runs=lambda scale: {"main": acquisition_run(scale)},
    needs={"main": finished},
    claims=(NEAR_OPTIMAL,),
    draw=draw,
)
