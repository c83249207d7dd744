"""A claim on the page: what it says, its rule, and prediction beside measurement. Notebooks and the live page too."""

import re
from collections.abc import Sequence

from lemmata.core.claim import Correction
from lemmata.record import Record
from lemmata.report.errata import details
from lemmata.report.evidence_rows import NEAREST, left_over, lines, nothing_kept
from lemmata.report.markup import Html, code_or_tex, element, inline, join, link, prose, table
from lemmata.report.statuses import look, protocol_word, protocol_words
from lemmata.report.tex import formula, pieces
from lemmata.report.tex_diff import marked
from lemmata.report.values import margin, rule, verdict_word

ON_PAGE = 12  # elements of a part
MARK = "\ue010%s\ue011%s\ue012"  # signs that no text has
MARKED = re.compile("\ue010(\\w+)\ue011(.*?)\ue012", re.DOTALL)
INKS = {"misprint": "#c2410c", "mended": "#2563c9"}  # on light and dark alike


def chip(status: str, text: str | None = None) -> Html:
    """A verdict as a coloured label; the mark says it without colour."""
    return element(
        "span",
        element("span", look(status).mark, aria_hidden="true", class_="mark"),
        " ",
        status if text is None else text,
        class_=f"chip {status}",
    )


def verdict_chip(record: Record) -> Html:
    status = record.status or "not judged"
    word = verdict_word(record) or status
    return chip(status, f"{word} (reference)" if record.reference and record.status else word)


def control_note(status: str | None, *, short: bool = False) -> Html:
    """The control's verdict: it is as it should be when the check fails on the wrong subject."""
    if status == "fails":
        return element("span", "fails" if short else "fails, as it must", title="as it must", class_="control good")
    return element("span", status or "–", class_="control bad" if status == "holds" else "control")


def claim_block(record: Record, *, anchored: bool = True) -> Html:
    """Everything that is known of one claim; `anchored`: links to the claim lead here."""
    return element(
        "article",
        element(
            "header",
            element("h4", link(f"#{record.id}", record.id, class_="id")),
            verdict_chip(record),
            *badges(record),
            element("span", record.locus, class_="locus"),
        ),
        prose(record.statement, "statement"),
        formulas(record.correction),
        evidence_table(record, ON_PAGE),
        facts_list(claim_facts(record)),
        element("div", element("strong", "Remark. "), prose(record.remark), class_="remark") if record.remark else "",
        id=record.id if anchored else None,
        class_=f"claim {record.status}",
    )


def claim_facts(record: Record) -> list[tuple[str, str]]:
    """What stands beneath the numbers of a claim, each with its name; empty where there is nothing to say."""
    several = "" not in record.parts and record.evidence
    how_far = ("Proved on", record.proved) if record.proved else ("Margin", margin(record.margin))
    return [
        ("Rule", "each part under its own rule" if several else rule(record.rule)),
        how_far,
        ("Resolution", inline(record.resolution)),
        ("Bounds judged", inline(record.bounds)),
        ("Control", control_note(record.control_status) if record.control_status else ""),
        ("Protocol", inline(protocol_words(record))),
        ("Detail", inline(record.detail)),
        *((name.capitalize(), inline(text)) for name, text in (record.provenance.facts() if record.provenance else ())),
    ]


def facts_list(facts: Sequence[tuple[str, str]]) -> Html:
    return element(
        "dl", *(join((element("dt", name), element("dd", value))) for name, value in facts if value), class_="facts"
    )


def badges(record: Record) -> list[Html]:
    """Whose settings, how old the rule is and what fresh randomness says, as labels beside the verdict."""
    words = (protocol_word(record), *(record.provenance.words() if record.provenance else ()))
    return [element("span", word, class_="badge") for word in words if word]


def formulas(correction: Correction | None) -> Html:
    """The printed formula and the right one, where the claim knows both."""
    if correction is None:
        return Html("")
    texts = marked(correction.printed, correction.corrected, MARK)
    if "`" in "".join(texts):  # code has no colours
        texts = correction.printed, correction.corrected
    pairs = (
        join((element("dt", name), element("dd", _with_marks(text), class_=name.lower())))
        for name, text in zip(("Printed", "Corrected"), texts, strict=True)
    )
    facts = (prose(f"{word.capitalize()}: {text}", "reason") for word, text in details(correction))
    return element("div", element("dl", *pairs), *facts, class_="formulas")


def _with_marks(text: str) -> Html:
    """A form of a formula, what the other does not have in its colour: in its source, in its Unicode, in its words."""
    if "$" not in text or not MARKED.search(text):
        return code_or_tex(MARKED.sub(r"\2", text))
    found: list[str] = []
    for kind, piece in pieces(text):
        plain = MARKED.sub(r"\2", piece)
        if kind == "tex":
            source = MARKED.sub(lambda one: f"\\textcolor{{{INKS[one[1]]}}}{{{one[2]}}}", piece)
            found.append(element("span", formula(plain), class_="tex", data_tex=source))
            continue
        words = MARKED.split(piece)  # words, a colour, what it marks, words, ...
        found.append(words[0])
        for colour, said, rest in zip(words[1::3], words[2::3], words[3::3], strict=True):
            found += [element("mark", said, class_=colour), rest]
    return join(found)


def evidence_table(record: Record, nearest: int = NEAREST) -> Html:
    """Predicted beside measured, a line a number; of several parts their rules and controls."""
    found = list(lines(record, nearest))
    if not found:
        return Html("") if record.detail else element("p", inline(nothing_kept(record)), class_="muted")
    several = any(line.part for line in found)
    heads = ("what", "predicted", "measured", "margin", "verdict", *(("rule", "on the control") if several else ()))
    rows = []
    for line in found:
        texts = (line.predicted, line.measured, line.margin, f"{look(line.status).mark} {line.status}")
        cells = [element("td", text) for text in texts]
        if several:
            cells.append(element("td", line.rule if line.first else "", class_="rule"))
            bad = "bad" if line.on_control == "holds" and line.carries else ""
            tone = "good" if line.on_control == "fails" else bad
            shown = element("span", line.control, class_=f"control {tone}") if line.first else ""
            cells.append(element("td", shown))
        rows.append(element("tr", element("th", line.label or "the measurement", scope="row"), *cells))
    shown = table(heads, rows, "evidence", "Predicted beside measured")
    more = left_over(record, nearest)
    note = element("p", inline(more), class_="muted") if more else ""
    return element("div", shown, note, class_="scroll", tabindex="0")
