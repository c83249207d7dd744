"""SQL over everything stored. Views: `metrics` (all rows of all runs), `runs` (one row a run), and one view a kind."""

import contextlib
import json
import re
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from lemmata.core import Scale, UserError, unknown
from lemmata.core.cli_hints import command
from lemmata.core.registry import experiments, papers, run_types
from lemmata.core.scale import SCALES
from lemmata.run.store import METRICS, DamagedRun, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_SECONDS = 10.0  # of a confined query
LARGEST = 2_000_000  # characters of an answer that is shown on a page
RUNS = {  # columns of the view `runs`
    "run": "its id, which is its folder in the store",
    "experiment": "a list of those that ask for it: experiment = 'lego/fig-1a' finds it; NULL: none does (`--set`)",
    "scale": "the scales at which they do",
    "kind": "the view that holds its metrics",
    "version": "of its kind's code",
    "rows": "of its metrics",
    "seconds": "its computing took",
    "device": "that computed it",
    "config": "as JSON: config->'world'->'n', config->>'temperature'",
}


def views() -> dict[str, str]:
    """Every view that a query may name, and what it holds: what the code can make, stored yet or not."""
    kinds = {kind: one for paper in papers().values() for kind, one in run_types(paper).items()}
    found = {
        "runs": "one row a run: " + ", ".join(RUNS),
        "metrics": "all rows of all runs; columns that a run has not are NULL",
    }
    return found | {f'"{kind}"': _summary(kinds[kind]) for kind in sorted(kinds)}


def stored_columns(store: Store) -> dict[str, list[str]]:
    """The view of each kind of run that is stored here -> its columns."""
    found: dict[str, dict[str, None]] = {}
    for digest in store.digests():
        with contextlib.suppress(DamagedRun, OSError, pa.ArrowInvalid):
            record = store.record(digest)
            names = pq.read_schema(store.folder(digest) / METRICS).names
            found.setdefault(f'"{record["kind"]}"', {"run": None}).update(dict.fromkeys(names))
    return {view: list(names) for view, names in sorted(found.items())}


def _summary(run_type: type) -> str:
    """The first sentence of what the code says of a kind of run."""
    text = " ".join((run_type.__doc__ or "").split())
    is_made = text.startswith(f"{run_type.__name__}(")  # by `dataclass`, which lists the fields
    return "" if is_made else re.split(r"(?<!\.)\. ", text)[0].removesuffix(".")  # "4, 8, ..." goes on


def query(
    store: Store, sql: str, *, confined: bool = True, remote: bool = False, most: int | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and rows that `sql` selects, at most so many; a column of JSON gives plain data.

    `confined`: one SELECT alone, which reads no file but the stored metrics and writes none. `remote`: whoever asks is
    not at the terminal, and gets the memory and the seconds that a look deserves.
    """
    import duckdb  # loaded here because no other command needs it

    if sql.encode(errors="ignore").decode() != sql:  # bytes of a terminal that are no text
        raise UserError(f"query: {sql[:80]!r} is no text")
    records = []
    for digest in store.digests():
        try:
            records.append(store.record(digest))
        except DamagedRun:
            continue
    if not records:
        raise UserError(f"store {str(store.root)!r} holds no runs yet: `{command('reproduce')}` makes some")
    kinds = sorted({record["kind"] for record in records})
    with duckdb.connect() as connection:
        if confined:  # before any name from the store is spoken
            _confine(connection, [str(store.folder(record["digest"]) / METRICS) for record in records], remote)
        try:
            if "runs" in sql.lower():  # who asks for what takes seconds to find out
                _runs_view(connection, records)
            _metrics_view(connection, store, "metrics", records)
            for kind in kinds:
                _metrics_view(connection, store, kind, [record for record in records if record["kind"] == kind])
            if confined:
                _one_select(connection, _among(sql))
            with _interrupted(connection, MOST_SECONDS if remote else None):
                cursor = connection.execute(_among(sql))
                if cursor is None:  # pyright: ignore[reportUnnecessaryComparison]: duckdb's answer to no statement
                    return [], []
                fetched = cursor.fetchall() if most is None else _modest(cursor, most)
            names, types = ([str(column[i]) for column in cursor.description or ()] for i in (0, 1))
            return names, [tuple(map(_plain, types, row)) for row in fetched]
        except duckdb.Error as error:
            if hint := _unquoted(sql, store):
                raise UserError(f"query: {hint}") from None
            if isinstance(error, duckdb.CatalogException):
                raise UserError(_with_views(str(error), ["runs", "metrics", *kinds])) from None
            raise UserError(f"query: {str(error).splitlines()[0]}") from None


def _one_select(connection: "DuckDBPyConnection", sql: str) -> None:
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UserError(
            "query: one SELECT is possible here, and nothing else (`--unconfined`: COPY, ATTACH and others)"
        )


def _confine(connection: "DuckDBPyConnection", files: list[str], remote: bool) -> None:
    """No settings, no writing, no other file."""
    listing = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    connection.execute(f"SET allowed_paths = [{listing}]")
    modest = ("memory_limit = '512MB'", "threads = 1") if remote else ()
    for setting in (*modest, "enable_external_access = false", "lock_configuration = true"):
        connection.execute(f"SET {setting}")


@contextlib.contextmanager
def _interrupted(connection: "DuckDBPyConnection", seconds: float | None) -> Iterator[None]:
    """What takes longer ends with an error; None: nothing does."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _modest(cursor: "DuckDBPyConnection", most: int) -> list[tuple[Any, ...]]:
    """The first rows, one after another, while they are not too much for a page."""
    found, left = [], LARGEST
    while len(found) < most and (row := cursor.fetchone()) is not None:
        left -= sum(len(value) if isinstance(value, str | bytes) else len(repr(value)) for value in row)
        if left < 0:
            raise UserError(
                f"query: the answer has more than {LARGEST} characters: ask for fewer, or for parts of them"
            )
        found.append(row)
    return found


def _plain(kind: str, value: Any) -> Any:
    return json.loads(value) if kind == "JSON" and value is not None else value


def _among(sql: str) -> str:
    """The same question where the list `experiment` is compared as if it were one name."""
    if not re.search(r"\bruns\b", sql, re.IGNORECASE):
        return sql
    sql = re.sub(r"((?:\b\w+\.)?\bexperiment)\s*=\s*('(?:[^']|'')*')", r"list_contains(\1, \2)", sql)
    return re.sub(
        r"((?:\b\w+\.)?\bexperiment)(\s+(?:NOT\s+)?I?LIKE\b)", r"array_to_string(\1, ', ')\2", sql, flags=re.I
    )


def _unquoted(sql: str, store: Store) -> str:
    """Which name of a query that failed SQL takes for several, in words; empty if it is not that."""
    bare = re.sub(r"""'[^']*'|"[^"]*\"""", "''", sql)
    stored = {view.strip('"'): names for view, names in stored_columns(store).items()}
    dotted = {name: "column" for names in stored.values() for name in names if "." in name}
    for name, what in (dotted | dict.fromkeys(stored, "view")).items():
        if re.search(rf"(?<!\w){re.escape(name)}(?![\w.])", bare, re.IGNORECASE):
            return f'the {what} {name} needs double quotes: "{name}"'
    if (config := re.search(r"\bconfig((?:\.\w+)+)", bare)) and not re.search(r"\bruns\b", bare, re.IGNORECASE):
        *outer, last = config[1].strip(".").split(".")
        path = "".join(f"->'{step}'" for step in outer)
        return f"{config[0]} stands in the view runs, whose column run is this one's: config{path}->>'{last}'"
    return ""


def _with_views(message: str, known: list[str]) -> str:
    """A catalog's complaint in one line; where a view is missing, with those that are there."""
    first = message.splitlines()[0]
    missing = first.partition("Table with name ")[2].split(" does not exist")[0]
    if not missing:
        return f"query: {first}"
    if f'"{missing}"' in views():
        return f"query: no run of kind {missing!r} is stored here yet"
    return f"query: {unknown('view', missing, known)}"


def _runs_view(connection: "DuckDBPyConnection", records: list[dict[str, Any]]) -> None:
    requested = _requested({record["kind"].split("/")[0] for record in records})
    found = [
        requested.get(_asking(record["kind"], record["version"], record["config"]), ({}, {})) for record in records
    ]
    table = {
        "run": [record["digest"] for record in records],
        "experiment": [list(experiments) or None for experiments, _ in found],
        "scale": [", ".join(scales) or None for _, scales in found],
        **{name: [record[name] for record in records] for name in ("kind", "version", "rows", "seconds", "device")},
        "config": [json.dumps(record["config"]) for record in records],
    }
    types = {"experiment": pa.list_(pa.string()), "scale": pa.string()}  # all may be NULL: then they would have none
    typed = {name: pa.array(table[name], type) for name, type in types.items()}
    connection.register("runs_table", pa.table({**table, **typed}))
    connection.execute("CREATE VIEW runs AS SELECT * REPLACE (CAST(config AS JSON) AS config) FROM runs_table")


def _requested(paper_ids: Iterable[str]) -> dict[str, tuple[dict[str, None], dict[str, None]]]:
    """What the experiments of these papers ask for -> which do, and at which scales."""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for paper in sorted(set(paper_ids) & set(papers())):
        for experiment in experiments(paper).values():
            for scale in SCALES:
                for config in experiment.runs(Scale(scale)).values():
                    who, at = found.setdefault(config.requested, ({}, {}))
                    who[experiment.id], at[scale] = None, None
    return found


def _asking(kind: str, version: int, config: dict[str, Any]) -> str:
    """A stored run as `RunConfig.asked` says it, whatever its replication."""
    body = {key: value for key, value in config.items() if key != "replication"}
    return f"{kind}@{version}:{json.dumps(body, sort_keys=True, separators=(',', ':'))}"


def _metrics_view(connection: "DuckDBPyConnection", store: Store, name: str, records: list[dict[str, Any]]) -> None:
    files = [str(store.folder(record["digest"]) / METRICS) for record in records if record["rows"]]
    if not files:
        return
    rows = connection.read_parquet(files, union_by_name=True, filename=True)
    rows.project("parse_path(filename)[-2] AS run, * EXCLUDE (filename)").create_view(name)  # which quotes the name
