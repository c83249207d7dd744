"""A paper's errata as Markdown, as LaTeX that its authors can paste, or as data: one entry a slip, what follows from it
beneath."""

from collections.abc import Mapping, Sequence
from typing import Any

from lemmata.core import Paper
from lemmata.report.tex import pieces

Row = Mapping[str, Any]
DETAILS = {"reason": "why", "root": "follows from", "survives": "what survives", "source": "read from"}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "#$%&_{}"
}


def slips(rows: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    """Printed formulas that are wrong (or not judged yet): each slip, and the errata that follow from it."""
    found = [row for row in rows if row.get("status") in (None, "erratum") and "printed_formula" in row]
    ids = {row["id"] for row in found}
    root = {row["id"]: f"{row['id'].split('/')[0]}/{row['root']}" if row.get("root") else row["id"] for row in found}
    return [
        (row, [other for other in found if root[other["id"]] == row["id"] and other is not row])
        for row in found
        if root[row["id"]] == row["id"] or root[row["id"]] not in ids
    ]


def errata_markdown(rows: Sequence[Row]) -> str:
    entries = []
    for slip, following in slips(rows):
        entries.append(f"### {_heading(slip)}\n\n{slip['statement']}\n\n{formulas(slip)}")
        entries += [f"#### Follows: {_heading(row)}\n\n{row['statement']}\n\n{formulas(row)}" for row in following]
    return "\n\n".join(entries) or "None."


def formulas(row: Row) -> str:
    """Printed and right form, and what is known of the slip, as a Markdown list."""
    lines = [f"- printed: {_formula(row['printed_formula'])}", f"- right: {_formula(row['corrected_formula'])}"]
    lines += [f"- {word}: {row[key]}" for key, word in DETAILS.items() if row.get(key)]
    lines += [f"- in LaTeX: `{row['latex']}`"] if row.get("latex") else []
    return "\n".join(lines)


def _formula(text: str) -> str:
    """Mathematics between dollars as it stands, else as code."""
    return text if "$" in text else f"`{text}`"


def errata_latex(paper: Paper, rows: Sequence[Row]) -> str:
    """A section for the authors: texts are escaped, a replacement in LaTeX stands as it is."""
    lines = [
        "% Made by `lemmata errata --format tex`. Words may hold Greek letters: compile with lualatex or xelatex.",
        f"\\section*{{Errata of: {_tex(paper.title)}}}",
    ]
    for slip, following in slips(rows):
        lines += ["", *_entry(slip)]
        for row in following:
            lines += [r"\begin{quote}", r"Follows from it.", *_entry(row), r"\end{quote}"]
    return "\n".join(lines) + "\n"


def _entry(row: Row) -> list[str]:
    lines = [f"\\paragraph{{{_tex(row['locus'])}}} {_tex(row['statement'])}", r"\begin{description}"]
    lines.append(f"  \\item[printed] {_tex(row['printed_formula'])}")
    lines.append(f"  \\item[right] {_tex(row['corrected_formula'])}")
    lines += [f"  \\item[replacement] {row['latex']}"] if row.get("latex") else []
    lines += [f"  \\item[{word}] {_tex(row[key])}" for key, word in DETAILS.items() if row.get(key)]
    return [*lines, f"  \\item[check] \\texttt{{lemmata check {_tex(row['id'])}}}", r"\end{description}"]


def errata_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """As plain data: what is known of each slip, with the ids of what follows from it."""
    keys = ("id", "locus", "statement", "status", "printed_formula", "corrected_formula", "latex", *DETAILS)
    return [
        {key: slip.get(key, "") for key in keys}
        | {"follows": [{key: row.get(key, "") for key in keys} for row in rest]}
        for slip, rest in slips(rows)
    ]


def _heading(row: Row) -> str:
    return f"`{row['id']}` ({row['locus']})"


def _tex(text: Any) -> str:
    """Words escaped, formulas as they stand."""
    kinds = {"tex": "${}$".format, "code": lambda piece: f"`{_escaped(piece)}`", "text": _escaped}
    return "".join(kinds[kind](piece) for kind, piece in pieces(str(text)))


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(sign, sign) for sign in text)
