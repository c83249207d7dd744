"""The one-step task is learned: with uniform attention, the neurons solve it down to the floor that the clip leaves."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, TooShort, at_most, crossed, exactly
from lemmata.papers.lego.claims._theory_runs import AT_FLOOR, symmetric_run, transitive_run
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.papers.lego.theory.clip import floor
from lemmata.report.plots import CYCLE, ceiling, columns, legend, letter, new_figure

STYLES: dict[Token, str] = {"value": "-", "variable": "--"}


def at_the_end(runs: Runs) -> dict[str, np.ndarray]:
    """Of both runs and both tokens: the least accuracy over all inputs and seeds, the largest excess over the floor."""
    found = [[run.arrays[f"one_step.{token}.{name}"] for name in ("accuracy", "excess")] for run, token in pairs(runs)]
    return {"accuracy": np.array([one.min() for one, _ in found]), "excess": np.array([one.max() for _, one in found])}


def when_first_right(runs: Runs) -> dict[str, np.ndarray]:
    """The same at the first record where all inputs are answered right: there the loss still has far to go."""
    found: dict[str, list[float]] = {"accuracy": [], "excess": []}
    for run, token in pairs(runs):
        right = run.arrays[f"one_step.{token}.accuracy_history"] == 1
        if not right.any(axis=1).all():
            raise TooShort("some seed never answers all inputs right")
        first = right.argmax(axis=1)
        excess = run.arrays[f"one_step.{token}.excess_history"][np.arange(len(first)), first]
        found["accuracy"].append(1.0)
        found["excess"].append(float(excess.max()))
    return {name: np.array(values) for name, values in found.items()}


def pairs(runs: Runs) -> list[tuple[RunResult, Token]]:
    return [(run, token) for run in runs.values() for token in STYLES]


BY_TOKEN = {"token": lambda runs: crossed(action=runs, token=STYLES)}

ONE_STEP = Claim(
    id="one-step-learned",
    locus="Sections 6.1.1 and 6.1.2; stage 1 of Algorithms 1 and 2",
    uses=("retrieval", "feature-structure-transitive", "feature-structure-symmetric"),
    statement="With uniform attention ($Q = 0$, Assumptions 3.3 and 3.4), gradient descent of the feed-forward "
    r"neurons on $\mathcal{T}^1$ learns to copy the variable and to apply the action. Judged for a simply transitive "
    "and a symmetry action, over all inputs and in the worst seed: both tokens are right, and each loss ends at the "
    r"least that the clip allows, $\log(1 + (d - 1)/e^B)$. Control: the same training at the first record where every "
    "input is answered right.",
    subject=at_the_end,
    wrong=when_first_right,
    parts={
        "accuracy": Part(itemgetter("accuracy"), exactly(1.0), along=BY_TOKEN),
        "loss above its floor": Part(itemgetter("excess"), at_most(AT_FLOOR), along=BY_TOKEN),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    rows = []
    for run, colour in zip(runs.values(), CYCLE, strict=False):
        model = run.config.model_config()
        ceiling(axes[0], floor(model.vocab, model.bound), color=colour)
        for token, style in STYLES.items():
            steps = run.arrays[f"one_step.{token}.step"]
            for ax, name in zip(axes, ("loss", "accuracy"), strict=True):
                for i, values in enumerate(run.arrays[f"one_step.{token}.{name}_history"]):
                    label = f"{run.config.action}: {token}" if i == 0 else None
                    ax.plot(steps, values, color=colour, linestyle=style, linewidth=1.0, label=label)
            for i, seed in enumerate(run.config.seeds):
                scores = {name: float(run.arrays[f"one_step.{token}.{name}"][i]) for name in ("accuracy", "excess")}
                rows.append({"action": run.config.action, "token": token, "seed": seed, **scores})
    axes[0].set(xlabel="step along the flow", ylabel="one-step loss, nats", xscale="symlog", yscale="log")
    axes[1].set(xlabel="step along the flow", ylabel="greedy accuracy", xscale="symlog")
    legend(axes[0], fontsize=7)
    letter(axes)
    made = runs["transitive"].config
    caption = (
        f"Stage 1 of the runs on which Theorems 1.2 and 5.1 are judged, d = {made.model_config().vocab}, sigma_0 = "
        f"{made.model_config().sigma:.3g}; exact over all inputs, {len(made.seeds)} seeds a line each. No weight moves "
        f"by more than {made.one_step.stride:g} of itself in a step. Dashed: the least loss that the clip allows."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="The one-step task is learned",
    runs=lambda scale: {"transitive": transitive_run(scale), "symmetric": symmetric_run(scale)},
    claims=(ONE_STEP,),
    draw=draw,
)
