"""Rewrites the generated tables of the documentation from stored verdicts.

Run after `make reproduce`:  .venv/bin/python docs/write_tables.py
Text outside the markers is written by hand and stays.
"""

import json
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from lemmata.core import papers

DOCS = Path(__file__).parent
STATUSES = ("holds", "erratum", "undecided", "fails")


def replace(path: Path, name: str, body: str) -> None:
    """Put `body` between the markers called `name`."""
    start, end = f"<!-- {name}: generated -->", f"<!-- {name}: end -->"
    text = path.read_text()
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    if not rest or not after:
        sys.exit(f"{path}: markers of {name!r} not found")
    path.write_text(f"{before}{start}\n{body}\n{end}{after}")


def cell(text: Any) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def source_files(paper: str) -> dict[str, str]:
    """Experiment id -> the file that defines it."""
    known = papers()[paper]
    return {
        experiment.id: f"papers/{known.package.rsplit('.', 1)[1]}/{name}.py"
        for name in known.modules
        for experiment in import_module(f"{known.package}.{name}").EXPERIMENTS
    }


def claims_table(rows: list[dict[str, Any]], files: dict[str, str]) -> str:
    lines = ["| claim | in the paper | file | verdict | margin | command | cost |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        margin = f"{row['margin']:.2g}" if isinstance(row["margin"], float | int) else "-"
        cost = f"{row['seconds']:.1f} s" if row["seconds"] is not None else "-"
        cells = (
            f"`{row['id']}`",
            cell(row["locus"]),
            f"`{files[row['experiment']]}`",
            row["status"] or "-",
            margin,
            f"`lemmata check {row['id']}`",
            cost,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def errata_section(rows: list[dict[str, Any]]) -> str:
    parts = []
    for row in rows:
        if row.get("printed_formula"):
            parts.append(
                f"### `{row['id']}` ({row['locus']})\n\n"
                f"{row['statement']}\n\n"
                f"- printed: `{row['printed_formula']}`\n"
                f"- right: `{row['corrected_formula']}`\n"
                f"- why: {row['reason'] or '-'}\n"
                f"- verdict at laptop scale: **{row['status'] or 'not judged'}**\n"
            )
    return "\n".join(parts)


def papers_table(rows_of: dict[str, list[dict[str, Any]]], cost: dict[str, float]) -> str:
    lines = ["| paper | command | computing, one core | verdicts |", "|---|---|---|---|"]
    for paper, rows in rows_of.items():
        counts = Counter(row["status"] or "not judged" for row in rows)
        verdicts = ", ".join(f"{counts[status]} {status}" for status in (*STATUSES, "not judged") if counts[status])
        seconds = sum(cost.get(run, 0.0) for run in {run for row in rows for run in row["runs"]})
        lines.append(
            f"| [`{paper}`](docs/{paper}.md): {papers()[paper].title} | `lemmata reproduce {paper}` "
            f"| {seconds / 60:.1f} min | {len(rows)} claims: {verdicts} |"
        )
    return "\n".join(lines)


def lemmata_json(*words: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "lemmata", *words, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    rows_of = {}
    for paper in papers():
        rows = lemmata_json("list", paper)
        rows_of[paper] = rows
        replace(DOCS / f"{paper}.md", "claims", claims_table(rows, source_files(paper)))
        replace(DOCS / "errata.md", paper, errata_section(rows))
    cost = {record["digest"]: record["seconds"] for record in lemmata_json("runs", "list")}
    replace(DOCS.parent / "README.md", "papers", papers_table(rows_of, cost))


if __name__ == "__main__":
    main()
