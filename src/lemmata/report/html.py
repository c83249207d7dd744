"""Claims and verdicts as small tables for notebooks: no style sheet, nothing that leaks into the page around them."""

from collections.abc import Sequence

from lemmata.record import Record
from lemmata.report.evidence import evidence_table
from lemmata.report.markup import Html, element, inline, join, table
from lemmata.report.statuses import look, protocol_word
from lemmata.report.values import margin_or_proof, rule, shorten, verdict_word

LEFT = "text-align:left"


def claims_html(records: Sequence[Record]) -> str:
    rows = [
        element(
            "tr",
            element("td", element("code", one.id)),
            element("td", one.locus),
            element("td", inline(shorten(one.statement, 200)), style=LEFT),
            element("td", rule(one.rule), style=LEFT),
        )
        for one in records
    ]
    return table(("claim", "in the paper", "what it says", "rule"), rows)


def verdicts_html(records: Sequence[Record], head: Sequence[str] = ()) -> str:
    """One line a claim; of a single claim, its evidence too. `head`: what was changed."""
    rows = [
        element(
            "tr",
            element("td", _status(one)),
            element("td", element("code", one.id)),
            element("td", margin_or_proof(one)),
            element("td", one.control_status or "–"),
            element("td", protocol_word(one)),
            element("td", inline(shorten(one.detail or one.statement, 160)), style=LEFT),
        )
        for one in records
    ]
    heads = ("verdict", "claim", "margin", "control", "protocol", "")
    shown = join(element("p", line) for line in head) + table(heads, rows)
    return shown + evidence_table(records[0]) if len(records) == 1 and records[0].is_judged else shown


def _status(record: Record) -> Html:
    shown = look(record.status)
    return element("span", f"{shown.mark} {verdict_word(record)}", style=f"color:{shown.light[0]};font-weight:600")
