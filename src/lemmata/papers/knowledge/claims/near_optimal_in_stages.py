"""How near gradient descent in the appendix's three stages comes to the least loss on the data."""

from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.knowledge.claims._acquisition import NEAR, by_seed, least_loss, still_falling
from lemmata.papers.knowledge.claims._stages import SHARED, at_best_eta, staged_runs
from lemmata.report.plots import COLOURS, ceiling, legend, new_figure

SURE = 0.9  # mean probability of the answer
BY_SEED = {"seed": lambda runs: runs[SHARED].config.seeds}


class Staged(NamedTuple):
    """Of staged descent, a number a seed."""

    excess: np.ndarray
    answer: np.ndarray  # mean probability of the answer at [o s r]


def staged(run: core.RunResult, *, after: bool) -> Staged:
    """At the end of stage 3, or where it begins, T_2."""
    found = []
    for seed in run.config.seeds:
        where = {"seed": seed, "first_logit": at_best_eta(run).logit}
        loss, answer, stage = (run.column(name, **where).astype(float) for name in ("loss", "answer", "stage"))
        place = -1 if after else int(np.argmax(stage == 2)) if np.any(stage == 2) else -1
        found.append((loss[place] - least_loss(run), answer[place]))
    return Staged(*np.array(found).T)


@core.of_result
def stages_finished(run: core.RunResult) -> core.Undecided | None:
    if not np.all(run.column("stage", step=run.config.steps) == 2):
        return core.TooShort(f"stage 3 has not begun everywhere after {run.config.steps} steps")
    loss = run.curve("loss", first_logit=at_best_eta(run).logit)[1].mean(axis=0)
    return still_falling(loss)


IN_STAGES = core.Claim(
    id="near-optimal-in-stages",
    locus="The theorem on pre-training: near-optimal loss under gradient descent in three stages",
    uses=("third-stage-length",),
    statement=r"With probability $1 - \delta$, gradient descent in three stages, learning rates $\eta_1, \eta_2, "
    r"\eta_3$, "
    "reaches near-optimal pre-training loss at $T_p$; the theorem itself is not in our text. Judged in every seed, "
    "with one query for all prompts (Lemma 10 holds there): the loss over the least, and the probability of the "
    "answers.",
    subject=lambda runs: staged(runs[SHARED], after=True),
    wrong=lambda runs: staged(runs[SHARED], after=False),  # the same models where stage 3 begins
    protocol=core.Protocol("sizes, learning rates and T_2", "the theorem is not in our text"),
    parts={
        "loss over the least": core.Part(lambda found: found.excess, core.at_most(NEAR), along=BY_SEED),
        # No predictor is below the least loss: one that is says that the least is wrong.
        "not below the least": core.Part(lambda found: found.excess, core.at_least(0.0), along=BY_SEED, carries=False),
        "probability of the answer": core.Part(lambda found: found.answer, core.at_least(SURE), along=BY_SEED),
    },
)


def draw(runs: core.Runs) -> core.Artefact:
    run = runs[SHARED]
    facts = run.config.facts
    steps, losses = run.curve("loss", first_logit=at_best_eta(run).logit)
    excess = losses - least_loss(run)
    figure, ax = new_figure(width=4.8)
    ax.plot(steps[1:], excess[:, 1:].T, color=COLOURS["orange"], linewidth=1)
    ceiling(ax, NEAR, f"{NEAR:g} nats")
    ax.set(yscale="log", xlabel="step", ylabel="nats", title="loss over the least possible")
    legend(ax, fontsize=7.5)
    caption = (
        f"Gradient descent in the appendix's stages, N = {facts.subjects}, |R| = {facts.templates}, "
        f"K = {facts.multiplicity}, d = {run.config.model.width}, one query for all prompts; a line for each of "
        f"{len(excess)} seeds. At the end the loss is {excess[:, -1].mean():.3f} nats over the least."
    )
    return core.Artefact(figure, by_seed(run, steps, loss_over_the_least=excess), caption)


EXPERIMENT = core.Experiment(
    title="Near-optimal loss by gradient descent in stages",
    runs=lambda scale: {SHARED: staged_runs(scale)[SHARED]},
    needs={SHARED: stages_finished},
    claims=(IN_STAGES,),
    draw=draw,
)
