"""What the commands that compute may be given."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lemmata.cli.options import Engine, ExperimentId, Ids, InStore, Jobs, Json, Replication, ScaleOption, Seeds

SingleFile = Annotated[
    bool,
    tyro.conf.arg(help="One file with every figure inside; else an index and a page a paper, figures beside them."),
]


@dataclass(frozen=True, kw_only=True)
class Reproduce(InStore):
    """Run what is missing, judge, draw and write the report.

    Example: lemmata reproduce ic-recall/fig-3 association/thm-2 --scale laptop
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    replication: Replication = 0
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report")
    single_file: SingleFile = False
    dry_run: Annotated[
        bool, tyro.conf.arg(help="Say what would be computed and how long it takes; compute nothing.")
    ] = False
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Check(InStore):
    """Run what is missing and judge; exits 1 if a claim fails.

    Nothing is drawn; an erratum is not a failure. Experiments that cannot be run here (an extra is not installed,
    weights are not there) are listed apart as `not run` and change no exit code. One that is named itself, or by a
    claim of it, is refused in one line, with exit code 2.

    Example: lemmata check ic-recall --scale laptop --json
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    replication: Replication = 0
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Run(InStore):
    """One experiment under changed assumptions (--set KEY=VALUE).

    Its runs are stored, judged and drawn. A key changes every run that has it. What it changed is said first and stands
    at the head of the result; a claim that rests on no changed run is not judged, and says what it rests on.

    Example: lemmata run ic-recall/fig-2 --set temperature=0.1 world.n=11
    """

    experiment_id: ExperimentId
    assignments: Annotated[
        tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]],
        tyro.conf.arg(name="set", metavar="KEY=VALUE", help="A config field to change; may be given several times."),
    ] = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report-run")
    jobs: Jobs = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Sweep(InStore):
    """One experiment under every combination of listed values.

    A verdict a cell, one table and, for one or two lists, one figure of verdicts over them. What is stored is not
    computed again: run the same command again to continue, or with longer lists. A combination that is not possible
    says so in its cell. A value that is a list itself stands in brackets: seeds=[0,1],[2,3]. A range is
    FIRST:LAST:COUNT. Over numbers the figure shows what was measured, with the rule's band; else it is of verdicts.

    Example: lemmata sweep association/noise-first --set task.alpha=0.1:0.8:8
    Example: lemmata sweep ic-recall/fig-2 --set temperature=0.01,0.02,0.05 --set world.n=7,31,127
    """

    experiment_id: ExperimentId
    assignments: Annotated[
        tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]],
        tyro.conf.arg(
            name="set", metavar="KEY=VALUE,...", help="A config field and its values; may be given several times."
        ),
    ] = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    out: Annotated[Path, tyro.conf.arg(help="Folder of the figure and the table.")] = Path("report-sweep")
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Confirm(InStore):
    """The same claims under fresh randomness.

    Every key and every stream of every run is drawn anew under replications 1, 2, ...; each claim is judged in each,
    and all are set beside the reference, replication 0.

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
    jobs: Jobs = None
    engine: Engine = "local"
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Report(InStore):
    """The report from what is stored; computes nothing.

    Experiments whose runs are all there are judged and drawn. An index and a page a paper, figures as files beside
    them; `--single-file`: one file that can be sent.

    Example: lemmata report lego --out report --single-file
    """

    ids: Ids = ()
    scale: ScaleOption = "laptop"
    out: Annotated[Path, tyro.conf.arg(help="Folder of the page, figures and tables.")] = Path("report")
    single_file: SingleFile = False
    json: Json = False
