"""Equation (168): how long the third stage of pre-training takes, against its learning rate."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    at_least,
    near,
)
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._acquisition import NEAR, least_loss, over_least
from lemmata.papers.knowledge.claims._stages import SHARED, staged_runs
from lemmata.papers.knowledge.run.staged_pretraining import StagedPreTraining
from lemmata.report.plots import COLOURS, columns, legend, new_figure

SECOND, THIRD = "second rate", "third rate"


def third_stage_runs(scale: Scale) -> dict[str, StagedPreTraining]:
    """One eta_1, and eta_3 varied, or eta_2; above 200 units descent in stage 3 is not stable."""
    whole = staged_runs(scale)[SHARED]
    base = replace(whole, first_logits=whole.first_logits[:2][-1:], seeds=whole.seeds[:3])
    found = {}
    for eta in sizes.THIRD_LEARNING_RATES.at(scale):
        longer = max(base.steps, int(20000 / eta) // 2 * 2)
        found[f"{THIRD}/{eta:g}"] = replace(base, third_learning_rate=eta, steps=longer)
    for eta in sizes.SECOND_LEARNING_RATES.at(scale):
        found[f"{SECOND}/{eta:g}"] = replace(base, second_learning_rate=eta)
    return found


def lengths(run: RunResult) -> np.ndarray:
    """T_p - T_2 in each seed: steps of stage 3 until the loss is near the least."""
    found = []
    for seed in run.config.seeds:
        step, stage, loss = (run.column(name, seed=seed).astype(float) for name in ("step", "stage", "loss"))
        near_least = step[(stage == 2) & (loss - least_loss(run) <= NEAR)]
        if not near_least.size:
            raise TooShort(f"within {run.config.steps} steps the loss does not come within {NEAR:g} of the least")
        found.append(near_least[0] - step[stage == 2][0])
    return np.array(found)


def varied(runs: Runs, group: str) -> list[tuple[float, np.ndarray]]:
    """The learning rates of a group in order, each with its lengths."""
    name = "third_learning_rate" if group == THIRD else "second_learning_rate"
    found = sorted(runs.group(group).values(), key=lambda run: getattr(run.config, name))
    return [(getattr(run.config, name), lengths(run)) for run in found]


def slopes(runs: Runs, group: str) -> np.ndarray:
    """Of log(T_p - T_2) on the log of the varied learning rate, for each seed."""
    etas, taken = zip(*varied(runs, group), strict=True)
    if len(set(etas)) < 2 or len({len(one) for one in taken}) > 1:
        raise Undecided(f"under these settings the {group} does not vary alone")
    return np.array([np.polyfit(np.log(etas), np.log(one), 1)[0] for one in np.stack(taken, axis=1)])


class Varied(NamedTuple):
    """The runs in which one learning rate differs."""

    runs: Runs
    group: str

    @property
    def slopes(self) -> np.ndarray:
        return slopes(self.runs, self.group)

    @property
    def over_least(self) -> np.ndarray:
        return np.concatenate([over_least(run) for run in self.runs.group(self.group).values()])


def _loose(runs: Runs) -> str:
    run = next(iter(runs.group(THIRD).values()))
    facts, model = run.config.facts, run.config.model
    starts = model.neurons * (model.width * model.neuron_start) ** 2
    order = starts + model.neurons + (facts.subjects**2 + facts.templates**2) / model.scale**2
    used = run.config.third_learning_rate * model.learning_rate_unit * lengths(run).mean()
    return (
        f"The printed order is an upper bound, and a loose one at λ = {model.scale:g}: η₃(T_p - T_2) is {used:.2g} "
        f"here, and m d²σ₀² + m + (N² + |R|²)/λ² is {order:.2g}."
    )


def _seeds(runs: Runs) -> tuple[int, ...]:
    return next(iter(runs.group(THIRD).values())).config.seeds


LENGTH = Claim(
    id="third-stage-length",
    locus="Appendix, equation (168): T_p - T_2 is set to an order over η₃",
    statement=r"With probability $1 - \delta$ the third stage lasts $T_p - T_2 = \tilde\Theta((m d^2 \sigma_0^2 + m + "
    r"N^2/\lambda^2 + |\mathcal{R}|^2/\lambda^2)/\eta_3)$ steps. Judged is the dependence on $\eta_3$ alone: the "
    "slope of "
    rf"$\log(T_p - T_2)$ on $\log \eta_3$ is $-1$ in each seed, $T_p$ being when the loss is within {NEAR:g} nats of "
    "the least.",
    subject=lambda runs: Varied(runs, THIRD),
    wrong=lambda runs: Varied(runs, SECOND),  # the rate of stage 2 varied instead
    parts={
        "slope in η₃": Part(lambda found: found.slopes, near(-1.0, atol=0.15), along={"seed": _seeds}),
        # A wrong least loss moves T_p, and the slope may stay: no model is below the least.
        "not below the least": Part(lambda found: found.over_least.min(), at_least(0.0), carries=False),
    },
    protocol=Protocol("sizes, learning rates and T_2", "the fragments give orders alone"),
    remark=_loose,
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=4.8)
    rows = []
    for group, colour in ((THIRD, "blue"), (SECOND, "orange")):
        etas, taken = zip(*varied(runs, group), strict=True)
        lines = ax.loglog(etas, np.stack(taken), "o-", color=COLOURS[colour], linewidth=1, markersize=3)
        lines[0].set_label(f"{group[:-5]} learning rate")
        for eta, values in zip(etas, taken, strict=True):
            rows += [{"varied": group, "rate": eta, "T_p - T_2": float(value)} for value in values]
    ax.set(xlabel="learning rate, in units of m/(λ²d)", ylabel="T_p - T_2, steps", title="length of stage 3")
    legend(ax)
    run = next(iter(runs.group(THIRD).values()))
    world = run.config.facts
    caption = (
        f"Steps of stage 3 until the loss is within {NEAR:g} nats of the least, a line a seed: N = {world.subjects}, "
        f"K = {world.multiplicity}, |R| = {world.templates}, d = {run.config.model.width}, one query for all prompts."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(title="The length of the third stage", runs=third_stage_runs, claims=(LENGTH,), draw=draw)
