"""Beyond the paper: eight sequences for all of W^KQ by gradient descent, and why Adam needs more."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import WORLDS, bijections
from lemmata.papers.ic_recall.run.few_by_descent import FewByDescent
from lemmata.papers.ic_recall.run.one_step import OneStep
from lemmata.papers.ic_recall.theory.sign_step import token_lead
from lemmata.report import plots

FEW, MORE = 8, 32
HIGH = 0.9  # of the best possible, as for the position block (ic-recall/few-samples)
BY_SIGNS = ("adam", "adamw", "sign descent")


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    shown = list(WORLDS.items())[: sizes.DESCENT_WORLDS.at(scale)]
    how = {"sequences": sizes.DESCENT_SEQUENCES.at(scale), "seeds": sizes.seeds(sizes.DESCENT_SEEDS, scale)}
    few = FewByDescent(world=shown[0][1], **how, learning_rate=0.3, steps=sizes.DESCENT_STEPS.at(scale))
    step = OneStep(
        world=bijections(sizes.STEP_WORLD.at(scale)),
        widths=sizes.STEP_WIDTHS.at(scale),
        sequences=sizes.STEP_SEQUENCES.at(scale),
        seeds=sizes.seeds(sizes.STEP_SEEDS, scale),
    )
    runs: dict[str, core.RunConfig] = {f"world/{name}": replace(few, world=world) for name, world in shown}
    return runs | {"one step": step}


def _reached(runs: core.Runs, when: str, number: int) -> core.Successes:
    """How many seeds have nine tenths of the best possible accuracy, world by world."""
    worlds = list(runs.group("world").values())
    shares = [run.column(when, sequences=number) / run.column("ceiling", sequences=number) for run in worlds]
    return core.Successes(np.array([(share >= HIGH).sum() for share in shares]), len(shares[0]))


def _often(number: int) -> core.Part:
    return core.Part(
        lambda read: read(number),
        core.at_least(0.5, over_seeds=True),
        along={"world": lambda runs: list(runs.group("world"))},
    )


def _subject(when: str) -> Callable[[core.Runs], Callable[[int], core.Successes]]:
    return lambda runs: partial(_reached, runs, when)


def _by_number(runs: core.Runs) -> str:
    rows = []
    for name, run in runs.group("world").items():
        means = [
            (run.column("first", sequences=n) / run.column("ceiling", sequences=n)).mean() for n in run.config.sequences
        ]
        rows.append(f"{name}: " + ", ".join(f"{n} {x:.2f}" for n, x in zip(run.config.sequences, means, strict=True)))
    return "Mean accuracy over the best possible, by number of sequences. " + "; ".join(rows) + "."


LOCUS = "beyond the paper: Section 5's sentence asked of all of W^KQ, trained by gradient descent"

EIGHT = core.Claim(
    id="few-samples-descent",
    locus=LOCUS,
    statement="Eight sequences are often enough for all of $W^{KQ}$ trained by gradient descent: half of the seeds "
    "reach nine tenths of the best possible first-step accuracy, in each world of Figure 3.",
    subject=_subject("first"),
    wrong=_subject("untrained"),
    parts=_often(FEW),
    remark=lambda runs: (
        f"{_by_number(runs)} The second step is perfect (ic-recall/regime-descent). The paper does not say which block "
        "and number its sentence is of; for the position block it holds (ic-recall/few-samples). The longer it is "
        "trained, the more it learns the sequences' tokens: half way more seeds are there. The control is untrained."
    ),
)

ENOUGH = core.Claim(
    id="enough-by-descent",
    locus=LOCUS,
    statement="Thirty-two sequences are enough for all of $W^{KQ}$ trained by gradient descent: half of the seeds or "
    "more reach nine tenths of the best possible first-step accuracy, in each world of Figure 3, from 512 facts to "
    "16,384.",
    subject=_subject("first"),
    wrong=_subject("untrained"),
    parts=_often(MORE),
    remark="The control is untrained.",
)


def _lead(runs: core.Runs, rules: tuple[str, ...]) -> np.ndarray:
    """Of the token's score over the position's after one step, the mean over seeds, as [rule, width, number]."""
    run = runs["one step"]
    c = run.config
    cells = [
        [[run.column("token", rule=r, width=w, sequences=n) / run.column("position", rule=r, width=w, sequences=n)
          for n in c.sequences] for w in c.widths] for r in rules
    ]  # fmt: skip
    return np.mean(np.array(cells, float), axis=-1)


def _foretold(runs: core.Runs) -> np.ndarray:
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
            lambda lead: lead.ravel(), core.near(lambda runs: _foretold(runs).ravel(), rtol=0.1), along={"of": _cells}
        )
    },
    remark=r"With as many pairs as sequences $\|c\|/c$ grows like the square root of their number, so to keep the lead "
    "down their number must grow like the square of the width. Adam fits the tokens it is shown before positions have "
    "moved. The control is gradient descent, whose lead does not depend on the width.",
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, (left, right) = plots.new_figure(1, 2)
    for colour, (name, run) in zip(plots.CYCLE, runs.group("world").items(), strict=False):
        numbers = run.config.sequences
        shares = [run.column("first", sequences=n) / run.column("ceiling", sequences=n) for n in numbers]
        plots.band(left, numbers, np.stack(shares, axis=1), f"|S| = {name}", colour, marker="o")
    plots.ceiling(left, HIGH, "0.9")
    left.set(xscale="log", xlabel="fine-tuning sequences", ylabel="first-step accuracy over the best possible")
    step = runs["one step"].config
    size = 2 * step.world.n + step.world.relations + 1
    lead, told = _lead(runs, ("adam",))[0], _foretold(runs)[0]
    for i, (colour, n) in enumerate(zip(plots.CYCLE, step.sequences, strict=False)):
        right.plot(np.array(step.widths) * size, lead[:, i], "o", color=colour, label=f"{n} sequences")
        right.plot(np.array(step.widths) * size, told[:, i], "-", color=colour)
    right.set(xscale="log", yscale="log", xlabel="width D of the embeddings", ylabel="token's move over a position's")
    for ax in (left, right):
        plots.legend(ax)
    plots.letter((left, right))
    config = next(iter(runs.group("world").values())).config
    caption = (
        f"(a) All of W^KQ by gradient descent at {config.learning_rate:g}, T = {config.temperature:g}, {config.steps} "
        f"steps; bands are one standard deviation over {len(config.seeds)} seeds. (b) One step of Adam from zero; "
        "lines are predicted."
    )
    tables = [{"run": [name] * len(run.metrics["seed"]), **run.metrics} for name, run in runs.group("world").items()]
    return core.Artefact(figure, plots.joined(tables), caption)


EXPERIMENT = core.Experiment(
    title="All of W^KQ by gradient descent on few sequences, and the first step of Adam",
    runs=_runs,
    claims=(EIGHT, ENOUGH, TOKENS_FIRST),
    draw=draw,
    notes="Which block the paper's Figure 3 trains it does not say.",
)
