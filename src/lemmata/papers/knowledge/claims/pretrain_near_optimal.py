"""How near pre-training with AdamW comes to the least loss that any predictor can have on the data."""

import numpy as np

from lemmata import core
from lemmata.papers.knowledge.claims._acquisition import NEAR, by_seed, finished, least_loss
from lemmata.papers.knowledge.claims._extraction_runs import main_run, uniform_run
from lemmata.report.plots import COLOURS, ceiling, legend, letter, new_figure

KNOWN = 0.95  # of the facts, chosen before the run


def known_and_excess(run: core.RunResult) -> tuple[np.ndarray, np.ndarray]:
    """The share of facts known and the loss over the least, [seed, record]."""
    return run.arrays["pretraining.fact_accuracy"], run.arrays["pretraining.full_loss"] - least_loss(run)


def at_end(run: core.RunResult) -> list[np.ndarray]:
    return [values[:, -1] for values in known_and_excess(run)]


def levels_off(runs: core.Runs) -> str:
    accuracy, excess = known_and_excess(runs["main"])
    known = accuracy.min(axis=0) >= KNOWN
    since = f"from step {runs['main'].arrays['pretraining.step'][np.argmax(known)]} on" if known.any() else "nowhere"
    return (
        f"{KNOWN:g} of the facts are known {since}. The excess then falls, with the learning rate and weight decay "
        f"kept constant, and stands at {excess[:, -1].mean():.3f} nats at the end. Uniform attention knows "
        f"{at_end(runs['uniform'])[0].mean():.2f} of the facts at {at_end(runs['uniform'])[1].mean():.2f} nats."
    )


@core.of_result
def near_or_at_rest(run: core.RunResult) -> core.Undecided | None:
    """A need: no seed is on its way to the bound, with less to go than it came in the last quarter of the steps."""
    excess = known_and_excess(run)[1]
    end, fall = excess[:, -1], excess[:, 3 * (excess.shape[1] - 1) // 4] - excess[:, -1]
    if not np.any(moving := (end > NEAR) & (end - fall <= NEAR)):
        return None
    seed = int(np.argmax(moving))
    return core.TooShort(
        f"seed {run.config.seeds[seed]} is {end[seed]:.3f} nats over the least loss, having fallen by {fall[seed]:.3f} "
        "in the last quarter of pre-training: it is not finished"
    )


BY_SEED = {"seed": lambda runs: runs["main"].config.seeds}

NEAR_OPTIMAL = core.Claim(
    id="pretrain-near-optimal",
    locus="Abstract: the model reaches near-optimal pre-training loss; with AdamW, as in the experiments",
    statement="Next-token pre-training reaches near-optimal loss and stores the facts. Judged for AdamW in every "
    r"seed: the loss over the least that any predictor can have on the data, $\log(K)/3$ (only the template after a "
    "subject is "
    "uncertain), and the share of facts known.",
    subject=lambda runs: at_end(runs["main"]),
    wrong=lambda runs: at_end(runs["uniform"]),  # attention that does not learn: facts known, loss not
    parts={
        "facts known": core.Part(lambda found: found[0], core.at_least(KNOWN), along=BY_SEED),
        "loss over the least": core.Part(lambda found: found[1], core.at_most(NEAR), along=BY_SEED),
        "not below the least": core.Part(lambda found: found[1], core.at_least(0.0), along=BY_SEED, carries=False),
    },
    needs={"main": (finished, near_or_at_rest)},
    remark=levels_off,
)


def draw(runs: core.Runs) -> core.Artefact:
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
    table = by_seed(run, steps, loss_over_the_least=excess, facts_known=known, templates_known=templates)
    caption = (
        f"Pre-training with AdamW, N = {config.facts.subjects}, |R| = {config.facts.templates}, "
        f"K = {config.facts.multiplicity}, d = {config.model.width}; a line for each of {len(known)} seeds. The least "
        f"loss, from the data, is {least_loss(run):.4f} nats; the untrained model is {excess[:, 0].mean():.2f} over it."
    )
    return core.Artefact(figure, table, caption)


EXPERIMENT = core.Experiment(
    title="Pre-training loss against the least possible",
    runs=lambda scale: {"main": main_run(scale), "uniform": uniform_run(scale)},
    needs={"main": finished},
    claims=(NEAR_OPTIMAL,),
    draw=draw,
)
