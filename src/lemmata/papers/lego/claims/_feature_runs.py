"""One-step training in the regime of the theorems: a rate so small that descent is the gradient flow, a power q = 6
that separates neurons, and time until nothing moves. Structure is read from the last initial scale, order and number
from the first."""

from dataclasses import replace

import numpy as np

from lemmata.core import RunResult, Runs, Scale, TooShort, Undecided, of_result
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._theory_runs import AT_FLOOR
from lemmata.papers.lego.model import Branch
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, model_of
from lemmata.papers.lego.run.one_step import OneStepTraining, families, one_step_training
from lemmata.papers.lego.run.one_step_descent import Descent

SHARP, TOGETHER = 0.005, 0.02  # sigma_0: combinations emerge strictly one by one, or several at a time


def flow_run(
    name: str, scale: Scale, count: int, scales: tuple[float | None, ...], power: int = 6, branch: Branch = "positive"
) -> OneStepTraining:
    """The gradient flow, until the loss is at the floor that the clip leaves; the first `count` seeds."""
    steps, stride = sizes.FEATURE_STEPS.at(scale), sizes.FEATURE_STRIDE.at(scale)
    flow = Descent(steps=steps, learning_rate=1e15, stride=stride, every=steps // 200, within=1e-5)
    seeds = sizes.seeds(sizes.FEATURE_SEEDS, scale)[:count]
    return one_step_training(name, scale, {"power": power, "branch": branch}, scales=scales, value=flow, seeds=seeds)


def both_families(scale: Scale) -> dict[str, OneStepTraining]:
    every = sizes.seeds(sizes.FEATURE_SEEDS, scale)
    return {family: flow_run(name, scale, len(every), (SHARP, TOGETHER)) for family, name in families(scale).items()}


def blunter(scale: Scale) -> dict[str, OneStepTraining]:
    """The simply transitive action where neurons are separated less: other powers, and the paper's own scale."""
    found = {}
    for power in (4, 6) if scale.name != "smoke" else ():
        run = flow_run(families(scale)["transitive"], scale, 2, (SHARP, TOGETHER, None), power)
        found[f"power/{power}"] = replace(run, value=replace(run.value, steps=8000, every=80))
    return found


@of_result
def solved(run: RunResult) -> Undecided | None:
    """A need: features are read where stage 1 has come to its end."""
    excess = float(np.max(run.arrays["value.excess"]))
    above = f"{run.config.task.action} ends {excess:.1%} above the loss's floor"
    return None if excess <= AT_FLOOR else TooShort(above)


NEEDS = {family: (acting, solved) for family, acting in FAMILIES.items()}


def sharp(runs: Runs) -> dict[str, RunResult]:
    return {family: at_scale(runs[family], 0) for family in FAMILIES}


def widest(runs: Runs) -> list[RunResult]:
    """The blunter regimes at the paper's own initial scale."""
    found = [at_scale(run, -1) for run in runs.group("power").values()]
    if any(run.config.scales != (None,) for run in found):
        raise Undecided("no run starts from the paper's own scale")
    return found


def judged(runs: Runs) -> str:
    run = at_scale(runs["transitive"], 0)
    words = rf"Judged at $\sigma_0$ = {model_of(run).sigma:g} and q = {run.config.model.power}"
    return f"{words}. For {run.config.task.action}"
