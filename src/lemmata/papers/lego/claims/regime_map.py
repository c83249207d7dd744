"""Where simply transitive actions reach farther than symmetric ones: a map over everything the paper leaves open."""

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least
from lemmata.papers.lego.run.attention_descent import FRESH
from lemmata.papers.lego.run.regime import RegimeCells
from lemmata.report.plots import COLOURS, heatmap, legend, letter, new_figure

FARTHER = 1.1  # a length reached counts as greater from this ratio on
SHARE = 0.95  # of the cells that can tell, for a statement without a regime
ENOUGH = 20  # cells that can tell
SETTINGS = {
    "default_scale": "σ₀",
    "clip": "C_B",
    "width": "m",
    "rate": "rate / |X|",
    "sentences": "sentences",
    "step": "steps",
}
KIND_COLOURS = {  # of cells; the first three kinds can tell
    "transitive farther": COLOURS["blue"],
    "equal": "#999999",
    "symmetric farther": COLOURS["vermillion"],
    "both to the end": COLOURS["sky"],
    "neither learns T²": "#cccccc",
    "stage 1 fails": "#222222",
}
KINDS = tuple(KIND_COLOURS)


def cells(action: str, scale: Scale) -> RegimeCells:
    """Every combination of the settings is a cell, at several numbers of steps."""
    paper = scale.name == "paper"
    return RegimeCells(
        action=action,
        variables=170 if paper else 41,
        scales=(0.005, 0.02, None) if paper else (0.02, None),
        clips=(1.5, 2.0, 3.0, 6.0) if paper else (2.0, 6.0),
        widths=(8, 12, 20) if paper else (12, 20),
        rates=(0.05, 0.2, 0.8) if paper else (0.2, 0.8),
        sentences=(1000, 10_000, FRESH) if paper else (512, FRESH),
        steps=3200 if paper else 800,
        every=400 if paper else 200,
        one_step_steps=10_000 if paper else 8000,
        lengths=(2, 5, 10, 20, 40, 80, 160) if paper else (2, 4, 8, 12, 18, 27, 40),
        test_sentences=64 if paper else 48,
        seeds=scale.seeds(smoke=1, laptop=1, paper=1),
    )


def both_actions(scale: Scale) -> dict[str, RegimeCells]:
    if scale.name == "smoke":
        return {"transitive": RegimeCells.smallest("C3"), "symmetric": RegimeCells.smallest("S3")}
    return {"transitive": cells("C6", scale), "symmetric": cells("S5", scale)}


def mapped_steps(run: RunResult) -> list[int]:
    """Powers of two times the first record: evenly spaced on a log axis."""
    steps, every = run.config.steps, run.config.every
    return [every * 2**k for k in range((steps // every).bit_length())]


def compare(one: RunResult, other: RunResult) -> dict[str, np.ndarray]:
    """One row a cell: its settings, what both actions reached, and the number of its kind, the first action taken for
    the transitive one."""
    keep = np.isin(one.metrics["step"], mapped_steps(one))
    table = {name: np.asarray(one.metrics[name])[keep] for name in (*SETTINGS, "seed")}
    first, second = (np.asarray(run.metrics["reached"])[keep] for run in (one, other))
    known = [np.asarray(run.metrics["one_step_accuracy"])[keep] > 1 - 1e-6 for run in (one, other)]
    end = max(one.config.lengths)
    told = {  # the first that is true
        "stage 1 fails": ~(known[0] & known[1]),
        "neither learns T²": (first == 0) & (second == 0),
        "both to the end": np.isclose(first, end) & np.isclose(second, end),
        "symmetric farther": second > FARTHER * first,
        "transitive farther": first > FARTHER * second,
    }
    kinds = np.select([*told.values()], [KINDS.index(kind) for kind in told], KINDS.index("equal"))
    return {**table, "reached_transitive": first, "reached_symmetric": second, "kind": kinds}


def share_farther(table: dict[str, np.ndarray]) -> float:
    """Of the cells that can tell, those where the first action reaches farther."""
    telling = table["kind"][table["kind"] < KINDS.index("both to the end")]
    if len(telling) < ENOUGH:
        raise Undecided(f"only {len(telling)} cells can tell")
    return float(np.mean(telling == KINDS.index("transitive farther")))


def _by_clip(runs: Runs) -> str:
    """In how many cells each action reaches farther, by the clip."""
    table = compare(runs["transitive"], runs["symmetric"])
    counts = []
    for clip in np.unique(table["clip"]):
        kinds = table["kind"][table["clip"] == clip]
        first, second = (int(np.sum(kinds == KINDS.index(f"{who} farther"))) for who in ("transitive", "symmetric"))
        counts.append(f"{first} against {second} cells with C_B = {clip:g}")
    return ", ".join(counts)


MAP = Claim(
    id="regime-map",
    locus="Theorem 1.2, contribution 1, Figure 1a",
    statement="Simply transitive actions reach farther than symmetric ones. The statement names no regime, so the rule "
    "is over all cells of the map: of those that can tell (stage 1 at accuracy 1 for both, T² learned by one of them, "
    f"not both at the end of the world), the share where C₆ reaches a length over {FARTHER} times that of S₅. "
    "Values, teacher-forced; the variable (token 4) is not judged. Control: the two actions exchanged.",
    subject=lambda runs: compare(runs["transitive"], runs["symmetric"]),
    wrong=lambda runs: compare(runs["symmetric"], runs["transitive"]),
    parts=Part(share_farther, at_least(SHARE)),
    remark=lambda runs: (
        f"The separation has a regime, and the clip decides it: C₆ reaches farther than S₅ in {_by_clip(runs)}. A "
        "large clip is out of reach. Few sentences and few steps favour C₆."
    ),
)


def draw(runs: Runs) -> Artefact:
    one, other = runs["transitive"], runs["symmetric"]
    table = compare(one, other)
    figure, axes = new_figure(1, 3, width=14.0, height=4.6, width_ratios=[1.1, 1.2, 1.2])
    _draw_cells(axes[0], table, one, other)
    _draw_marginals(axes[1], table, one)
    _draw_ratios(axes[2], table, one)
    axes[2].set_title(f"log₂ of {one.config.action}'s reach over {other.config.action}'s, mean")
    letter(axes)
    shown = {**table, "kind": np.array(KINDS)[table["kind"]]}
    counts = ", ".join(f"{kind} {int(np.sum(table['kind'] == n))}" for n, kind in enumerate(KINDS))
    caption = (
        f"{len(table['kind'])} cells of {one.config.action} (transitive) and {other.config.action} (symmetric), "
        f"|X| = {one.config.variables}, {len(one.config.seeds)} seed a cell, {one.config.test_sentences} sentences a "
        f"length, the same for every cell: {counts}. Length reached: all values right (teacher-forced) in 0.9 of the "
        f"sentences, interpolated over lengths up to {max(one.config.lengths)}; cells that reach none are drawn at 1. "
        "Cells where stage 1 did not reach accuracy 1 are shown as such, not dropped."
    )
    return Artefact(figure, {name: list(column) for name, column in shown.items()}, caption)


def _draw_cells(ax: Axes, table: dict[str, np.ndarray], one: RunResult, other: RunResult) -> None:
    for number, (kind, colour) in enumerate(KIND_COLOURS.items()):
        here = table["kind"] == number
        x, y = (np.maximum(table[f"reached_{name}"][here], 1) for name in ("symmetric", "transitive"))
        ax.scatter(x, y, s=14, color=colour, label=f"{kind}: {here.sum()}", alpha=0.75, linewidths=0)
    ax.plot([1, max(one.config.lengths)], [1, max(one.config.lengths)], color="#777777", linewidth=0.8)
    ax.set(xscale="log", yscale="log", title="every cell")
    ax.set(xlabel=f"length reached by {other.config.action}", ylabel=f"length reached by {one.config.action}")
    legend(ax, fontsize=6.5, loc="lower right")


def _draw_marginals(ax: Axes, table: dict[str, np.ndarray], run: RunResult) -> None:
    shares, labels = [], []
    for name, symbol in SETTINGS.items():
        for value in np.unique(table[name]):
            here = table["kind"][table[name] == value]
            shares.append([np.mean(here == number) for number in range(len(KINDS))])
            labels.append(f"{symbol} {_value(name, float(value), run)}")
    heatmap(ax, np.array(shares), [kind.replace(" ", "\n", 1) for kind in KINDS], labels, vmin=0, vmax=1)
    ax.tick_params(labelsize=6.5)
    ax.set_title("share of cells, by each setting")


def _draw_ratios(ax: Axes, table: dict[str, np.ndarray], run: RunResult) -> None:
    """The mean of log_2 of the lengths' ratio, by clip and initial scale and by rate and steps."""
    down = np.stack([table["clip"], table["default_scale"]], axis=1)
    across = np.stack([table["rate"], table["step"]], axis=1)
    rows, columns = np.unique(down, axis=0), np.unique(across, axis=0)
    ratio = np.log2(np.maximum(table["reached_transitive"], 1) / np.maximum(table["reached_symmetric"], 1))
    usable = table["kind"] != KINDS.index("stage 1 fails")
    grid = np.full((len(rows), len(columns)), np.nan)
    for i, j in np.ndindex(grid.shape):
        here = usable & np.all(down == rows[i], axis=1) & np.all(across == columns[j], axis=1)
        grid[i, j] = ratio[here].mean() if here.any() else np.nan
    high = max(float(np.nanmax(np.abs(grid))) if np.isfinite(grid).any() else 1.0, 0.1)
    above = [f"{rate:g}\n{step:g}" for rate, step in columns]
    beside = [f"C_B {clip:g}, σ₀ {_value('default_scale', float(default), run)}" for clip, default in rows]
    heatmap(ax, grid, above, beside, fmt=".1f", cmap="RdBu", vmin=-high, vmax=high)
    ax.tick_params(labelsize=6.5)
    ax.set_xlabel("rate / |X| (above), steps (below)")


def _value(name: str, value: float, run: RunResult) -> str:
    if name == "default_scale":
        return "d^-1/2" if value else "/".join(f"{scale:g}" for scale in run.config.scales if scale is not None)
    return "fresh" if name == "sentences" and value == FRESH else f"{value:g}"


EXPERIMENT = Experiment(
    title="Where the gap between C6 and S5 is real, vanishes, reverses", runs=both_actions, claims=(MAP,), draw=draw
)
