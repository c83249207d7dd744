"""Where the experimental model looks: Figures 2 and 5 (maps), 6 and 7 (the two diagonals at longer lengths)."""

from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult
from lemmata.core.legacy import AtLeast, AtMost, Claim, Close, Each, Experiment, Results
from lemmata.papers.lego.lengths import REGIMES, all_runs, is_symmetric, learned, run_of, sharp_runs
from lemmata.papers.lego.run.length_training import LengthTraining, Regime
from lemmata.report.plots import CYCLE, band, heatmap, legend, new_figure

MOSTLY = 0.8  # of the attention lies on the two diagonals
SAME = 1e-5  # a permuted map, put back in order
DECAY = 0.1  # a "visible drop" along the positions: a tenth of the attention
LESS = 0.5  # "no comparable" drop: at most half of the other's


def _maps(run: RunResult, moment: str) -> np.ndarray:
    """Mean attention from answers 0..L-1 (rows) to the 2L clauses: [seed, L, 2L]."""
    return run.arrays[f"{moment}.map"]


# Figure 2


def _diagonals(maps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The attention on predicate l + 1 and on answer l: [seed, L] each."""
    length = maps.shape[1]
    rows = np.arange(length)
    return maps[:, rows, rows], maps[:, rows, length + rows]


def _two_largest(maps: np.ndarray) -> float:
    """The share of rows whose two largest entries are those of the diagonals."""
    length = maps.shape[1]
    largest = np.sort(np.argsort(maps, axis=2)[..., -2:], axis=2)
    wanted = np.stack([np.arange(length), length + np.arange(length)], axis=1)
    return float(np.mean(np.all(largest == wanted, axis=2)))


def _figure_2(results: Results, moment: str) -> dict[str, float]:
    found = {}
    for run in results.where(LengthTraining):
        predicate, answer = _diagonals(_maps(run, moment))
        found |= {
            f"{_name(run)}, on both": float((predicate + answer).mean()),
            f"{_name(run)}, rows led by both": _two_largest(_maps(run, moment)),
        }
    return found


def _name(run: RunResult) -> str:
    return "symmetric" if is_symmetric(run) else "simply transitive"


KINDS = ("simply transitive", "symmetric")
RULE_2 = {f"{kind}, on both": MOSTLY for kind in KINDS} | {f"{kind}, rows led by both": 1.0 for kind in KINDS}

FIGURE_2 = Claim(
    id="lego/fig-2",
    locus="Section 7, Figure 2",
    statement="At the training length attention has two clear diagonals: from answer l to predicate l + 1 and to "
    "answer l. Rule, for both actions, averaged over heads and sentences: the two together at least 0.8, "
    "and the two largest entries of every row are theirs. Control: the untrained models.",
    predict=lambda results: (
        {f"{kind}, on both": MOSTLY for kind in KINDS} | {f"{k}, rows led by both": 1.0 for k in KINDS}
    ),
    measure=lambda results: learned(results, _figure_2(results, "trained")),
    control=lambda results: _figure_2(results, "untrained"),
    check=Each({name: AtLeast() for name in RULE_2}),
)


def _map_figure(results: Results, name: str) -> tuple[Any, list[dict[str, Any]]]:
    figure, axes = new_figure(1, 2, height=3.2)
    tables = []
    for ax, kind in zip(axes, (False, True), strict=True):
        run = run_of(results, kind)
        shown = run.arrays[f"trained.{name}"].mean(axis=0)
        length = shown.shape[0]
        order = run.arrays["trained.order"] if name == "map_permuted" else np.arange(length)
        columns = [f"p{i + 1}" for i in order] + [f"a{i}" for i in range(length)]
        heatmap(ax, shown, columns, [f"a{i}" for i in range(length)], fmt=".2f" if length <= 5 else "", vmin=0, vmax=1)
        ax.set(title=run.config.task.action, xlabel="clause attended to", ylabel="answer clause asking")
        query, key = np.indices(shown.shape).reshape(2, -1)
        tables.append(
            {
                "action": np.repeat(run.config.task.action, shown.size),
                "query answer": query,
                "key": np.array(columns)[key],
                "attention": shown.reshape(-1),
            }
        )
    return figure, tables


def _setting(results: Results) -> str:
    made = run_of(results, True).config
    return f"{made.map_sentences} sentences of length {made.task.length}, both heads, {len(made.seeds)} seeds averaged."


def _joined(tables: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def render_2(results: Results) -> Artefact:
    figure, tables = _map_figure(results, "map")
    return Artefact(figure, _joined(tables), f"Attention at the training length: {_setting(results)}")


# Figure 5


def _predicates(run: RunResult, name: str) -> np.ndarray:
    maps = run.arrays[f"trained.{name}"]
    return maps[:, :, : maps.shape[1]]


def _in_place(results: Results, permuted: bool) -> dict[str, np.ndarray]:
    """What stands at each place of the permuted sentences, if attention follows the variable, or if it stays."""
    found = {}
    for run in results.where(LengthTraining):
        plain = _predicates(run, "map")
        found[_name(run)] = plain[:, :, run.arrays["trained.order"]] if permuted else plain
    return found


FIGURE_5 = Claim(
    id="lego/fig-5",
    locus="Section 7, Figure 5",
    statement="With predicate clauses in another order attention follows the variable they share, not their place. "
    "Rule: the map of the same sentences with permuted predicates equals the permuted map, entry by entry, "
    "within 1e-5 (the model has no positions, so this is exact up to rounding). Control: the map as if "
    "attention stayed in place.",
    predict=lambda results: {_name(run): _predicates(run, "map_permuted") for run in results.where(LengthTraining)},
    measure=lambda results: learned(results, _in_place(results, permuted=True)),
    control=lambda results: _in_place(results, permuted=False),
    check=Each({kind: Close(atol=SAME) for kind in KINDS}),
)


def render_5(results: Results) -> Artefact:
    figure, tables = _map_figure(results, "map_permuted")
    caption = f"The same models and sentences, predicates permuted as the column names say: {_setting(results)}"
    return Artefact(figure, _joined(tables), caption)


# Figures 6 and 7


def _along(run: RunResult, moment: str, what: str, times: int) -> np.ndarray:
    """The attention of one diagonal by position, at `times` the training length: [seed, position]."""
    return run.arrays[f"{moment}.{what}.{times * run.config.task.length}"]


def _drop(values: np.ndarray) -> float:
    """How much lower the last quarter of positions is than the first, relative to the mean."""
    quarter = max(values.shape[1] // 4, 1)
    return float((values[:, :quarter].mean() - values[:, -quarter:].mean()) / values.mean())


def dilution(results: Results, moment: str, what: str, decaying: bool, regime: Regime = "sharp") -> dict[str, float]:
    """How one diagonal falls with length and position; `decaying` is the action that should fall (True: symmetric)."""
    falling, steady = run_of(results, decaying, regime), run_of(results, not decaying, regime)
    drops = [_drop(_along(run, moment, what, 4)) for run in (falling, steady)]
    with_length = {
        f"{_name(run)}, from twice to four times the length": float(
            _along(run, moment, what, 4).mean() / _along(run, moment, what, 2).mean()
        )
        for run in (falling, steady)
    }
    return with_length | {
        f"{_name(falling)}, drop along positions": drops[0],
        f"{_name(steady)}, drop relative to the other's": drops[1] / max(abs(drops[0]), 1e-9),
    }


def _rule(decaying: str, steady: str) -> tuple[dict[str, float], Each]:
    drop, relative = f"{decaying}, drop along positions", f"{steady}, drop relative to the other's"
    lengths = [f"{kind}, from twice to four times the length" for kind in KINDS]
    predicted = {**dict.fromkeys(lengths, 1.0), drop: DECAY, relative: LESS}
    return predicted, Each({**{name: AtMost() for name in lengths}, drop: AtLeast(), relative: AtMost()})


RULE_6, CHECK_6 = _rule(decaying="symmetric", steady="simply transitive")
RULE_7, CHECK_7 = _rule(decaying="simply transitive", steady="symmetric")

FIGURE_6 = Claim(
    id="lego/fig-6",
    locus="Section 7, Figure 6",
    statement="Beyond the training length the attention on the right predicate is diluted, and for the symmetric "
    "action it decays with the position while the simply transitive one's stays. Rule: lower at four times "
    "the training length than at twice, for both; at four times, the last quarter of positions is lower "
    "than the first by at least a tenth of the mean for the symmetric action, and by at most half of that "
    "for the other. Control: the untrained models.",
    predict=lambda results: RULE_6,
    measure=lambda results: learned(results, dilution(results, "trained", "predicate", decaying=True)),
    control=lambda results: dilution(results, "untrained", "predicate", decaying=True),
    check=CHECK_6,
    remark="Attention is diluted with length, as printed, and the difference between the actions is not there: where "
    "attention is sharp enough to reach long sentences it hardly depends on the position for either action, "
    "and where it is soft (lower row of the figure) both decay along the positions alike, since later answers "
    "see more clauses.",
)

FIGURE_7 = Claim(
    id="lego/fig-7",
    locus="Section 7, Figure 7",
    statement="For the attention on the right answer clause the pattern is reversed: the simply transitive action's "
    "falls with length and position, the symmetric one's is stable. Rule: that of Figure 6 with the two "
    "actions exchanged. Control: the untrained models.",
    predict=lambda results: RULE_7,
    measure=lambda results: learned(results, dilution(results, "trained", "answer", decaying=False)),
    control=lambda results: dilution(results, "untrained", "answer", decaying=False),
    check=CHECK_7,
    remark="The attention on the answer clause does fall with length and position for the simply transitive action, "
    "and for the symmetric one about as much, in both regimes.",
)


def render_diagonal(results: Results, what: str) -> Artefact:
    figure, axes = new_figure(2, 2, sharey=True)
    tables = []
    for row, regime in zip(axes, REGIMES, strict=True):
        for ax, kind in zip(row, (False, True), strict=True):
            run = run_of(results, kind, regime)
            for (moment, style), times in [(m, t) for m in (("trained", "-"), ("untrained", ":")) for t in (2, 4)]:
                values = _along(run, moment, what, times)
                length = values.shape[1]
                position = np.arange(length) / max(length - 1, 1)
                label = f"L = {length}" + (", untrained" if moment == "untrained" else "")
                band(ax, position, values, label, color=CYCLE[times // 4], linestyle=style)
                names = {"regime": regime, "action": run.config.task.action, "model": moment, "length": length}
                table = {name: np.repeat(value, length) for name, value in names.items()}
                tables.append(table | {"position": position, "attention": values.mean(axis=0)})
            ax.set(title=f"{run.config.task.action}: {REGIMES[regime]}", ylim=(0, 1))
        row[0].set_ylabel(f"attention on the right {what}")
    for ax in axes[-1]:
        ax.set_xlabel("normalized position")
    legend(axes[0, 1], fontsize=7)
    made = run_of(results, True).config
    caption = (
        f"Trained at length {made.task.length}; {made.map_sentences} sentences, both heads averaged; bands: one "
        f"standard deviation over {len(made.seeds)} seeds. The claim is judged on the upper row."
    )
    return Artefact(figure, _joined(tables), caption)


EXPERIMENTS = (
    Experiment(
        id="lego/fig-2",
        title="Two diagonals of attention",
        grid=sharp_runs,
        claims=(FIGURE_2,),
        render=render_2,
    ),
    Experiment(
        id="lego/fig-5",
        title="Attention follows the variable",
        grid=sharp_runs,
        claims=(FIGURE_5,),
        render=render_5,
    ),
    Experiment(
        id="lego/fig-6",
        title="Attention on the right predicate at longer lengths",
        grid=all_runs,
        claims=(FIGURE_6,),
        render=lambda results: render_diagonal(results, "predicate"),
    ),
    Experiment(
        id="lego/fig-7",
        title="Attention on the right answer at longer lengths",
        grid=all_runs,
        claims=(FIGURE_7,),
        render=lambda results: render_diagonal(results, "answer"),
    ),
)
