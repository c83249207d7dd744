"""The commands about the store: runs and query."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.console import Console

from lemmata.commands.options import Jobs, Json, print_json
from lemmata.core import RunConfig, Scale, UserError
from lemmata.core.cli_hints import command
from lemmata.core.config import decode
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import experiments, papers, run_type
from lemmata.core.scale import SCALES
from lemmata.core.to_json import to_json
from lemmata.report.table_layout import rows_table
from lemmata.report.tables import runs_table
from lemmata.run import RUNS, DamagedRun, Store, query, stored_columns, trim_compile_cache, views
from lemmata.run.store import delete as delete_path


def runs(
    action: Annotated[Literal["list", "show", "verify", "prune", "import"], tyro.conf.Positional],
    store: Store,
    run: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(
            metavar="[RUN]", help="For show: the run's id or its beginning; for import: a store's or a crate's folder."
        ),
    ] = None,
    recompute: Annotated[
        int, tyro.conf.arg(help="For import: how many runs are computed again, the cheapest first; bits must agree.")
    ] = 5,
    jobs: Jobs = None,
    *,
    console: Console,
    delete: Annotated[
        bool, tyro.conf.arg(name="yes", help="For prune: delete; without it, only say what would go.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Stored runs: list, show, verify, prune or import them.

    `verify` hashes every file again; `prune` deletes what is stale, half-written or too much (compiled programs are
    kept up to 1 GiB); `import` takes what somebody else computed: checked, and a sample computed again.

    Example: lemmata runs import ../other/.lemmata --recompute 20
    """
    if action == "import":
        from lemmata.commands.compute import jobs_of
        from lemmata.commands.import_runs import import_runs

        if run is None:
            raise UserError("runs import needs the folder of a store or of a crate")
        return import_runs(Path(run), store, recompute, jobs_of(jobs), as_json=as_json, console=console)
    if run is not None and action != "show":
        raise UserError(f"runs {action} takes no run id, got {run!r}")
    if action == "list":
        return _list(store, as_json, console)
    if action == "show":
        if run is None:
            raise UserError(f"runs show needs a run id: `{command('runs', 'list')}` shows them")
        return _show(store, store.find(run), as_json, console)
    if action == "verify":
        return _verify(store, as_json, console)
    return _prune(store, delete, as_json, console)


def _list(store: Store, as_json: bool, console: Console) -> int:
    records = []
    for digest in store.digests():
        try:
            records.append(store.record(digest))
        except DamagedRun as damage:
            records.append({"digest": digest, "damaged": str(damage)})
    if as_json:
        print_json(records)
    else:
        console.print(runs_table(records))
    return 0


def _show(store: Store, digest: str, as_json: bool, console: Console) -> int:
    try:
        result = store.load_digest(digest)
    except DamagedRun as damage:
        raise UserError(f"run {digest} is damaged: {damage}; the next reproduce computes it again") from None
    shown: dict[str, Any] = {
        **result.record,
        "metrics": {name: to_json(column, limit=6) for name, column in result.metrics.items()},
        "arrays": {name: list(array.shape) for name, array in result.arrays.items()},
    }
    if as_json:
        print_json(shown)
    else:
        console.print_json(json.dumps(shown))
    return 0


def _verify(store: Store, as_json: bool, console: Console) -> int:
    """Re-hash every file; 1 if any run is damaged."""
    found: dict[str, str] = {}
    digests = store.digests()
    for digest in digests:
        try:
            store.verify(digest)
        except DamagedRun as damage:
            found[digest] = str(damage)
    if as_json:
        print_json({"runs": len(digests), "damaged": found})
    else:
        for digest, reason in found.items():
            console.print(f"[red]damaged[/] {digest}: {reason}")
        console.print(f"{pluralize(len(digests), 'run')} verified, {len(found)} damaged.")
    return int(bool(found))


def _prune(store: Store, delete: bool, as_json: bool, console: Console) -> int:
    """Runs that no experiment asks for at any scale with its own number of seeds, what interruptions left, and the
    compiled programs that were used longest ago, where all take too much room.

    Runs of a paper that is not installed are not stale: nobody here knows what it asks for.
    """
    wanted = {
        config.requested
        for paper in papers()
        for experiment in experiments(paper).values()
        for scale in SCALES
        for config in experiment.runs(Scale(scale)).values()
    }
    stale = [store.folder(digest) for digest in store.digests() if _is_stale(store, digest, wanted)]
    going = [*stale, *store.leftovers()]
    programs = trim_compile_cache(delete=delete)
    if delete:
        for path in going:
            delete_path(path)
    if as_json:
        names = {"deleted" if delete else "would_delete": [path.name for path in going]}
        print_json(names | {"programs": len(programs)})
    else:
        for path in going:
            console.print(f"{'deleted' if delete else 'would delete'} {path.name}")
        if programs:
            console.print(
                f"{'deleted' if delete else 'would delete'} {pluralize(len(programs), 'compiled program')}, the oldest"
            )
        more = "" if delete or not (going or programs) else " Add --yes to delete them."
        console.print(f"{pluralize(len(going), 'folder')}.{more}")
    return 0


def _is_stale(store: Store, digest: str, wanted: set[str]) -> bool:
    """Nobody's, and not a replication of a run that is somebody's; or of files that are others now."""
    try:
        record = store.record(digest)
        if record["kind"].split("/")[0] not in papers():
            return False
        config: RunConfig = decode(run_type(record["kind"]), record["config"])
    except (DamagedRun, UserError):  # UserError: the code knows no such run any more
        return True
    if replace(config, replication=0).requested not in wanted or record["version"] != config.version:
        return True
    return config.lacks() is None and config.digest != digest  # where its files are not here, nobody can tell


def list_views(store: Store, *, console: Console, as_json: Json = False) -> int:
    """The views that a query may name.

    What each holds, and the columns of those that are stored here. `lemmata query --help` shows the same.
    """
    found, stored = views(), stored_columns(store)
    if as_json:
        return print_json({"views": found, "columns of runs": RUNS, "stored here": stored})
    console.print(rows_table(["view", "what it holds"], found.items(), ["view"]))
    console.print(rows_table(["column of runs", "what it is"], RUNS.items(), ["column of runs"]))
    if stored:
        quoted = {view: [f'"{name}"' if "." in name else name for name in names] for view, names in stored.items()}
        cells = [(view, ", ".join(names)) for view, names in quoted.items()]
        console.print(rows_table(["stored here", "its columns"], cells, ["stored here"]))
    else:
        makes = command("check", "ID")
        console.print(f"Nothing is stored in {str(store.root)!r} yet: `{makes}` makes runs.", markup=False)
    return 0


def query_store(
    sql: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SQL", help="One SELECT statement.")],
    store: Store,
    *,
    console: Console,
    unconfined: Annotated[bool, tyro.conf.arg(help="Any statement, any file: COPY and ATTACH too.")] = False,
    as_json: Json = False,
) -> int:
    """SQL over all stored metrics.

    By DuckDB. Views: `runs`, `metrics`, and one a kind of run, named in double quotes.

    Example: lemmata query "SELECT kind, count(*), sum(seconds) FROM runs GROUP BY kind"

    Example: lemmata query "SELECT run, config->>'temperature' AS t FROM runs WHERE experiment = 'ic-recall/fig-2'"
    """
    columns, rows = query(store, sql, confined=not unconfined)
    if as_json:
        print(json.dumps([dict(zip(columns, map(to_json, row), strict=True)) for row in rows], indent=1, default=str))
    else:
        console.print(rows_table(columns, rows))
    return 0
