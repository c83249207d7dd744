"""Worlds of drawn slopes, where a share of the sequences is confusing and a share mismatched, as the theorems read
them: at any T below the bound and any t_2 above the minimum."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, at_least
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.random_slopes import RandomSlopesRun
from lemmata.papers.ic_recall.run.short_schedule import SHORT
from lemmata.report import plots

CHANGED = 31  # subjects of the worlds in which T and t_2 are changed
PARTS = {"mixed worlds": "mixed", "T below the bound": "colder", "t_2 above the minimum": "longer"}  # and their runs
APART = {"mixed": "n", "colder": "times colder", "longer": "times longer"}  # what tells the runs of a group apart
WORLDS = (
    "For every kind of sequence to be learned the share of confusing ones has to be a constant (Assumption 4.3): t_2 "
    "grows like 1/p_conf (ic-recall/lemma-c.3)."
)

Reached = Mapping[str, tuple[RunResult, ...]]  # what each part of a theorem is read from


def drawn_slopes_runs(scale: Scale) -> dict[str, RandomSlopesRun]:
    shares, few = sizes.MIXED_SHARES.at(scale), sizes.seeds(sizes.FEW_MIXED_SEEDS, scale)
    seeds = sizes.seeds(sizes.MIXED_SEEDS, scale)
    return {
        f"mixed/{n}": RandomSlopesRun(n=n, confusing=shares, seeds=seeds if n < 1000 else few)
        for n in sizes.MIXED_WORLDS.at(scale)
    }


def smallest_mixed_world(runs: Mapping[str, Any]) -> Any:
    """The smallest of the mixed worlds, which controls are changed from."""
    return next(run for name, run in runs.items() if name.startswith("mixed/"))


def _runs(scale: Scale) -> dict[str, RunConfig]:
    found = drawn_slopes_runs(scale)
    one = RandomSlopesRun(n=CHANGED, seeds=sizes.seeds(sizes.FEW_MIXED_SEEDS, scale))
    longer = sizes.TIMES_LONGER.at(scale)
    return {
        **found,
        **{f"colder/{times}": replace(one, constant=one.constant / times) for times in sizes.TIMES_COLDER.at(scale)},
        f"longer/{longer}": replace(one, schedule=replace(SHORT, stage2=longer * SHORT.stage2)),
        "no push": replace(smallest_mixed_world(found), stage2="symmetric"),
    }


def records(run: RunResult, name: str) -> np.ndarray:
    """A metric as [replica, record]: the start, the end of Stage 1, then Stage 2."""
    return run.metrics[name].reshape(len(run.config.confusing) * len(run.config.seeds), -1)


def _trained(runs: Runs) -> Reached:
    return {part: tuple(runs.group(group).values()) for part, group in PARTS.items()}


def _never_perturbed(runs: Runs) -> Reached:
    return dict.fromkeys(PARTS, (runs["no push"],))


def _worst(part: str, group: str, name: str, target: float) -> Part:
    """The worst kind of sequence in the worst seed of each world."""
    return Part(
        lambda reached: np.array([records(run, name)[:, -1].min() for run in reached[part]]),
        at_least(target),
        along={APART[group]: lambda runs: list(runs.group(group))},
    )


def _which_worlds(runs: Runs) -> str:
    worlds = [*runs.group("mixed").values()]
    share, kinds = (np.concatenate([records(run, name)[:, 0] for run in worlds]) for name in ("is_confusing", "kinds"))
    factors, longer = (", ".join(runs.group(name)) for name in ("colder", "longer"))
    return (
        f"Affine maps over drawn slopes: {share.min():.2f} to {share.max():.2f} of the sequences confusing, up to "
        f"{kinds.max():g} kinds of sequence, every kind tested, every seed counted. T also {factors} times below "
        f"C_1/log n, t_2 also {longer} times the minimum; the printed proof covers t_2 up to (1/T) log(1/T)^(3/2) "
        "alone. The control leaves out the perturbation: confusing sequences stay at 1/2."
    )


def drawn_slopes_theorem(title: str, id: str, locus: str, statement: str, name: str, target: float) -> Experiment:
    """Of a probability on the worst kind of sequence, which Algorithm 1 brings to the target."""
    claim = Claim(
        id=id,
        locus=locus,
        statement=statement,
        subject=_trained,
        wrong=_never_perturbed,
        parts={part: _worst(part, group, name, target) for part, group in PARTS.items()},
        remark=_which_worlds,
    )
    return Experiment(
        title=title, runs=_runs, claims=(claim,), draw=lambda runs: _draw(runs, name, target), notes=WORLDS
    )


def _draw(runs: Runs, name: str, target: float) -> Artefact:
    worlds = runs.group("mixed")
    figure, axes = plots.new_figure(1, 2, width=10)
    left, right = axes
    run = next(iter(worlds.values()))
    steps, many = np.unique(run.metrics["step"]), len(run.config.seeds)
    for i, (share, colour) in enumerate(zip(run.config.confusing, plots.CYCLE, strict=False)):
        error = 1 - records(run, name)[i * many : (i + 1) * many]
        plots.band(left, steps[1:], error[:, 1:], f"{share:g} confusing", colour)
    title = f"n = {run.config.n}, drawn slopes"
    left.set(xscale="log", yscale="log", xlabel="gradient steps", ylabel="1 − p, worst kind", title=title)
    changed = {**worlds, **{f"T / {times}": run for times, run in runs.group("colder").items()}}
    changed |= {f"t₂ × {times}": run for times, run in runs.group("longer").items()} | {"no push": runs["no push"]}
    for place, one in enumerate(changed.values()):
        error = 1 - records(one, name)[:, -1]
        right.plot(np.full(len(error), place), error, "o", markersize=4, color=plots.CYCLE[place % 2])
    labels = [f"n = {name}" if name.isdigit() else name.replace("push", "perturbation") for name in changed]
    right.set_xticks(range(len(changed)), labels, rotation=30)
    right.set(yscale="log", ylabel="1 − p, worst kind, at the end", title="every seed")
    for ax in axes:
        plots.ceiling(ax, 1 - target, f"{1 - target:g}")
        plots.legend(ax)
    plots.letter(axes)
    tables = [{"run": [name] * len(run.metrics["step"]), **run.metrics} for name, run in runs.items()]
    caption = (
        f"Algorithm 1 with one large step, T = {run.config.constant:g}/log n, {run.config.sequences} sequences, in "
        "worlds of affine maps whose slopes are a drawn set of units: the share of confusing sequences is a dial. (a) "
        f"Mean over {many} worlds, bands one standard deviation. (b) The end, world by world, with T and t₂ changed."
    )
    return Artefact(figure, plots.joined(tables), caption)
