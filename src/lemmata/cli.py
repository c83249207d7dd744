"""lemmata makes theory papers about transformers executable. Every lemma, theorem, table and figure of a paper is a
claim: a program that predicts, measures, compares under a rule written beforehand, and gives a verdict.

Exit codes: 0 done, 1 a claim fails (check) or a run is damaged (runs verify), 2 the request is not possible.

Start with:  lemmata list   ·   lemmata show ic-recall/table-2   ·   lemmata reproduce --scale smoke
"""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console

from lemmata.core import Scale, ScaleName, UserError, require

StorePath = Annotated[Path, tyro.conf.arg(help="Folder of stored runs; $LEMMATA_STORE sets another default.")]
Json = Annotated[bool, tyro.conf.arg(help="Print JSON for scripts instead of tables.")]
Ids = Annotated[
    tuple[str, ...],
    tyro.conf.Positional,
    tyro.conf.arg(metavar="[ID ...]", help="Papers, experiments or claims; everything if none is named."),
]
Jobs = Annotated[int | None, tyro.conf.arg(help="Worker processes; None: one a core on a CPU, one on a GPU.")]
ScaleOption = Annotated[
    ScaleName, tyro.conf.arg(help="smoke: seconds; laptop: minutes on two cores; paper: the paper's own sizes.")
]
Seeds = Annotated[int | None, tyro.conf.arg(help="Seeds a run is repeated with; None: the experiment's own number.")]


def default_store() -> Path:
    return Path(os.environ.get("LEMMATA_STORE", ".lemmata"))


@dataclass(frozen=True, kw_only=True)
class List:
    """Papers, experiments and claims, with the last verdicts."""

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    store: StorePath = field(default_factory=default_store)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.look import list_claims

        return list_claims(self.ids, Scale(self.scale), self.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Show:
    """A claim's statement, where the paper says it, its rule, prediction, measurement, evidence and cost."""

    id: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="A paper, experiment or claim.")]
    scale: ScaleOption = "laptop"
    store: StorePath = field(default_factory=default_store)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.look import show

        return show(self.id, Scale(self.scale), self.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Reproduce:
    """The main job: run what is missing, judge, draw, write the page.

    Example: lemmata reproduce ic-recall/fig-3 association/thm-2 --scale laptop
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report")
    store: StorePath = field(default_factory=default_store)
    jobs: Jobs = None

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import reproduce

        return reproduce(self.ids, scale_of(self.scale, self.seeds), self.out, self.store, self.jobs, console)


@dataclass(frozen=True, kw_only=True)
class Check:
    """Run what is missing and judge; draw nothing. Exits 1 if a claim fails (an erratum is not a failure).

    Example: lemmata check ic-recall --scale laptop --json
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    store: StorePath = field(default_factory=default_store)
    jobs: Jobs = None
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import check

        scale = scale_of(self.scale, self.seeds)
        return check(self.ids, scale, self.store, self.jobs, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One experiment with changed assumptions: its runs are stored, judged and drawn.

    Example: lemmata run ic-recall/fig-2 --set temperature=0.1 world.n=11
    """

    experiment: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="EXPERIMENT", help="Its id, as `lemmata list` shows it.")
    ]
    set: Annotated[
        tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]],
        tyro.conf.arg(metavar="KEY=VALUE", help="A config field to change; may be given several times."),
    ] = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report-run")
    store: StorePath = field(default_factory=default_store)
    jobs: Jobs = None

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import run_changed

        scale = scale_of(self.scale, self.seeds)
        assignments = tuple(text for group in self.set for text in group)
        return run_changed(self.experiment, assignments, scale, self.out, self.store, self.jobs, console)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The store: list its runs, show one, verify (re-hash every file), or prune what is stale or half-written."""

    action: Annotated[Literal["list", "show", "verify", "prune"], tyro.conf.Positional]
    run: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[RUN]", help="For show: the run's id or its beginning."),
    ] = None
    store: StorePath = field(default_factory=default_store)
    yes: Annotated[bool, tyro.conf.arg(help="For prune: delete; without it, only say what would go.")] = False
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import runs

        return runs(self.action, self.run, self.store, delete=self.yes, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Query:
    """DuckDB over all stored metrics. Views: metrics, runs, and one a kind of run, e.g. "ic-recall/train".

    Example: lemmata query "SELECT kind, count(*), sum(seconds) FROM runs GROUP BY kind"
    """

    sql: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SQL", help="One SELECT statement.")]
    store: StorePath = field(default_factory=default_store)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import query_store

        return query_store(self.sql, self.store, as_json=self.json, console=console)


Command = (
    Annotated[List, tyro.conf.subcommand("list")]
    | Annotated[Show, tyro.conf.subcommand("show")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Run, tyro.conf.subcommand("run")]
    | Annotated[Runs, tyro.conf.subcommand("runs")]
    | Annotated[Query, tyro.conf.subcommand("query")]
)


def scale_of(name: ScaleName, seeds: int | None) -> Scale:
    require(seeds is None or seeds >= 1, "--seeds", seeds, "at least 1")
    return Scale(name, seeds)


def main(arguments: list[str] | None = None) -> None:
    command: Any = tyro.cli(Command, prog="lemmata", description=__doc__, args=arguments)  # pyright: ignore
    from lemmata.report.terminal import make_console

    console = make_console(stderr=True)
    try:
        sys.exit(command(make_console()))
    except UserError as error:
        console.print(f"lemmata: {error}", style="red", soft_wrap=True, markup=False, highlight=False)
        sys.exit(2)
    except KeyboardInterrupt:
        console.print("lemmata: interrupted; finished runs are kept, run the same command again to continue")
        sys.exit(130)
