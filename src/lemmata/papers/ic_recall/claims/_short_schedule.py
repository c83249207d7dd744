"""Algorithm 1's short schedule at every size of world, as Theorems 4.4 and 4.1 and Lemma 4.5 read it."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import RunConfig, RunResult, Runs, Scale
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.short_schedule_run import ShortScheduleRun
from lemmata.report import plots

WORLDS = ("all slopes", "slopes of index 3")
SCHEDULE = (
    "The constants of Algorithm 1 are ours, found by trial: the theorems say that such constants exist. Accuracy is "
    "the probability of the truth, on the worst kind of sequence among fresh ones."
)

Worlds = tuple[RunResult, ...]  # runs over families of worlds


def short_schedule_runs(scale: Scale) -> dict[str, RunConfig]:
    worlds, seeds = sizes.THEOREM_WORLDS.at(scale), sizes.seeds(sizes.THEOREM_SEEDS, scale)
    return {
        "all slopes": ShortScheduleRun(sizes=(3, *worlds), index=1, seeds=seeds),
        "slopes of index 3": ShortScheduleRun(sizes=worlds, index=3, seeds=seeds),
    }


def control(scale: Scale) -> ShortScheduleRun:
    """What a control changes."""
    return ShortScheduleRun(sizes=(7, 8191), index=1, seeds=sizes.seeds(sizes.THEOREM_SEEDS, scale))


def both_families(runs: Runs) -> Worlds:
    return runs["all slopes"], runs["slopes of index 3"]


def by_size(run: RunResult, name: str) -> dict[int, np.ndarray]:
    """A metric as [seed, record] for each n."""
    seeds = len(run.config.seeds)
    return {n: run.column(name, n=float(n)).reshape(seeds, -1) for n in sorted(run.config.sizes)}


def worst_at_the_end(worlds: Worlds, name: str) -> np.ndarray:
    """For each world the smallest final value over seeds (and, in the metric itself, over kinds of sequences)."""
    return np.array([values[:, -1].min() for run in worlds for values in by_size(run, name).values()])


def _worlds(runs: Runs) -> list[dict[str, Any]]:
    return [{"world": name, "n": n} for name in WORLDS for n in sorted(runs[name].config.sizes)]


BY_WORLD = {"world": _worlds}


def draw_error_by_facts(ax: Axes, runs: Runs, name: str, ylabel: str) -> None:
    """One minus a probability at the end, against the number of stored facts; bands over seeds."""
    for run, colour, label in zip(both_families(runs), plots.CYCLE, WORLDS, strict=False):
        facts = np.array([values[0, 0] for values in by_size(run, "facts").values()])
        error = np.stack([1 - values[:, -1] for values in by_size(run, name).values()], axis=1)
        plots.band(ax, facts, error, label, colour, marker="o")
    ax.set(xscale="log", yscale="log", title="After stage 2", xlabel="stored facts |S|·|R|", ylabel=ylabel)


def draw_error_by_step(ax: Axes, runs: Runs) -> None:
    """Of the first decoding step on the worst kind of sequence, mean over seeds, with all slopes."""
    run = runs["all slopes"]
    worlds = sorted(run.config.sizes)
    shown = worlds if len(worlds) <= 5 else worlds[::2]
    for position, n in enumerate(shown):
        error = 1 - by_size(run, "first_worst")[n]
        steps = run.column("iteration", n=float(n), seed=run.config.seeds[0])
        shade = (0.1 + 0.8 * position / len(shown),) * 3
        ax.plot(steps[1:], error.mean(axis=0)[1:], "-", color=shade, label=f"n = {n:.3g}" if n > 1e4 else f"n = {n}")
    ax.set(xscale="log", yscale="log", title="The plateau at 1/2, and the escape", xlabel="gradient steps")
    ax.set_ylabel("1 − p₁(r*), worst kind of sequence")


def short_schedule_table(runs: Runs) -> dict[str, list[Any]]:
    trained = {name: run for name, run in runs.items() if isinstance(run.config, ShortScheduleRun)}
    return plots.joined([{"run": [name] * len(run.metrics["n"]), **run.metrics} for name, run in trained.items()])


def short_schedule_words(runs: Runs) -> str:
    config = runs["all slopes"].config
    return (
        f"Algorithm 1 with one large step on {config.sequences} sequences, T = {config.constant:g}/log n, in worlds of "
        f"affine maps over a prime field, n from {min(config.sizes)} to {max(config.sizes):.3g}; {len(config.seeds)} "
        "seeds."
    )
