"""The one-step task is learned: with uniform attention, the neurons solve it to the last input."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_least, exactly
from lemmata.papers.lego.probe.neurons import at_scale, model_of
from lemmata.papers.lego.run.one_step import TOKENS, Descent, OneStepTraining, families, one_step_training
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.report.plots import CYCLE, band, ceiling, legend, new_figure, panel_label

Moment = Literal["first", "last"]
STYLES: dict[Token, str] = {"value": "-", "variable": "--"}


def runs(scale: Scale) -> dict[str, OneStepTraining]:
    found = {family: descent_run(name, scale) for family, name in families(scale).items()}
    every_slot = {"every-slot": every_slot_run(families(scale)["transitive"], scale)}
    return found | scale.pick(smoke={}, laptop=every_slot, paper=every_slot)


def descent_run(name: str, scale: Scale) -> OneStepTraining:
    """The regime of the length experiments: sigma_0 = 0.02, q = 4, rate 10, both tokens."""
    steps = scale.pick(smoke=3000, laptop=10_000, paper=10_000)
    return one_step_training(
        name,
        scale,
        {},
        value=Descent(steps=steps, every=steps // 100),
        variable=Descent(steps=3000, every=100),
        seeds=scale.seeds(smoke=2, laptop=3, paper=5),
    )


def every_slot_run(name: str, scale: Scale) -> OneStepTraining:
    """Nothing left out: neurons for all d classes that read all five slots, on sampled sentences."""
    steps = scale.pick(smoke=3000, laptop=3000, paper=10_000)
    descent = Descent(steps=steps, every=steps // 10)
    return one_step_training(
        name,
        scale,
        {"reads": "all", "classes": "all"},
        value=descent,
        variable=descent,
        batch=scale.pick(smoke=32, laptop=128, paper=512),
        seeds=scale.seeds(smoke=1, laptop=1, paper=3),
    )


class Scores(NamedTuple):
    """Every run at one moment of its training."""

    runs: Runs
    moment: Moment


def least(name: str) -> Callable[[Scores], np.ndarray]:
    """A score's least over seeds, of each run and each token."""

    def read(scores: Scores) -> np.ndarray:
        found = []
        for run in scores.runs.values():
            for token in STYLES:
                last = run.arrays[f"{token}.{name}"]
                found.append(np.min(last if scores.moment == "last" else run.column(name, token=TOKENS[token], step=0)))
        return np.array(found, float)

    return read


def most_probable(run: RunResult) -> float:
    """The largest probability that the clip allows, e^B / (e^B + d - 1)."""
    bound, vocab = run.config.model.bound, run.config.model.vocab
    return float(np.exp(bound) / (np.exp(bound) + vocab - 1))


ONE_STEP = Claim(
    id="one-step-learned",
    locus="Sections 6.1.1 and 6.1.2; stage 1 of Algorithms 1 and 2",
    statement=(
        "With uniform attention, gradient descent of the feed-forward neurons solves the one-step task: the next "
        "variable and the next value are right on every input, for a simply transitive and for a symmetry action. "
        "(Predicted probability: 0.95 of the most that the clip allows.)"
    ),
    subject=lambda runs: Scores(runs, "last"),
    wrong=lambda runs: Scores(runs, "first"),
    parts={
        "accuracy": Part(least("accuracy"), exactly(1.0)),
        "probability": Part(
            least("probability"),
            at_least(lambda runs: 0.95 * np.repeat([most_probable(run) for run in runs.values()], 2)),
        ),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    rows: list[dict[str, Any]] = []
    for (name, whole), colour in zip(runs.items(), CYCLE, strict=False):
        run = at_scale(whole, 0)
        label = run.config.task.action + (", every slot and class" if name == "every-slot" else "")
        for token, style in STYLES.items():
            if f"{token}.accuracy" not in run.arrays:
                continue
            for ax, metric in zip(axes, ("loss", "accuracy"), strict=True):
                steps, values = run.curve(metric, token=TOKENS[token], scale=model_of(run).sigma)
                band(ax, steps, values, f"{label}: {token}", colour, linestyle=style)
            for i, seed in enumerate(run.config.seeds):
                scores = {part: float(run.arrays[f"{token}.{part}"][i]) for part in ("accuracy", "probability")}
                rows.append({"run": label, "token": token, "seed": seed, **scores, "most": most_probable(run)})
    axes[0].set(xlabel="step of descent", ylabel="one-step loss, nats", yscale="log")
    axes[1].set(xlabel="step of descent", ylabel="greedy accuracy")
    ceiling(axes[1], 1.0)
    legend(axes[0], fontsize=7)
    for ax, letter in zip(axes, "ab", strict=True):
        panel_label(ax, letter)
    made = runs["transitive"].config
    caption = (
        f"Descent on the one-step task, sigma_0 = {model_of(runs['transitive']).sigma:.3g}, q = {made.model.power}, "
        f"rate {made.value.rate:g}; mean and deviation over {len(made.seeds)} seeds. Exact over all inputs, or on "
        "drawn sentences where neurons for every class read every slot. `most` is the largest probability the clip "
        "allows."
    )
    return Artefact(figure, {name: [row[name] for row in rows] for name in rows[0]}, caption)


EXPERIMENT = Experiment(title="The one-step task is learned", runs=runs, claims=(ONE_STEP,), draw=draw)
