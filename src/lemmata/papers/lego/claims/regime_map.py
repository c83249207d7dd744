"""Simply transitive against symmetric at convergence, over what the paper leaves open: a map of exact runs."""

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, word
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import FINISHED, LEVEL, by_record, reached, times
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.fast.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.report.plots import COLOURS, heatmap, legend, letter, new_figure

CONVERGED = 0.01  # above the floor, as a share of it
CONCENTRATED, FARTHER = 1.5, 1.2  # what counts as more concentrated, and as farther
SETTINGS = ("scale", "clip", "width", "losses", "seed")


def cells(action: str, scale: Scale) -> PopulationRun:
    """Every combination of settings at many times, in a vocabulary of one size for all actions."""
    large = action == "S5"
    one_step = ToTheFloor(finest=0.1, steps=100_000) if large else ToTheFloor()
    return PopulationRun(
        action=action,
        vocabulary=sizes.REGIME_VOCABULARY.at(scale),
        scales=sizes.REGIME_SCALES.at(scale),
        clips=sizes.REGIME_CLIPS.at(scale),
        widths=(sizes.REGIME_WIDTH.at(scale),),
        losses=sizes.REGIME_LOSSES.at(scale),
        records=times(0, sizes.REGIME_DECADES.at(scale), sizes.REGIME_RECORDS.at(scale)),
        stride=sizes.POPULATION_STRIDE.at(scale),
        converged_at=0.0 if scale.name == "smoke" else 1e-3,
        contexts=sizes.REGIME_CONTEXTS.at(scale) if large else None,
        one_step=ToTheFloor(finest=0.1, steps=2000) if scale.name == "smoke" else one_step,
        lengths=sizes.REGIME_LENGTHS.at(scale),
        test_sentences=sizes.REGIME_TEST.at(scale),
        seeds=sizes.seeds(sizes.REGIME_SEEDS, scale),
    )


def all_roles(scale: Scale) -> dict[str, PopulationRun]:
    actions = {"transitive": "C6", "symmetric": sizes.REGIME_SYMMETRIC.at(scale), "transitive too": "S3:self"}
    return {role: cells(action, scale) for role, action in actions.items()}


class Converged(NamedTuple):
    """Of one setting, where the loss comes down to `CONVERGED` above its floor; NaN where it never does."""

    epsilon: float
    reached: float
    greedy: float
    time: float


def converged(run: RunResult) -> dict[tuple, Converged]:
    """By setting. One whose stage 1 is not at its floor has no convergence to speak of."""
    settings = [tuple(run.metrics[name][:: len(run.config.records)][i] for name in SETTINGS) for i in range(count(run))]
    excess, epsilon = by_record(run, "excess"), by_record(run, "epsilon_22")
    lengths, greedy, time = reached(run), reached(run, "greedy"), by_record(run, "time")
    at_floor = np.repeat(run.arrays["one_step.excess"] <= FINISHED, len(run.config.losses))
    found = {}
    for i, setting in enumerate(settings):
        below = np.nonzero(excess[i] <= CONVERGED)[0]
        here = below[0] if len(below) and at_floor[i] else None
        values = (table[i, here] if here is not None else np.nan for table in (epsilon, lengths, greedy, time))
        found[setting] = Converged(*map(float, values))
    return found


def count(run: RunResult) -> int:
    return len(run.metrics["time"]) // len(run.config.records)


class Compared(NamedTuple):
    """The least ratio over all settings where both converge."""

    concentrated: float  # epsilon of the second over that of the first
    farther: float  # equation (5): the first's length over the second's
    farther_greedy: float
    settings: int
    of: int


def compare(one: RunResult, other: RunResult) -> Compared:
    first, second = converged(one), converged(other)
    pairs = [(first[key], second[key]) for key in first if key in second]
    both = [(a, b) for a, b in pairs if np.isfinite(a.epsilon) and np.isfinite(b.epsilon)]
    if 2 * len(both) < len(pairs) or not both:
        raise Undecided(f"only {len(both)} of {len(pairs)} settings converge for both actions")
    return Compared(
        min(b.epsilon / a.epsilon for a, b in both),
        min(a.reached / max(b.reached, 1) for a, b in both),
        min(a.greedy / max(b.greedy, 1) for a, b in both),
        len(both),
        len(pairs),
    )


def where_both_converge(runs: Runs) -> str:
    found = compare(runs["transitive"], runs["symmetric"])
    one, other = (runs[role].config for role in ("transitive", "symmetric"))
    return (
        f"{found.settings} of {found.of} settings converge for both. {other.action} has there at least "
        f"{found.concentrated:.1f} times the ε of {one.action}, and {one.action} reaches at least {found.farther:.1f} "
        f"times as far by equation (5) ({found.farther_greedy:.1f} by greedy chains, up to {max(one.lengths)}). A "
        "large clip only takes longer: the gradient near the end is of the order d^(1 - C_B)."
    )


MAP = Claim(
    id="regime-map",
    locus="Theorem 1.2, contribution 1, Section 1.1 (concentration at convergence)",
    statement="At convergence simply transitive actions enable sharp concentration and strong length generalization, "
    "and symmetric ones do not; no regime is named. Judged in every setting of the map where both converge, stage 1 "
    f"at its floor and the loss {CONVERGED:.0%} above its own: the least ratio over settings of "
    r"$\varepsilon^{2,2}$, S5's to C6's, and of the length at which equation (5) is "
    f"{LEVEL:g} of its ceiling, C6's to S5's. Control: another simply transitive action ($S_3$ on itself) in the "
    "place of S5.",
    needs=FAMILIES,
    wording={
        "S5's to C6's": word("{}'s to {}'s", "symmetric.action", "transitive.action"),
        "C6's to S5's": word("{}'s to {}'s", "transitive.action", "symmetric.action"),
        "place of S5": word("place of {}", "symmetric.action"),
    },
    subject=lambda runs: compare(runs["transitive"], runs["symmetric"]),
    wrong=lambda runs: compare(runs["transitive"], runs["transitive too"]),
    parts={
        "more concentrated": Part(lambda found: found.concentrated, at_least(CONCENTRATED)),
        "farther": Part(lambda found: found.farther, at_least(FARTHER)),
    },
    remark=where_both_converge,
)


def draw(runs: Runs) -> Artefact:
    one, other = runs["transitive"], runs["symmetric"]
    figure, (cloud, curves, grid) = new_figure(1, 3, width=14.0, height=4.4, width_ratios=[1.1, 1.2, 1.1])
    _draw_cells(cloud, one, other)
    _draw_curves(curves, one, other)
    _draw_grid(grid, one, other)
    letter((cloud, curves, grid))
    first, second = converged(one), converged(other)
    table = {name: [key[i] for key in first] for i, name in enumerate(SETTINGS)}
    for run, found in ((one, first), (other, second)):
        for name in Converged._fields:
            table[f"{name}_{run.config.action}"] = [getattr(found[key], name) for key in first]
    number = by_record(one, "time").size
    caption = (
        f"{number} cells (settings and times) of {one.config.action} and {other.config.action} at d = "
        f"{one.config.vocabulary}, {len(one.config.seeds)} seed a setting. (a) ε^{{2,2}} at equal times; above the "
        f"line {one.config.action} is the more concentrated. (b) ε by how far the loss is above its floor: at equal "
        "loss the two actions part. (c) The length reached by equation (5) at convergence, as a ratio; grey: some "
        "stage 1 is not at its floor, or the loss not at its own."
    )
    return Artefact(figure, table, caption)


def _draw_cells(ax: Axes, one: RunResult, other: RunResult) -> None:
    for clip, colour in zip(one.config.clips, COLOURS.values(), strict=False):
        here = np.asarray(one.metrics["clip"]) == clip
        x, y = (np.asarray(run.metrics["epsilon_22"])[here] for run in (one, other))
        ax.scatter(x, y, s=5, color=colour, label=f"C_B = {clip:g}", alpha=0.6, linewidths=0)
    ends = [1e-5, 0.5]
    ax.plot(ends, ends, color="#777777", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title="every cell")
    ax.set(xlabel=f"ε of {one.config.action}", ylabel=f"ε of {other.config.action}")
    legend(ax, fontsize=7)


def _draw_curves(ax: Axes, one: RunResult, other: RunResult) -> None:
    for run, colour in ((one, COLOURS["blue"]), (other, COLOURS["vermillion"])):
        pairs = zip(by_record(run, "excess"), by_record(run, "epsilon_22"), strict=True)
        for number, (excess, epsilon) in enumerate(pairs):
            label = run.config.action if number == 0 else None
            ax.plot(np.maximum(excess, 1e-4), epsilon, color=colour, linewidth=0.8, alpha=0.7, label=label)
    ax.axvline(CONVERGED, color="#777777", linestyle=":")
    ax.set(xscale="log", yscale="log", xlim=(1e4, 1e-3), xlabel="loss above its floor (relative)", ylabel="ε on T²")
    ax.set_title("every setting")
    legend(ax, fontsize=7)


def _draw_grid(ax: Axes, one: RunResult, other: RunResult) -> None:
    """The ratio of lengths by clip and initial scale, the mean over what else differs."""
    first, second = converged(one), converged(other)
    scales, clips = sorted({key[0] for key in first}), sorted({key[1] for key in first})
    grid = np.full((len(scales), len(clips)), np.nan)
    for i, j in np.ndindex(grid.shape):
        keys = [key for key in first if key[:2] == (scales[i], clips[j]) and key in second]
        ratios = [np.log2(first[key].reached / max(second[key].reached, 1)) for key in keys]
        grid[i, j] = np.mean(ratios) if ratios else np.nan
    high = max(float(np.nanmax(np.abs(grid))) if np.isfinite(grid).any() else 1.0, 0.1)
    beside = [f"σ₀ {scale:.3g}" for scale in scales]
    heatmap(ax, grid, [f"C_B {clip:g}" for clip in clips], beside, fmt=".1f", cmap="RdBu", vmin=-high, vmax=high)
    ax.set_title(f"log₂ of {one.config.action}'s reach over {other.config.action}'s at convergence", fontsize=8)


EXPERIMENT = Experiment(title="Concentration at convergence, C6 against S5", runs=all_roles, claims=(MAP,), draw=draw)
