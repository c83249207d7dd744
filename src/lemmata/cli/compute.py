"""The commands that compute."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from lemmata.cli.options import Engine, Ids, Jobs, Json, Places, Replication, ScaleOption, Seeds, Where, scale_of
from lemmata.core import Scale

SingleFile = Annotated[
    bool,
    tyro.conf.arg(help="One file with every figure inside; else an index and a page a paper, figures beside them."),
]


@dataclass(frozen=True, kw_only=True)
class Reproduce:
    """The main job: run what is missing, judge, draw, write the page.

    Example: lemmata reproduce ic-recall/fig-3 association/thm-2 --scale laptop
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    replication: Replication = 0
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report")
    single_file: SingleFile = False
    where: Where = field(default_factory=Places)
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import reproduce

        scale = scale_of(self.scale, self.seeds, self.replication)
        return reproduce(
            self.ids,
            scale,
            self.out,
            self.where.store,
            self.jobs,
            as_json=self.json,
            console=console,
            engine=self.engine,
            single_file=self.single_file,
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """The page from what is stored: experiments whose runs are all there are judged and drawn, nothing is computed.

    An index and a page a paper, figures as files beside them; `--single-file`: one file that can be sent.

    Example: lemmata report lego --out report --single-file
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report")
    single_file: SingleFile = False
    where: Where = field(default_factory=Places)
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.report import report

        scale, store = Scale(self.scale), self.where.store
        return report(
            self.ids, scale, self.out, store, single_file=self.single_file, as_json=self.json, console=console
        )


@dataclass(frozen=True, kw_only=True)
class Check:
    """Run what is missing and judge; draw nothing. Exits 1 if a claim fails (an erratum is not a failure).

    Experiments that cannot be run here (an extra is not installed, weights are not there) are listed apart as `not run`
    and change no exit code. One that is named itself, or by a claim of it, is refused in one line, with exit code 2.

    Example: lemmata check ic-recall --scale laptop --json
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    replication: Replication = 0
    where: Where = field(default_factory=Places)
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import check

        scale = scale_of(self.scale, self.seeds, self.replication)
        place, jobs = self.where.store, self.jobs
        return check(self.ids, scale, place, jobs, engine=self.engine, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Confirm:
    """Do verdicts survive fresh randomness? Every key and every stream of every run is drawn anew under replications
    1, 2, ...; each claim is judged in each, and all are set beside the reference, replication 0.

    What is stored is not computed again: run the same command again to continue, or with more replications. Where a
    rule was changed after replications had been seen, take numbers that nobody has seen (`--first 6`).
    Exits 1 if a claim fails in one of them. `lemmata check ID --replication 3` shows one of them closely,
    `lemmata list --unstable` the claims that moved.

    Example: lemmata confirm association/fig-18 --replications 5 --scale laptop
    """

    ids: Ids = ()
    replications: Annotated[int, tyro.conf.arg(help="How many.")] = 5
    first: Annotated[int, tyro.conf.arg(help="The number of the first.")] = 1
    scale: ScaleOption = "laptop"
    where: Where = field(default_factory=Places)
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import jobs_of
        from lemmata.commands.confirm import confirm_claims
        from lemmata.run import Store

        numbers = range(self.first, self.first + self.replications)
        store, jobs = Store(self.where.store), jobs_of(self.jobs)
        scale, engine = Scale(self.scale), self.engine
        return confirm_claims(self.ids, scale, numbers, store, jobs, engine=engine, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One experiment with changed assumptions: its runs are stored, judged and drawn.

    A key changes every run that has it. What it changed is said first and stands at the head of the result; a claim
    that rests on no changed run is not judged, and says what it rests on.

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
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import run_changed

        scale, store = scale_of(self.scale, self.seeds), self.where.store
        assignments = tuple(text for group in self.set for text in group)
        return run_changed(
            self.experiment, assignments, scale, self.out, store, self.jobs, as_json=self.json, console=console
        )


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """One experiment under every combination of listed values: a verdict a cell, one table and, for one or two lists,
    one figure of verdicts over them.

    What is stored is not computed again: run the same command again to continue, or with longer lists. A combination
    that is not possible says so in its cell. A value that is a list itself stands in brackets: seeds=[0,1],[2,3].

    Example: lemmata sweep ic-recall/fig-2 --set temperature=0.01,0.02,0.05 --set world.n=7,31,127
    """

    experiment: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="EXPERIMENT", help="Its id, as `lemmata list` shows it.")
    ]
    set: Annotated[
        tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]],
        tyro.conf.arg(metavar="KEY=VALUE,...", help="A config field and its values; may be given several times."),
    ] = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    out: Annotated[Path, tyro.conf.arg(help="Folder of the figure and the table.")] = Path("report-sweep")
    where: Where = field(default_factory=Places)
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.sweep import sweep_experiment

        scale, store = scale_of(self.scale, self.seeds), self.where.store
        lists = tuple(text for group in self.set for text in group)
        return sweep_experiment(
            self.experiment, lists, scale, self.out, store, self.jobs, self.engine, as_json=self.json, console=console
        )


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
    json: Json = False

    def __call__(self, console: Console) -> int:
        from lemmata.commands.compute import export_one

        scale, store = scale_of(self.scale, self.seeds), self.where.store
        return export_one(self.id, scale, self.out, store, self.jobs, as_json=self.json, console=console)


@dataclass(frozen=True, kw_only=True)
class Diff:
    """Which verdicts and numbers moved, against a commit of this repository or another store. Exits 1 if any did.
    What this store lacks is computed first; a commit's own code computes what it lacks, too.

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
