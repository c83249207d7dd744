"""A paper's errata as Markdown, as LaTeX that its authors can paste, or as data: one entry a slip, the gravest first,
what follows from it beneath."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, get_args

from lemmata.core import Paper
from lemmata.core.claim import Correction, Severity
from lemmata.record import Record, correction_json
from lemmata.report.tex import pieces
from lemmata.report.tex_diff import marked
from lemmata.report.tex_signs import COMMANDS

DETAILS = {"reason": "why", "root": "follows from", "survives": "what survives", "source": "read from"}
GRAVEST_FIRST = tuple(reversed(get_args(Severity)))
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "#$%&_{}"
}
COLOURED = re.compile(r"\\textcolor\{(\w+)\}\{([^{}]*)\}")
PREAMBLE = r"""% Made by `lemmata errata --format tex`; compile with pdflatex.
\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,xcolor}
\usepackage[margin=25mm]{geometry}
\definecolor{misprint}{HTML}{B3261E}
\definecolor{mended}{HTML}{1B5EB5}
\setlength{\emergencystretch}{3em}"""
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
    """A document that compiles, for the authors: texts are escaped, a replacement in LaTeX stands as it is, and what a
    printed form and the right one do not share is coloured."""
    body = [f"\\section*{{Errata of: {_tex(paper.title)}}}"]
    for slip, following in slips(records):
        body += ["", *_entry(slip, slip.correction)]
        for one in following:
            body += [r"\begin{quote}", r"Follows from it.", *_entry(one, one.correction), r"\end{quote}"]
    if len(body) == 1:
        body += ["No printed formula of this paper was found wrong."]
    strange = sorted({sign for line in body for sign in line if not sign.isascii()})
    signs = [f"\\DeclareUnicodeCharacter{{{ord(one):04X}}}{{{_command(one)}}}" for one in strange]
    return "\n".join([PREAMBLE, *signs, r"\begin{document}", *body, r"\end{document}"]) + "\n"


def _command(sign: str) -> str:
    """What stands for a sign that LaTeX's fonts lack."""
    name = COMMANDS.get(sign) or COMMANDS.get(plain := unicodedata.normalize("NFKD", sign)) or plain
    return f"\\ensuremath{{{f'^{name}' if '<super>' in unicodedata.decomposition(sign) else name}}}"


def _entry(record: Record, correction: Correction | None) -> list[str]:
    assert correction, "a slip has both forms"
    printed, right = marked(correction.printed, correction.corrected)
    lines = [f"\\paragraph{{{_tex(record.locus)}}} {_tex(record.statement)}", r"\begin{description}"]
    lines += [f"  \\item[printed] {_tex(printed)}", f"  \\item[right] {_tex(right)}"]
    pasted = correction.latex if "$" in correction.latex or "\\begin" in correction.latex else f"${correction.latex}$"
    lines += [f"  \\item[replacement] {pasted}"] if correction.latex else []
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
    """Words for LaTeX; colours that mark a difference stay commands."""
    between = COLOURED.split(text)  # words, a colour, what it marks, words, ...
    words = ["".join(SPECIAL.get(sign, sign) for sign in one) for one in between]
    return words[0] + "".join(
        f"\\textcolor{{{colour}}}{{{said}}}{rest}"
        for colour, said, rest in zip(words[1::3], words[2::3], words[3::3], strict=True)
    )
