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

from lemmata.core import Scale, ScaleName, UserError, add_paper_path, require

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
class Places:
    """Where runs are kept, and where papers are found besides the installed ones."""

    store: Annotated[Path, tyro.conf.arg(help="Folder of stored runs; $LEMMATA_STORE sets another default.")] = field(
        default_factory=default_store
    )
    paper_path: Annotated[
        tyro.conf.UseAppendAction[tuple[Path, ...]],
        tyro.conf.arg(metavar="DIR", help="A paper's folder that is not installed; may be given several times."),
    ] = ()


Where = Annotated[Places, tyro.conf.arg(name="")]


@dataclass(frozen=True, kw_only=True)
class List:
    """Papers, experiments and claims, with the last verdicts."""

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.look import list_claims

        return list_claims(self.ids, Scale(self.scale), self.where.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Show:
    """A claim's statement, where the paper says it, its rule, prediction, measurement, evidence and cost."""

    id: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="A paper, experiment or claim.")]
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.look import show

        return show(self.id, Scale(self.scale), self.where.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Reproduce:
    """The main job: run what is missing, judge, draw, write the page.

    Example: lemmata reproduce ic-recall/fig-3 association/thm-2 --scale laptop
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report")
    where: Where = field(default_factory=Places)
    jobs: Jobs = None

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import reproduce

        return reproduce(self.ids, scale_of(self.scale, self.seeds), self.out, self.where.store, self.jobs, console)


@dataclass(frozen=True, kw_only=True)
class Check:
    """Run what is missing and judge; draw nothing. Exits 1 if a claim fails (an erratum is not a failure).

    Example: lemmata check ic-recall --scale laptop --json
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    where: Where = field(default_factory=Places)
    jobs: Jobs = None
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import check

        scale = scale_of(self.scale, self.seeds)
        return check(self.ids, scale, self.where.store, self.jobs, as_json=self.json, console=console)


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
    where: Where = field(default_factory=Places)
    jobs: Jobs = None

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import run_changed

        scale = scale_of(self.scale, self.seeds)
        assignments = tuple(text for group in self.set for text in group)
        return run_changed(self.experiment, assignments, scale, self.out, self.where.store, self.jobs, console)


@dataclass(frozen=True, kw_only=True)
class Fields:
    """What `--set` may change in an experiment: every field of its runs, what it may hold, and what it holds.

    `lemmata run EXPERIMENT --help` shows the same.
    """

    experiment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="EXPERIMENT", help="Its id.")]
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.look import fields

        return fields(self.experiment, Scale(self.scale), as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """The store: list its runs, show one, verify (re-hash every file), or prune what is stale or half-written."""

    action: Annotated[Literal["list", "show", "verify", "prune"], tyro.conf.Positional]
    run: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[RUN]", help="For show: the run's id or its beginning."),
    ] = None
    where: Where = field(default_factory=Places)
    yes: Annotated[bool, tyro.conf.arg(help="For prune: delete; without it, only say what would go.")] = False
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import runs

        return runs(self.action, self.run, self.where.store, delete=self.yes, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Query:
    """DuckDB over all stored metrics. Views: metrics, runs, and one a kind of run, e.g. "ic-recall/train".

    Example: lemmata query "SELECT kind, count(*), sum(seconds) FROM runs GROUP BY kind"
    """

    sql: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SQL", help="One SELECT statement.")]
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.store import query_store

        return query_store(self.sql, self.where.store, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Export:
    """One experiment as an RO-Crate (Process Run Crate profile): runs, configs, code version, figure and verdicts.

    Example: lemmata export ic-recall/fig-3 --out fig-3-crate
    """

    id: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="An experiment, or one of its claims.")]
    out: Annotated[Path, tyro.conf.arg(help="Folder to write; it must not exist.")] = Path("crate")
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    jobs: Jobs = None
    where: Where = field(default_factory=Places)

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import export_one

        return export_one(self.id, scale_of(self.scale, self.seeds), self.out, self.where.store, self.jobs, console)


@dataclass(frozen=True, kw_only=True)
class Diff:
    """Which verdicts and numbers moved, against a commit of this repository or another store. Exits 1 if any did.

    Example: lemmata diff HEAD~3 ic-recall   ·   lemmata diff ../other/.lemmata
    """

    against: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="COMMIT|STORE", help="A commit, or a store's folder.")
    ]
    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    jobs: Jobs = None
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import diff_against

        scale = scale_of(self.scale, self.seeds)
        return diff_against(
            self.against, self.ids, scale, self.where.store, self.jobs, as_json=self.json, console=console
        )


@dataclass(frozen=True, kw_only=True)
class NewPaper:
    """A new paper's package: one worked claim, its run, its theory, its test. It passes `check_paper` as it stands.

    Example: lemmata new-paper grokking --title "Progress measures for grokking"
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME", help="The paper's id, as in `grokking`.")]
    title: Annotated[str, tyro.conf.arg(help="The paper's title.")] = "A paper to be made executable"
    authors: Annotated[str, tyro.conf.arg(help="Names, a comma between them.")] = "Somebody"
    year: int = 2026
    out: Annotated[Path, tyro.conf.arg(help="Folder in which the package's folder is made.")] = Path()
    where: Where = field(default_factory=Places)

    def __call__(self, console: Console) -> int:
        from lemmata.commands.new_paper import new_paper

        return new_paper(self.name, self.title, self.authors, self.year, self.out, console)


@dataclass(frozen=True, kw_only=True)
class Docs:
    """Write the generated parts of each paper's README, claims and errata, from its code and its last verdicts."""

    ids: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[PAPER ...]", help="All if none.")
    ] = ()
    check: Annotated[bool, tyro.conf.arg(help="Write nothing; exit 1 if something is out of date.")] = False
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)

    def __call__(self, console: Console) -> int:
        from lemmata.commands.docs import docs
        from lemmata.run import Store

        return docs(self.ids, Scale(self.scale), Store(self.where.store), check=self.check, console=console)


Command = (
    Annotated[List, tyro.conf.subcommand("list")]
    | Annotated[Show, tyro.conf.subcommand("show")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Run, tyro.conf.subcommand("run")]
    | Annotated[Fields, tyro.conf.subcommand("fields")]
    | Annotated[Runs, tyro.conf.subcommand("runs")]
    | Annotated[Query, tyro.conf.subcommand("query")]
    | Annotated[Export, tyro.conf.subcommand("export")]
    | Annotated[Diff, tyro.conf.subcommand("diff")]
    | Annotated[Docs, tyro.conf.subcommand("docs")]
    | Annotated[NewPaper, tyro.conf.subcommand("new-paper")]
)


def scale_of(name: ScaleName, seeds: int | None) -> Scale:
    require(seeds is None or seeds >= 1, "--seeds", seeds, "at least 1")
    return Scale(name, seeds)


def asks_for_fields(words: list[str]) -> str | None:
    """The experiment of `lemmata run EXPERIMENT --help`, whose fields are then shown too."""
    named = [word for word in words[1:2] if not word.startswith("-")]
    return named[0] if words[:1] == ["run"] and named and {"-h", "--help"} & set(words) else None


def main(arguments: list[str] | None = None) -> None:
    words = sys.argv[1:] if arguments is None else arguments
    if experiment := asks_for_fields(words):
        words = ["fields", experiment, *(word for word in words[2:] if word not in ("-h", "--help"))]
    command: Any = tyro.cli(Command, prog="lemmata", description=__doc__, args=words)  # pyright: ignore
    from lemmata.report.terminal import make_console

    console = make_console(stderr=True)
    try:
        for path in command.where.paper_path:
            add_paper_path(path)
        sys.exit(command(make_console()))
    except UserError as error:
        console.print(f"lemmata: {error}", style="red", soft_wrap=True, markup=False, highlight=False)
        sys.exit(2)
    except KeyboardInterrupt:
        console.print("lemmata: interrupted; finished runs are kept, run the same command again to continue")
        sys.exit(130)
