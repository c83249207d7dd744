"""What the commands about stored runs may be given."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from lemmata.cli.options import Ids, InStore, Jobs, Json, ScaleOption, Seeds


@dataclass(frozen=True, kw_only=True)
class Runs(InStore):
    """Stored runs: list, show, verify, prune or import them.

    `verify` hashes every file again; `prune` deletes what is stale, half-written or too much (compiled programs are
    kept up to 1 GiB); `import` takes what somebody else computed: checked, and a sample computed again.

    Example: lemmata runs import ../other/.lemmata --recompute 20
    """

    action: Annotated[Literal["list", "show", "verify", "prune", "import"], tyro.conf.Positional]
    run: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(
            metavar="[RUN]", help="For show: the run's id or its beginning; for import: a store's or a crate's folder."
        ),
    ] = None
    recompute: Annotated[
        int, tyro.conf.arg(help="For import: how many runs are computed again, the cheapest first; bits must agree.")
    ] = 5
    jobs: Jobs = None
    delete: Annotated[
        bool, tyro.conf.arg(name="yes", help="For prune: delete; without it, only say what would go.")
    ] = False
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Query(InStore):
    """SQL over all stored metrics.

    By DuckDB. Views: `runs`, `metrics`, and one a kind of run, named in double quotes.

    Example: lemmata query "SELECT kind, count(*), sum(seconds) FROM runs GROUP BY kind"

    Example: lemmata query "SELECT run, config->>'temperature' AS t FROM runs WHERE experiment LIKE '%fig-2%'"
    """

    sql: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SQL", help="One SELECT statement.")]
    unconfined: Annotated[bool, tyro.conf.arg(help="Any statement, any file: COPY and ATTACH too.")] = False
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Views(InStore):
    """The views that a query may name.

    What each holds, and the columns of those that are stored here. `lemmata query --help` shows the same.
    """

    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Diff(InStore):
    """What moved since a commit, or against another store.

    Exits 1 if any did. What this store lacks is computed first; a commit's own code computes what it lacks, too.

    Example: lemmata diff HEAD~3 ic-recall   ·   lemmata diff ../other/.lemmata
    """

    against: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="COMMIT|STORE", help="A commit, or a store's folder.")
    ]
    ids: Ids = ()
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    jobs: Jobs = None
    json: Json = False


@dataclass(frozen=True, kw_only=True)
class Export(InStore):
    """An experiment as an RO-Crate, or a paper's claims as JSON.

    A crate is of the Process Run Crate profile, with configs and the version of the code. The graph is JSON, with
    statements, verdicts, what each rests on and what it would have refuted; its schema is printed by --format schema.

    Example: lemmata export ic-recall/fig-3 --out fig-3-crate
    Example: lemmata export ic-recall --format claims > ic-recall.json
    """

    wanted: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="ID", help="An experiment, or one of its claims; or a paper.")
    ]
    format: Annotated[
        Literal["crate", "claims", "schema"],
        tyro.conf.arg(help="crate: a folder; claims: a paper's claims as JSON; schema: the form of that JSON."),
    ] = "crate"
    out: Annotated[Path, tyro.conf.arg(help="For a crate: folder to write; it must not exist.")] = Path("crate")
    scale: ScaleOption = "laptop"
    seeds: Seeds = None
    jobs: Jobs = None
    json: Json = False
