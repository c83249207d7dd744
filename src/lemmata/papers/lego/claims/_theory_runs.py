"""The two runs of the theory model that several experiments share, and how to read them."""

from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import RunResult, Scale, Undecided
from lemmata.papers.lego.run.self_training import Stage, doubling
from lemmata.papers.lego.run.theory import Plan, StageOne, TheoryRun


def symmetric_run(scale: Scale) -> TheoryRun:
    """S_5 by Algorithm 2 and its controls. Laptop: the smallest known setting that shows both effects.

    `T2` is stage 1.2 as printed (Loss_5^{2,2} alone), `T2 sum` the sum of both losses as in Algorithm 1; `self` doubles
    the length on greedy labels, `true` on true ones; `short` goes on with T^2, first for as many steps as `self`, then
    for as much computation; `long` has stages of many more steps at a higher rate.
    """
    steps = scale.pick(smoke=4, laptop=400, paper=1600)
    every = scale.pick(smoke=2, laptop=50, paper=200)
    last = scale.pick(smoke=2, laptop=4, paper=7)  # self-training ends at length 2^last
    first = Stage(answers=(2,), steps=steps, every=every)
    later = doubling(first, last, error_degree=scale.pick(smoke=None, laptop=0.7, paper=None))[1:]
    more = steps * len(later)
    equal = sum(stage.clause_passes() * stage.steps for stage in later) / first.clause_passes()
    rest = max(int(np.ceil((equal - more) / (4 * every))) * 4 * every, 4 * every)
    plans = [Plan(name="T2", stages=(first,)), Plan(name="self", after="T2", stages=later)]
    if scale.name != "smoke":
        short = (replace(first, steps=more), replace(first, steps=rest, every=4 * every))
        patient = doubling(replace(first, steps=4 * steps, every=steps, rate=1.0), last)
        plans += [
            Plan(name="short", after="T2", stages=short),
            Plan(name="true", after="T2", stages=tuple(replace(first, length=stage.length) for stage in later)),
            Plan(name="T2 sum", stages=(Stage(steps=steps, every=steps),)),
            Plan(name="long", after="T2", stages=patient),
        ]
    return TheoryRun(
        action=scale.pick(smoke="S3", laptop="S5", paper="S5"),
        plans=tuple(plans),
        watched_length=scale.pick(smoke=None, laptop=40, paper=160),
        **_shared(scale),
    )


def transitive_run(scale: Scale) -> TheoryRun:
    """C_6 by Algorithm 1: the first steps recorded one by one, then the rest."""
    steps = scale.pick(smoke=4, laptop=400, paper=1600)
    early = scale.pick(smoke=2, laptop=40, paper=40)
    stages = (Stage(steps=early, every=1), Stage(steps=steps - early, every=scale.pick(smoke=1, laptop=10, paper=40)))
    stages = stages[: scale.pick(smoke=1, laptop=2, paper=2)]
    return TheoryRun(
        action=scale.pick(smoke="C3", laptop="C6", paper="C6"),
        plans=(Plan(name="T2", stages=stages),),
        watched_length=scale.pick(smoke=None, laptop=2, paper=2),
        **_shared(scale),
    )


def _shared(scale: Scale) -> dict[str, Any]:
    return {
        "variables": scale.pick(smoke=9, laptop=41, paper=170),
        "width": scale.pick(smoke=6, laptop=12, paper=12),
        "one_step": StageOne(
            value_steps=scale.pick(smoke=200, laptop=10_000, paper=20_000),
            variable_steps=scale.pick(smoke=100, laptop=3000, paper=6000),
        ),
        "lengths": scale.pick(
            smoke=(2, 4), laptop=(2, 4, 8, 16, 24, 32, 40), paper=(2, 4, 8, 16, 32, 64, 128, 160, 169)
        ),
        "test_sentences": scale.pick(smoke=16, laptop=128, paper=256),
        "seeds": scale.seeds(smoke=2, laptop=3, paper=3),
    }


def knows_its_action(run: RunResult) -> str | None:
    """What every claim about attention needs: stage 1 has taught the neurons every (action, value) pair."""
    known = np.all(run.arrays["one_step.value.accuracy"] > 1 - 1e-6)
    return None if known else f"{run.config.action}: stage 1 did not reach accuracy 1 in every seed"


def knows_two_steps(run: RunResult) -> str | None:
    """What claims about longer chains need too: the variables are known, and attention has brought T^2's loss down."""
    if run.arrays["one_step.variable.accuracy"].min() < 1 - 1e-6:
        return f"{run.config.action}: stage 1 did not teach every seed the variables"
    loss = trace(run, "T2", "loss")[2]
    if not np.all(loss[:, -1] < 0.1 * loss[:, 0]):
        return f"{run.config.action}: T² is not learned, its loss has not fallen tenfold in every seed"
    return knows_its_action(run)


def stages_of(run: RunResult, plan: str) -> tuple[Stage, ...]:
    return _plans(run, plan)[-1].stages


def trace(run: RunResult, plan: str, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps (up to the caps), clauses read (by the steps that moved Q) and values, the last two [seed, record], along a
    plan and the plans it continues."""
    steps, passes, values = [], [], []
    done, spent = 0, np.zeros((len(run.config.seeds), 1))
    for link in _plans(run, plan):
        for number, stage in enumerate(link.stages, start=1):
            part = run.arrays[f"{link.name}.{number}.{name}"]
            taken = run.arrays[f"{link.name}.{number}.steps_taken"] * stage.clause_passes()
            steps.append(done + stage.every * np.arange(part.shape[1]))
            passes.append(spent + taken)
            values.append(part)
            done += stage.steps
            spent = spent + taken[:, -1:]
    return np.concatenate(steps), np.concatenate(passes, axis=1), np.concatenate(values, axis=1)


def _plans(run: RunResult, name: str) -> list[Plan]:
    """A plan after those it continues."""
    plans = {plan.name: plan for plan in run.config.plans}
    if name not in plans:
        raise Undecided(f"{run.config.action} has no plan {name!r} of attention training")
    plan = plans[name]
    return [plan] if plan.after is None else [*_plans(run, plan.after), plan]
