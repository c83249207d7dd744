"""A paper's errata as Markdown, as LaTeX that its authors can paste, or as data: one entry a slip, the gravest first,
what follows from it beneath."""

from collections.abc import Sequence
from typing import Any, get_args

from lemmata.core import Paper
from lemmata.core.claim import Correction, Severity
from lemmata.record import Record, correction_json
from lemmata.report.tex import pieces

DETAILS = {"reason": "why", "root": "follows from", "survives": "what survives", "source": "read from"}
GRAVEST_FIRST = tuple(reversed(get_args(Severity)))
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "#$%&_{}"
}
Slip = tuple[Record, list[Record]]  # with the errata that follow from it


def details(correction: Correction) -> list[tuple[str, str]]:
    """What is known of a slip besides its two forms, each with its name."""
    said = [("severity", correction.severity), *((word, getattr(correction, name)) for name, word in DETAILS.items())]
    return [(word, text) for word, text in said if text]


def by_severity(records: Sequence[Record]) -> list[Record]:
    """The gravest first."""
    places = {severity: i for i, severity in enumerate(GRAVEST_FIRST)}
    return sorted(records, key=lambda one: places.get(one.correction.severity if one.correction else "", len(places)))


def slips(records: Sequence[Record]) -> list[Slip]:
    """Printed formulas that are wrong (or not judged yet): each slip, and the errata that follow from it."""
    found = by_severity([one for one in records if one.status in (None, "erratum") and one.correction])
    ids = {one.id for one in found}
    roots = {one.id: _root(one) for one in found}
    return [
        (one, [other for other in found if roots[other.id] == one.id and other is not one])
        for one in found
        if roots[one.id] == one.id or roots[one.id] not in ids
    ]


def _root(record: Record) -> str:
    name = record.correction.root if record.correction else ""
    return f"{record.id.split('/')[0]}/{name}" if name else record.id


def errata_markdown(records: Sequence[Record]) -> str:
    entries = []
    for slip, following in slips(records):
        for hashes, one in (("###", slip), *(("#### Follows:", one) for one in following)):
            entries.append(f"{hashes} `{one.id}` ({one.locus})\n\n{one.statement}\n\n{formulas(one.correction)}")
    return "\n\n".join(entries) or "None."


def formulas(correction: Correction | None) -> str:
    """Printed and right form, and what is known of the slip, as a Markdown list."""
    if correction is None:
        return ""
    lines = [f"- printed: {_formula(correction.printed)}", f"- right: {_formula(correction.corrected)}"]
    lines += [f"- {word}: {text}" for word, text in details(correction)]
    lines += [f"- in LaTeX: `{correction.latex}`"] if correction.latex else []
    return "\n".join(lines)


def _formula(text: str) -> str:
    """Mathematics between dollars as it stands, else as code."""
    return text if "$" in text else f"`{text}`"


def errata_latex(paper: Paper, records: Sequence[Record]) -> str:
    """A section for the authors: texts are escaped, a replacement in LaTeX stands as it is."""
    lines = [
        "% Made by `lemmata errata --format tex`. Words may hold Greek letters: compile with lualatex or xelatex.",
        f"\\section*{{Errata of: {_tex(paper.title)}}}",
    ]
    for slip, following in slips(records):
        lines += ["", *_entry(slip, slip.correction)]
        for one in following:
            lines += [r"\begin{quote}", r"Follows from it.", *_entry(one, one.correction), r"\end{quote}"]
    return "\n".join(lines) + "\n"


def _entry(record: Record, correction: Correction | None) -> list[str]:
    assert correction, "a slip has both forms"
    lines = [f"\\paragraph{{{_tex(record.locus)}}} {_tex(record.statement)}", r"\begin{description}"]
    lines += [f"  \\item[printed] {_tex(correction.printed)}", f"  \\item[right] {_tex(correction.corrected)}"]
    lines += [f"  \\item[replacement] {correction.latex}"] if correction.latex else []
    lines += [f"  \\item[{word}] {_tex(text)}" for word, text in details(correction)]
    return [*lines, f"  \\item[check] \\texttt{{lemmata check {_tex(record.id)}}}", r"\end{description}"]


def errata_json(records: Sequence[Record]) -> list[dict[str, Any]]:
    """As plain data: what is known of each slip, with what follows from it."""
    return [_facts(slip) | {"follows": [_facts(one) for one in rest]} for slip, rest in slips(records)]


def _facts(record: Record) -> dict[str, Any]:
    about = {"id": record.id, "locus": record.locus, "statement": record.statement, "status": record.status}
    return about | {"protocol": record.protocol} | correction_json(record.correction)


def _tex(text: Any) -> str:
    """Words escaped, formulas as they stand."""
    kinds = {"tex": "${}$".format, "code": lambda piece: f"`{_escaped(piece)}`", "text": _escaped}
    return "".join(kinds[kind](piece) for kind, piece in pieces(str(text)))


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(sign, sign) for sign in text)
