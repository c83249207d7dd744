"""SQL over everything stored. Views: `metrics` (all rows of all runs), `runs` (one row a run), and one view a kind."""

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lemmata.core import UserError
from lemmata.run.store import METRICS, DamagedRun, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def query(store: Store, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and rows that `sql` selects."""
    import duckdb  # loaded here because no other command needs it

    records = []
    for digest in store.digests():
        try:
            records.append(store.record(digest))
        except DamagedRun:
            continue
    if not records:
        raise UserError(f"store {str(store.root)!r} holds no runs yet: `lemmata reproduce` makes some")
    with duckdb.connect() as connection:
        connection.register("runs", _runs_table(records))
        _metrics_view(connection, store, "metrics", records)
        for kind in sorted({record["kind"] for record in records}):
            _metrics_view(connection, store, kind, [record for record in records if record["kind"] == kind])
        try:
            cursor = connection.execute(sql)
            return [column[0] for column in cursor.description or ()], cursor.fetchall()
        except duckdb.Error as error:
            raise UserError(f"query: {str(error).splitlines()[0]}") from None


def _runs_table(records: list[dict[str, Any]]) -> pa.Table:
    columns = ("digest", "kind", "version", "rows", "seconds", "device")
    table = {name: [record[name] for record in records] for name in columns}
    return pa.table({"run": table.pop("digest"), **table, "config": [json.dumps(r["config"]) for r in records]})


def _metrics_view(connection: "DuckDBPyConnection", store: Store, name: str, records: list[dict[str, Any]]) -> None:
    files = [str(store.folder(record["digest"]) / METRICS) for record in records if record["rows"]]
    if not files:
        return
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    connection.execute(
        f'CREATE VIEW "{name}" AS SELECT parse_path(filename)[-2] AS run, * EXCLUDE (filename) '
        f"FROM read_parquet([{listed}], union_by_name = true, filename = true)"
    )
