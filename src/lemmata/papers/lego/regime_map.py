"""Where simply transitive actions reach farther than symmetric ones: a map over everything the paper leaves open."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Scale, Undecided
from lemmata.core.legacy import AtLeast, Claim, Experiment, Results
from lemmata.papers.lego.run.attention_descent import FRESH
from lemmata.papers.lego.run.regime import RegimeCells
from lemmata.report.plots import COLOURS, heatmap, legend, new_figure, panel_label

FARTHER = 1.1  # a length reached counts as greater from this ratio on
SHARE = 0.95  # of the cells that can tell, for a statement without a regime
AXES = ("default_scale", "clip", "width", "rate", "sentences", "step")
NAMES = {
    "default_scale": "σ₀",
    "clip": "C_B",
    "width": "m",
    "rate": "rate / |X|",
    "sentences": "sentences",
    "step": "steps",
}
KINDS = ("C₆ farther", "equal", "S₅ farther", "both to the end", "neither learns T²", "stage 1 fails")


def cells(action: str, scale: Scale) -> RegimeCells:
    """Two actions in one world; every combination of the settings is a cell, at several numbers of steps."""
    if scale.name == "smoke":
        return RegimeCells.smallest({"C6": "C3", "S5": "S3"}[action])
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


def pair(results: Results) -> tuple[RunResult, RunResult]:
    runs = results.where(RegimeCells).runs
    return next(r for r in runs if r.config.action[0] == "C"), next(r for r in runs if r.config.action[0] == "S")


def mapped_steps(run: RunResult) -> list[int]:
    """Powers of two times the first record: evenly spaced on a log axis."""
    steps, every = run.config.steps, run.config.every
    return [every * 2**k for k in range(20) if every * 2**k <= steps]


def compare(results: Results) -> dict[str, np.ndarray]:
    """One row a cell: its settings, what both actions reached, and which kind of cell it is."""
    one, other = pair(results)
    keep = np.isin(one.metrics["step"], mapped_steps(one))
    table = {name: np.asarray(one.metrics[name])[keep] for name in (*AXES, "seed")}
    first, second = (np.asarray(run.metrics["reached"])[keep] for run in (one, other))
    known = [np.asarray(run.metrics["one_step_accuracy"])[keep] > 1 - 1e-6 for run in (one, other)]
    end = max(one.config.lengths)
    kinds = np.full(len(first), KINDS.index("equal"))
    kinds[first > FARTHER * second] = KINDS.index("C₆ farther")
    kinds[second > FARTHER * first] = KINDS.index("S₅ farther")
    kinds[np.isclose(first, end) & np.isclose(second, end)] = KINDS.index("both to the end")
    kinds[(first == 0) & (second == 0)] = KINDS.index("neither learns T²")
    kinds[~(known[0] & known[1])] = KINDS.index("stage 1 fails")
    return {**table, "reached_transitive": first, "reached_symmetric": second, "kind": kinds}


def _share(results: Results, kind: str) -> Any:
    if results.scale.name == "smoke":
        return Undecided("one cell, and stage 1 has not learned the action in it")
    kinds = compare(results)["kind"]
    telling = kinds < KINDS.index("both to the end")
    if telling.sum() < 20:
        return Undecided(f"only {int(telling.sum())} cells can tell")
    return float(np.mean(kinds[telling] == KINDS.index(kind)))


MAP = Claim(
    id="lego/regime-map",
    locus="Theorem 1.2, contribution 1, Figure 1a",
    statement="Simply transitive actions reach farther than symmetric ones. The statement names no regime, so the rule "
    f"is over all cells of the map: in at least {SHARE} of those that can tell (stage 1 at accuracy 1 for both, T² "
    f"learned by one of them, not both at the end of the world), C₆ reaches a length over {FARTHER} times that of S₅. "
    "Values, teacher-forced; the variable (token 4) is not judged. Control: the two actions exchanged.",
    predict=lambda results: SHARE,
    measure=lambda results: _share(results, "C₆ farther"),
    control=lambda results: _share(results, "S₅ farther"),
    check=AtLeast(),
    remark="The separation has a regime, and the clip decides it: with C_B = 2 C₆ reaches farther (or both reach the "
    "end) in nearly every cell; with C_B = 6, where the clip is out of reach, S₅ does in most. Few sentences and few "
    "steps favour C₆.",
)


def _value(name: str, value: float, run: RunResult) -> str:
    if name == "default_scale":
        given = [s for s in run.config.scales if s is not None]
        return "d^-1/2" if value else "/".join(f"{s:g}" for s in given)
    if name == "sentences":
        return "fresh" if value == FRESH else f"{value:g}"
    return f"{value:g}"


def draw(results: Results) -> Artefact:
    one, other = pair(results)
    table = compare(results)
    figure, axes = new_figure(1, 3, width=14.0, height=4.6, width_ratios=[1.1, 1.2, 1.2])
    ends = max(one.config.lengths)
    colours = (COLOURS["blue"], "#999999", COLOURS["vermillion"], COLOURS["sky"], "#cccccc", "#222222")
    low = 1.0
    for number, kind in enumerate(KINDS):
        here = table["kind"] == number
        x, y = (np.maximum(table[f"reached_{name}"][here], low) for name in ("symmetric", "transitive"))
        axes[0].scatter(x, y, s=14, color=colours[number], label=f"{kind}: {here.sum()}", alpha=0.75, linewidths=0)
    axes[0].plot([low, ends], [low, ends], color="#777777", linewidth=0.8)
    axes[0].set(
        xscale="log", yscale="log", xlabel="length reached by S₅", ylabel="length reached by C₆", title="every cell"
    )
    legend(axes[0], fontsize=6.5, loc="lower right")
    marginal, labels = [], []
    for name in AXES:
        for value in np.unique(table[name]):
            here = table["kind"][table[name] == value]
            marginal.append([np.mean(here == number) for number in range(len(KINDS))])
            labels.append(f"{NAMES[name]} {_value(name, float(value), one)}")
    heatmap(axes[1], np.array(marginal), [k.replace(" ", "\n", 1) for k in KINDS], labels, vmin=0, vmax=1)
    axes[1].tick_params(labelsize=6.5)
    axes[1].set_title("share of cells, by each setting")
    rows = sorted({(w, s) for w, s in zip(table["clip"], table["default_scale"], strict=True)})
    columns = sorted({(r, s) for r, s in zip(table["rate"], table["step"], strict=True)})
    grid = np.full((len(rows), len(columns)), np.nan)
    ratio = np.log2(np.maximum(table["reached_transitive"], low) / np.maximum(table["reached_symmetric"], low))
    usable = table["kind"] != KINDS.index("stage 1 fails")
    for i, (clip, default) in enumerate(rows):
        for j, (rate, step) in enumerate(columns):
            here = usable & (table["clip"] == clip) & (table["default_scale"] == default)
            here &= (table["rate"] == rate) & (table["step"] == step)
            grid[i, j] = ratio[here].mean() if here.any() else np.nan
    high = max(float(np.nanmax(np.abs(grid))) if np.isfinite(grid).any() else 1.0, 0.1)
    heatmap(
        axes[2],
        grid,
        [f"{rate:g}\n{step:g}" for rate, step in columns],
        ["C_B {:g}, σ₀ {}".format(clip, _value("default_scale", float(default), one)) for clip, default in rows],
        fmt=".1f",
        cmap="RdBu",
        vmin=-high,
        vmax=high,
    )
    axes[2].tick_params(labelsize=6.5)
    axes[2].set(xlabel="rate / |X| (above), steps (below)", title="log₂ of C₆'s reach over S₅'s, mean")
    for letter, ax in zip("abc", axes, strict=True):
        panel_label(ax, letter)
    shown = {**table, "kind": np.array(KINDS)[table["kind"]]}
    counts = ", ".join(f"{kind} {int(np.sum(table['kind'] == n))}" for n, kind in enumerate(KINDS))
    caption = (
        f"{len(table['kind'])} cells of {one.config.action} and {other.config.action}, |X| = {one.config.variables}, "
        f"{len(one.config.seeds)} seed a cell, {one.config.test_sentences} sentences a length, the same for every "
        f"cell: {counts}. Length reached: all values right (teacher-forced) in 0.9 of the sentences, interpolated over "
        f"lengths up to {ends}; cells that reach none are drawn at 1. Cells where stage 1 did not reach accuracy 1 "
        "are shown as such, not dropped."
    )
    return Artefact(figure, {name: list(column) for name, column in shown.items()}, caption)


EXPERIMENTS = (
    Experiment(
        id="lego/regime-map",
        title="Where the gap between C6 and S5 is real, vanishes, reverses",
        grid=lambda scale: tuple(cells(action, scale) for action in ("C6", "S5")),
        claims=(MAP,),
        render=draw,
    ),
)
