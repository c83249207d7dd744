"""Equation (168): how long the third stage of pre-training takes, against its rate."""

from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, TooShort, Undecided, near
from lemmata.papers.knowledge.claims._acquisition import NEAR, least_loss
from lemmata.papers.knowledge.claims._stages import SHARED, staged_runs
from lemmata.papers.knowledge.run.stages import StagedPreTraining
from lemmata.report.plots import COLOURS, columns, legend, new_figure

SECOND, THIRD = "second rate", "third rate"


def third_stage_runs(scale: Scale) -> dict[str, StagedPreTraining]:
    """One first rate, the third rate varied, and the second; above 200 units descent in stage 3 is not stable."""
    whole = staged_runs(scale)[SHARED]
    base = replace(whole, first_logits=whole.first_logits[:2][-1:], seeds=whole.seeds[:3])
    third = scale.pick(smoke=(200.0,), laptop=(50.0, 100.0, 200.0), paper=(25.0, 50.0, 100.0, 200.0))
    second = scale.pick(smoke=(20.0,), laptop=(10.0, 20.0, 40.0), paper=(10.0, 20.0, 40.0))
    longer = {learning_rate: max(base.steps, int(20000 / learning_rate) // 2 * 2) for learning_rate in third}
    found = {
        f"{THIRD}/{learning_rate:g}": replace(base, third_learning_rate=learning_rate, steps=longer[learning_rate])
        for learning_rate in third
    }
    return found | {
        f"{SECOND}/{learning_rate:g}": replace(base, second_learning_rate=learning_rate) for learning_rate in second
    }


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


def slopes(runs: Runs, group: str) -> np.ndarray:
    """Of log(T_p - T_2) on the log of the varied rate, for each seed."""
    found = sorted(runs.group(group).values(), key=lambda run: _learning_rate(run, group))
    learning_rates = np.array([_learning_rate(run, group) for run in found])
    if len(np.unique(learning_rates)) < 2 or len({run.config.seeds for run in found}) > 1:
        raise Undecided(f"under these settings the {group} does not vary alone")
    taken = np.stack([lengths(run) for run in found], axis=1)
    return np.array([np.polyfit(np.log(learning_rates), np.log(one), 1)[0] for one in taken])


def _learning_rate(run: RunResult, group: str) -> float:
    return run.config.third_learning_rate if group == THIRD else run.config.second_learning_rate


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
    statement="The third stage takes a number of steps in inverse proportion to its rate: the slope of log(T_p - T_2) "
    f"on log η₃ is -1, where T_p is when the loss is within {NEAR:g} nats of the least (one number a seed). The other "
    "factors of the order are not varied.",
    subject=lambda runs: slopes(runs, THIRD),
    wrong=lambda runs: slopes(runs, SECOND),  # the rate of stage 2 varied instead
    parts=Part(np.asarray, near(-1.0, atol=0.15), along={"seed": _seeds}),
    remark=_loose,
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=4.8)
    rows = []
    for group, colour in ((THIRD, "blue"), (SECOND, "orange")):
        found = sorted(runs.group(group).values(), key=lambda run, group=group: _learning_rate(run, group))
        learning_rates = [_learning_rate(run, group) for run in found]
        taken = np.stack([lengths(run) for run in found], axis=1)
        ax.loglog(learning_rates, taken.T, "o-", color=COLOURS[colour], linewidth=1, markersize=3)[0].set_label(group)
        for learning_rate, values in zip(learning_rates, taken.T, strict=True):
            rows += [{"varied": group, "rate": learning_rate, "T_p - T_2": float(value)} for value in values]
    ax.set(xlabel="rate, in units of m/(λ²d)", ylabel="T_p - T_2, steps", title="length of stage 3")
    legend(ax)
    run = next(iter(runs.group(THIRD).values()))
    world = run.config.facts
    caption = (
        f"Steps of stage 3 until the loss is within {NEAR:g} nats of the least, a line a seed: N = {world.subjects}, "
        f"K = {world.multiplicity}, |R| = {world.templates}, d = {run.config.model.width}, one query for all prompts."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(title="The length of the third stage", runs=third_stage_runs, claims=(LENGTH,), draw=draw)
