"""What the worlds of the paper's figures allow: Assumption 2.2, kinds of sequences, the best possible accuracy."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lemmata.core import Artefact, RunConfig, RunContext, RunOutput, Scale, Undecided, require
from lemmata.core.legacy import Claim, Each, Exact, Experiment, Results, Within
from lemmata.papers.ic_recall.task import Affine, AllBijections, RandomBijections, TableWorld, WorldConfig
from lemmata.papers.ic_recall.theory.ceiling import expected_ceiling, most_relations
from lemmata.report.plots import legend, new_figure

FIGURE_WORLDS = (
    (RandomBijections(n=8, relations=64), 2),
    (RandomBijections(n=16, relations=128), 2),
    (RandomBijections(n=32, relations=512), 2),
    (RandomBijections(n=8, relations=512), 3),
)
OTHER_WORLDS = (
    (AllBijections(n=3), 2),
    (Affine(n=31), 2),
    (Affine(n=31, subgroup=15), 2),
    (Affine(n=31, subgroup=6), 2),
    (Affine(n=2**61 - 1), 2),
)


@dataclass(frozen=True, kw_only=True)
class WorldReports(RunConfig):
    """The report of one world, drawn afresh for each seed."""

    kind = "ic-recall/world-report"

    world: WorldConfig
    k: int = 2
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require(len(self.seeds) > 0, "seeds", self.seeds, "at least one")

    def execute(self, context: RunContext) -> RunOutput:
        reports = []
        for done, seed in enumerate(self.seeds):
            reports.append(self.world.draw(seed).report(self.k))
            context.progress("worlds", done + 1, len(self.seeds))
        numbers = ("assumption_2_2", "confusing", "mismatched", "ambiguous", "ceiling")
        columns = {name: np.array([float(getattr(report, name)) for report in reports]) for name in numbers}
        texts = ("assumption_2_2_how", "fractions_how", "ceiling_how")
        return RunOutput(
            {
                "seed": np.array(self.seeds),
                **columns,
                **{name: np.array([getattr(report, name) for report in reports]) for name in texts},
            }
        )


@dataclass(frozen=True, kw_only=True)
class LargestWorlds(RunConfig):
    """Is Assumption 2.2 true of n (n - 1) relations, and of no more? Every map x -> ax + b, then one bijection more."""

    kind = "ic-recall/largest-worlds"

    sizes: tuple[int, ...] = (3, 5, 7, 11)
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        full, extended, random = [], [], []
        for n in self.sizes:
            table = Affine(n=n).draw().table
            full.append(_assumption(table))
            spare = _another_bijection(table)
            extended.append(spare is not None and _assumption(np.concatenate([table, spare[None]])))
            random.append(_assumption(RandomBijections(n=n, relations=len(table)).draw(self.seed).table))
        return RunOutput(
            {
                "n": np.array(self.sizes),
                "relations": np.array([most_relations(n) for n in self.sizes]),
                "full": np.array(full),
                "one_more": np.array(extended),
                "random": np.array(random),
            }
        )


def _assumption(table: np.ndarray) -> bool:
    return TableWorld(table).report(2).assumption_2_2


def _another_bijection(table: np.ndarray) -> np.ndarray | None:
    """A bijection that is not among the rows (None when they are all of them): two values of a row exchanged."""
    known = {row.tobytes() for row in table}
    for row in table:
        changed = row.copy()
        changed[[0, 1]] = changed[[1, 0]]
        if changed.tobytes() not in known:
            return changed
    return None


def _grid(scale: Scale) -> tuple[RunConfig, ...]:
    seeds = scale.seeds(smoke=4, laptop=20, paper=50)
    drawn = tuple(WorldReports(world=world, k=k, seeds=seeds) for world, k in FIGURE_WORLDS)
    return (*drawn, *(WorldReports(world=world, k=k) for world, k in OTHER_WORLDS), LargestWorlds())


def _drawn(results: Results) -> list[Any]:
    return [run for run in results.where(WorldReports) if isinstance(run.config.world, RandomBijections)]


def _ceilings(results: Results, column: str = "ceiling") -> Any:
    runs = _drawn(results)
    if not runs:
        return Undecided("no world of random bijections was run")
    values = np.array([run.column(column) for run in runs]).T
    return 1 - values if column == "ambiguous" else values


def _expected(results: Results) -> list[float]:
    return [expected_ceiling(run.config.world.n, run.config.world.relations, run.config.k) for run in _drawn(results)]


def _largest(results: Results, full: str) -> dict[str, Any]:
    run = results.one(LargestWorlds)
    return {
        "holds for n(n-1) relations": run.metrics[full].tolist(),
        "holds with one more": run.metrics["one_more"].tolist(),
    }


def _label(world: WorldConfig, k: int) -> str:
    if isinstance(world, RandomBijections):
        return f"random {world.n}/{world.relations}, k = {k}"
    if isinstance(world, AllBijections):
        return f"all of n = {world.n}"
    n = "2^61 - 1" if world.n == 2**61 - 1 else str(world.n)
    return f"affine n = {n}" + (f", |H| = {world.subgroup}" if world.subgroup else "")


def _render(results: Results) -> Artefact:
    runs = results.where(WorldReports).runs
    labels = [_label(run.config.world, run.config.k) for run in runs]
    names = ("confusing", "mismatched", "ambiguous", "ceiling")
    mean = {name: np.array([run.column(name).mean() for run in runs]) for name in names}
    spread = np.array([run.column("ceiling").std() for run in runs])
    figure, ax = new_figure(width=8.4, height=0.5 + 0.5 * len(runs))
    place = np.arange(len(runs))
    for offset, name in enumerate(names):
        error = spread if name == "ceiling" else None
        ax.barh(place + 0.2 * (offset - 1.5), mean[name], 0.2, xerr=error, label=name)
    for row, run in enumerate(runs):
        if isinstance(run.config.world, RandomBijections):
            expected = expected_ceiling(run.config.world.n, run.config.world.relations, run.config.k)
            ax.plot([expected] * 2, [row + 0.15, row + 0.45], color="black", linewidth=1.5)
    ax.axvline(1, color="grey", linewidth=0.8)
    ax.set_yticks(place, labels)
    ax.invert_yaxis()
    ax.set_xlabel("fraction of sequences; best possible first-step accuracy")
    legend(ax, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    table = {
        "world": labels,
        "k": [run.config.k for run in runs],
        "worlds_drawn": [len(run.config.seeds) for run in runs],
        "assumption_2_2": [bool(run.column("assumption_2_2").all()) for run in runs],
        **mean,
        "ceiling_deviation": spread,
        "ceiling_how": [str(run.column("ceiling_how")[0]) for run in runs],
        "fractions_how": [str(run.column("fractions_how")[0]) for run in runs],
    }
    return Artefact(
        figure,
        table,
        "Kinds of sequences and the best possible first-step accuracy in each world, mean over the worlds drawn (error "
        "bar: one standard deviation of the ceiling; black mark: its exact expectation). Ambiguous: "
        "the context fits more "
        "than one relation, so no model can be sure. Random bijections as dense as the figures' break Assumption 2.2; "
        "affine worlds satisfy it by construction.",
    )


EXPERIMENTS = (
    Experiment(
        id="ic-recall/worlds",
        title="Worlds: what can be known from the context",
        grid=_grid,
        claims=(
            Claim(
                id="ic-recall/worlds",
                locus="Section 5 (the worlds of Figures 2 to 4), against Assumption 2.2",
                statement="In the figures' worlds of random bijections the context often fits several relations, so "
                "first-step accuracy has a ceiling: (n!/(n-k)!) (1 - C(n! - (n-k)!, |R|) / C(n!, "
                "|R|)) / |R| in expectation, "
                "0.60 for |S| = 8, |R| = 64; 0.78 for 16/128 and for 32/512; 0.51 for 8/512 with three pairs.",
                predict=_expected,
                measure=_ceilings,
                control=lambda results: _ceilings(results, "ambiguous"),
                check=Within(errors=4.0, min_seeds=4),
                remark="The control takes the fraction of unambiguous sequences for the ceiling. The paper does not "
                "mention the ceiling; every accuracy of ours is shown beside it.",
            ),
            Claim(
                id="ic-recall/assumption-2.2",
                locus="Assumption 2.2",
                statement="At most n(n-1) bijections can satisfy Assumption 2.2. All maps x -> ax + b over a "
                "field of n "
                "elements reach that number; one relation more breaks it. So |S| = 8 with |R| = 64 > "
                "56 (Figures 2 to 4) "
                "lies outside the theorems' assumptions.",
                predict=lambda results: {
                    "holds for n(n-1) relations": [True] * len(results.one(LargestWorlds).metrics["n"]),
                    "holds with one more": [False] * len(results.one(LargestWorlds).metrics["n"]),
                },
                measure=lambda results: _largest(results, "full"),
                control=lambda results: _largest(results, "random"),
                check=Each({"holds for n(n-1) relations": Exact(), "holds with one more": Exact()}),
                remark="The control draws as many random bijections instead. For n = 3 the six relations are all there "
                "are, and the world with one more does not exist.",
            ),
        ),
        render=_render,
    ),
)
