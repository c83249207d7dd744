"""The one-step task is learned: with uniform attention, the neurons solve it to the last input."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_least, exactly
from lemmata.papers.lego.probe.neurons import at_scale, model_of
from lemmata.papers.lego.run.one_step import TOKENS, Descent, OneStepTraining, families, one_step_training
from lemmata.papers.lego.run.one_step_descent import Token
from lemmata.report.plots import CYCLE, band, ceiling, columns, legend, letter, new_figure

STYLES: dict[Token, str] = {"value": "-", "variable": "--"}


def runs(scale: Scale) -> dict[str, OneStepTraining]:
    """Both families in the regime of the length experiments: sigma_0 = 0.02, q = 4, rate 10, both tokens."""
    steps = scale.pick(smoke=3000, laptop=10_000, paper=10_000)
    descents = {"value": Descent(steps=steps, every=steps // 100), "variable": Descent(steps=3000, every=100)}
    seeds = scale.seeds(smoke=2, laptop=3, paper=5)
    found = {
        family: one_step_training(name, scale, {}, **descents, seeds=seeds) for family, name in families(scale).items()
    }
    return found if scale.name == "smoke" else found | {"every-slot": every_slot_run(scale)}


def every_slot_run(scale: Scale) -> OneStepTraining:
    """Nothing left out: neurons for all d classes that read all five slots, on sampled sentences."""
    steps = scale.pick(smoke=3000, laptop=3000, paper=10_000)
    descent = Descent(steps=steps, every=steps // 10)
    return one_step_training(
        families(scale)["transitive"],
        scale,
        {"reads": "all", "classes": "all"},
        value=descent,
        variable=descent,
        batch=scale.pick(smoke=32, laptop=128, paper=512),
        seeds=scale.seeds(smoke=1, laptop=1, paper=3),
    )


def least(runs: Runs, last: bool) -> dict[str, np.ndarray]:
    """The scores' least over seeds, of each run and each token, at the end of training or at its start."""

    def read(run: RunResult, token: Token, name: str) -> float:
        of_seeds = run.arrays[f"{token}.{name}"]
        return float(np.min(of_seeds if last else run.column(name, token=TOKENS[token], step=0)))

    return {
        name: np.array([read(run, token, name) for run in runs.values() for token in STYLES], float)
        for name in ("accuracy", "probability")
    }


def most_probable(run: RunResult) -> float:
    """The largest probability that the clip allows, e^B / (e^B + d - 1)."""
    bound, vocab = run.config.model.bound, run.config.model.vocab
    return float(np.exp(bound) / (np.exp(bound) + vocab - 1))


ONE_STEP = Claim(
    id="one-step-learned",
    locus="Sections 6.1.1 and 6.1.2; stage 1 of Algorithms 1 and 2",
    statement="With uniform attention, gradient descent of the feed-forward neurons solves the one-step task: the next "
    "variable and the next value are right on every input, for a simply transitive and for a symmetry action. "
    "(Predicted probability: 0.95 of the most that the clip allows.)",
    subject=lambda runs: least(runs, last=True),
    wrong=lambda runs: least(runs, last=False),
    parts={
        "accuracy": Part(itemgetter("accuracy"), exactly(1.0)),
        "probability": Part(
            itemgetter("probability"),
            at_least(lambda runs: 0.95 * np.repeat([most_probable(run) for run in runs.values()], 2)),
        ),
    },
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2)
    rows = []
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
    letter(axes)
    made = runs["transitive"].config
    caption = (
        f"Descent on the one-step task, sigma_0 = {model_of(runs['transitive']).sigma:.3g}, q = {made.model.power}, "
        f"rate {made.value.rate:g}; mean and deviation over {len(made.seeds)} seeds. Exact over all inputs, or on "
        "drawn sentences where neurons for every class read every slot. `most` is the largest probability the clip "
        "allows."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(title="The one-step task is learned", runs=runs, claims=(ONE_STEP,), draw=draw)
