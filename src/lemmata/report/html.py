"""Claims and verdicts as small tables for notebooks: no style sheet, nothing that leaks into the page around them."""

from collections.abc import Sequence

from lemmata.core import Claim
from lemmata.core.claim import Judgement
from lemmata.record import NOT_RUN, NotRun
from lemmata.report.evidence import evidence_table
from lemmata.report.markup import Html, element, inline, join
from lemmata.report.values import MARKS, margin, rule, shorten, verdict_word

COLOURS = {"holds": "#0a7d33", "erratum": "#9a5b00", "undecided": "#5b6470", "fails": "#b3261e", NOT_RUN: "#5b6470"}


def claims_html(claims: Sequence[Claim]) -> str:
    rows = [
        element(
            "tr",
            element("td", element("code", claim.id)),
            element("td", claim.locus),
            element("td", inline(shorten(claim.statement, 200)), style="text-align:left"),
            element("td", rule(claim.rule), style="text-align:left"),
        )
        for claim in claims
    ]
    return _table(("claim", "in the paper", "what it says", "rule"), rows)


def verdicts_html(judgements: Sequence[Judgement], not_run: Sequence[NotRun] = (), head: Sequence[str] = ()) -> str:
    """One line a claim, or an experiment that was not run; of a single claim, its evidence too. `head`: what was
    changed."""
    rows = [
        element(
            "tr",
            element("td", _status(one.status, one.proved)),
            element("td", element("code", one.claim.id)),
            element("td", margin(one.margin)),
            element("td", one.control_status),
            element("td", inline(shorten(one.detail or one.claim.statement, 160)), style="text-align:left"),
        )
        for one in judgements
    ]
    rows += [
        element(
            "tr",
            element("td", _status(NOT_RUN)),
            element("td", element("code", one.experiment.id)),
            element("td", "–"),
            element("td", "–"),
            element("td", inline(one.reason), style="text-align:left"),
        )
        for one in not_run
    ]
    table = join(element("p", line) for line in head) + _table(("verdict", "claim", "margin", "control", ""), rows)
    return table + evidence_table(judgements[0]) if len(judgements) == 1 else table


def _status(status: str, proved: str = "") -> Html:
    return element(
        "span", f"{MARKS[status]} {verdict_word(status, proved)}", style=f"color:{COLOURS[status]};font-weight:600"
    )


def _table(heads: Sequence[str], rows: Sequence[Html]) -> Html:
    return element(
        "table", element("thead", element("tr", *(element("th", head) for head in heads))), element("tbody", *rows)
    )
