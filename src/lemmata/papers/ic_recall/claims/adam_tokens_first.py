"""Beyond the paper: why Adam needs more sequences than gradient descent, from its first step."""

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import bijections
from lemmata.papers.ic_recall.run.one_step import OneStep
from lemmata.papers.ic_recall.theory.sign_step import token_lead
from lemmata.report import plots

BY_SIGNS = ("adam", "adamw", "sign descent")


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    step = OneStep(
        world=bijections(sizes.STEP_WORLD.at(scale)),
        widths=sizes.STEP_WIDTHS.at(scale),
        sequences=sizes.STEP_SEQUENCES.at(scale),
        seeds=sizes.seeds(sizes.STEP_SEEDS, scale),
    )
    return {"one step": step}


def _lead(runs: core.Runs, rules: tuple[str, ...]) -> np.ndarray:
    """Of the token's score over the position's after one step, the mean over seeds, as [rule, width, number]."""
    run = runs["one step"]
    c = run.config
    cells = [
        [[run.column("token", rule=r, width=w, sequences=n) / run.column("position", rule=r, width=w, sequences=n)
          for n in c.sequences] for w in c.widths] for r in rules
    ]  # fmt: skip
    return np.mean(np.array(cells, float), axis=-1)


def _predicted(runs: core.Runs) -> np.ndarray:
    """By the formula, from the gradient's coefficients; the same for every rule."""
    run = runs["one step"]
    size = 2 * run.config.world.n + run.config.world.relations + 1
    table = np.empty((len(run.config.widths), len(run.config.sequences)))
    for i, w in enumerate(run.config.widths):
        for j, n in enumerate(run.config.sequences):
            c, norm = (run.column(name, rule="adam", width=w, sequences=n) for name in ("coefficient", "norm"))
            table[i, j] = np.mean(token_lead(float(w * size), c, norm))
    return np.stack([table] * len(BY_SIGNS))


def _cells(runs: core.Runs) -> list[dict[str, object]]:
    c = runs["one step"].config
    return core.crossed(rule=BY_SIGNS, width=c.widths, sequences=c.sequences)


TOKENS_FIRST = core.Claim(
    id="adam-tokens-first",
    locus="beyond the paper: why Adam's second step needs many sequences (ic-recall/regime-adam)",
    statement=r"From $W^{KQ} = 0$ and random orthonormal embeddings of $D$ dimensions, a step of Adam, AdamW or sign "
    r"descent moves the score of a subject that was asked about, at its relation, by $\sqrt{2/\pi}\,D\,c/\|c\|$ for "
    r"each unit by which it moves the score of a position. Here $c$ is the gradient of that pair of tokens and $\|c\|$ "
    "the norm over all pairs.",
    subject=lambda runs: _lead(runs, BY_SIGNS),
    wrong=lambda runs: np.repeat(_lead(runs, ("gradient descent",)), len(BY_SIGNS), axis=0),
    parts={
        "lead of the token": core.Part(
            lambda lead: lead.ravel(), core.near(lambda runs: _predicted(runs).ravel(), rtol=0.1), along={"of": _cells}
        )
    },
    remark=r"With as many pairs as sequences $\|c\|/c$ grows like the square root of their number, so to keep the lead "
    "down their number must grow like the square of the width. Adam fits the tokens it is shown before positions have "
    "moved. The control is gradient descent, whose lead does not depend on the width.",
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, ax = plots.new_figure(height=3.8)
    run = runs["one step"]
    step = run.config
    size = 2 * step.world.n + step.world.relations + 1
    lead, predicted = _lead(runs, ("adam",))[0], _predicted(runs)[0]
    for i, (colour, n) in enumerate(zip(plots.CYCLE, step.sequences, strict=False)):
        ax.plot(np.array(step.widths) * size, lead[:, i], "o", color=colour, label=f"{n} sequences")
        ax.plot(np.array(step.widths) * size, predicted[:, i], "-", color=colour)
    ax.set(xscale="log", yscale="log", xlabel="width D of the embeddings", ylabel="token's move over a position's")
    plots.legend(ax)
    caption = (
        f"One step of Adam from zero, second decoding step, |S| = {step.world.n}, |R| = {step.world.relations}, "
        f"{len(step.seeds)} seeds. Lines are predicted."
    )
    return core.Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = core.Experiment(
    title="The first step of Adam favours tokens over positions", runs=_runs, claims=(TOKENS_FIRST,), draw=draw
)
