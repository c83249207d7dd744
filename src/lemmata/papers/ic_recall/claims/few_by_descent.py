"""Beyond the paper: eight sequences for all of W^KQ, by gradient descent."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._figure_worlds import WORLDS
from lemmata.papers.ic_recall.run.few_by_descent import FewByDescent
from lemmata.report import plots

FEW, MORE = 8, 32
HIGH = 0.9  # of the best possible, as for the position block (ic-recall/few-samples)


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    shown = list(WORLDS.items())[: sizes.DESCENT_WORLDS.at(scale)]
    how = {"sequences": sizes.DESCENT_SEQUENCES.at(scale), "seeds": sizes.seeds(sizes.DESCENT_SEEDS, scale)}
    few = FewByDescent(world=shown[0][1], **how, learning_rate=0.3, steps=sizes.DESCENT_STEPS.at(scale))
    return {f"world/{name}": replace(few, world=world) for name, world in shown}


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
    id="few-by-descent",
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
    id="few-by-descent-enough",
    locus=LOCUS,
    statement="Thirty-two sequences are enough for all of $W^{KQ}$ trained by gradient descent: half of the seeds or "
    "more reach nine tenths of the best possible first-step accuracy, in each world of Figure 3, from 512 facts to "
    "16,384.",
    subject=_subject("first"),
    wrong=_subject("untrained"),
    parts=_often(MORE),
    remark="The control is untrained.",
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, left = plots.new_figure(height=3.8)
    for colour, (name, run) in zip(plots.CYCLE, runs.group("world").items(), strict=False):
        numbers = run.config.sequences
        shares = [run.column("first", sequences=n) / run.column("ceiling", sequences=n) for n in numbers]
        plots.band(left, numbers, np.stack(shares, axis=1), f"|S| = {name}", colour, marker="o")
    plots.ceiling(left, HIGH, "0.9")
    left.set(xscale="log", xlabel="fine-tuning sequences", ylabel="first-step accuracy over the best possible")
    plots.legend(left)
    config = next(iter(runs.group("world").values())).config
    caption = (
        f"All of W^KQ by gradient descent at {config.learning_rate:g}, T = {config.temperature:g}, {config.steps} "
        f"steps; bands are one standard deviation over {len(config.seeds)} seeds."
    )
    tables = [{"run": [name] * len(run.metrics["seed"]), **run.metrics} for name, run in runs.group("world").items()]
    return core.Artefact(figure, plots.joined(tables), caption)


EXPERIMENT = core.Experiment(
    title="All of W^KQ by gradient descent on few sequences",
    runs=_runs,
    claims=(EIGHT, ENOUGH),
    draw=draw,
    notes="Which block the paper's Figure 3 trains it does not say.",
)
