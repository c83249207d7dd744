"""`lemmata power`: how many wrong versions of what claims say their verdicts reject, from the stored runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from rich.console import Console

from lemmata.commands.options import AtScale, Ids, Json, print_json
from lemmata.core import Runs
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import papers, select
from lemmata.core.run import NotComputed
from lemmata.core.warnings import suppress_warnings
from lemmata.record.power import Outcome, Power, power_of
from lemmata.report import plots
from lemmata.report.table_layout import rows_table
from lemmata.run import Store, obstacle

OUTCOMES: dict[Outcome, str] = {"rejected": "green", "accepted": "vermillion", "weaker": "yellow"}
ABOUT = {"formula": "formulas", "bound": "bounds with slack under 3", "loose": "looser bounds", "other": "others"}


def power(
    ids: Ids,
    scale: AtScale,
    store: Store,
    *,
    console: Console,
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help="Draw a figure a paper into this folder.")] = None,
    as_json: Json = False,
) -> int:
    """Which wrong versions of what claims say their verdicts reject.

    A sign, a factor 2, an exponent, an index, a dropped term: slips in the theory that a verdict calls, judged on the
    stored runs. Versions that only weaken a bound cannot be rejected and are counted apart.

    Example: lemmata power ic-recall --out report/power
    """
    found: list[Power] = []
    lacking = 0
    for selection in select(ids):
        configs = selection.experiment.runs(scale)
        if obstacle(selection.experiment, configs.values(), store):
            lacking += len(selection.claims)
            continue
        there = {name: store.load(one) for name, one in configs.items() if one.digest in store}
        runs = Runs(there, scale, absent={name: one for name, one in configs.items() if name not in there})
        for claim in selection.claims:
            try:
                with suppress_warnings(True):
                    one = power_of(claim, runs, selection.paper, selection.experiment.needs)
                found += [one] if one else []
            except NotComputed:
                lacking += 1
    if out:
        out.mkdir(parents=True, exist_ok=True)
        for paper in dict.fromkeys(one.claim.partition("/")[0] for one in found):
            drawn = [one for one in found if one.claim.startswith(f"{paper}/") and one.versions]
            if drawn:
                picture(papers()[paper].title, drawn).savefig(out / f"power-{paper}.png", dpi=150)
    if as_json:
        return print_json([asdict(one) for one in found])
    cells = [
        (one.claim, one.about, *(one.count(outcome) for outcome in OUTCOMES), _passed(one))
        for one in found
        if one.versions
    ]
    console.print(rows_table(["claim", "about", *OUTCOMES, "accepted versions"], cells, ["claim", "about"]))
    for line in totals(found):
        console.print(line)
    if lacking:
        console.print(f"{pluralize(lacking, 'claim')} left out: their runs are not stored here.")
    return 0


def totals(found: Sequence[Power]) -> list[str]:
    """By what claims say: of the versions that are no mere weakenings how many were rejected."""
    counts: dict[str, Counter[str]] = {about: Counter() for about in ABOUT}
    for one in found:
        counts[one.about].update(v.outcome for v in one.versions)
    return [
        f"{words}: {kind['rejected']} of {wrong} wrong versions rejected ({kind['rejected'] / wrong:.3f}), "
        f"{pluralize(kind['weaker'], 'more is a weakening', 'more are weakenings')}"
        for words, kind in ((ABOUT[about], kind) for about, kind in counts.items())
        if (wrong := kind["rejected"] + kind["accepted"])
    ]


def _passed(one: Power) -> str:
    return "; ".join(f"{v.kind}: {v.text}" for v in one.versions if v.outcome == "accepted")


def picture(title: str, found: Sequence[Power]) -> Figure:
    """Claims by wrong versions: which are rejected, which pass, which only weaken."""
    width = max(len(one.versions) for one in found)
    codes = {outcome: i for i, outcome in enumerate(OUTCOMES)}
    matrix = [[codes[v.outcome] for v in one.versions] + [float("nan")] * (width - len(one.versions)) for one in found]
    figure, ax = plots.new_figure(width=8, height=1.2 + 0.16 * len(found))
    colours = ListedColormap([plots.COLOURS[name] for name in OUTCOMES.values()])
    ax.imshow(matrix, cmap=colours, vmin=-0.5, vmax=len(codes) - 0.5, aspect="auto", interpolation="nearest")
    ax.set_yticks(range(len(found)), [one.claim.partition("/")[2] for one in found], fontsize=6)
    ax.set(title=f"Wrong versions of {title}", xlabel="version")
    ax.grid(False)
    for outcome, name in OUTCOMES.items():
        ax.plot([], [], "s", color=plots.COLOURS[name], label=outcome)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure
