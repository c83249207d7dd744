"""The page's two overviews: every claim's verdict in one table, and the errata in one list."""

from collections.abc import Iterable, Sequence

from lemmata.core.claim import Judgement
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, NotRun
from lemmata.report.evidence import badges, chip, control_note, formulas
from lemmata.report.markup import Html, element, inline, link
from lemmata.report.page_entry import Entry
from lemmata.report.values import STATUSES, duration, margin, shorten, verdict_word

MEANINGS = {
    "holds": "the measurement agrees with what the paper predicts",
    "erratum": "the printed formula is wrong and a corrected one agrees",
    "undecided": "this scale cannot tell",
    "fails": "the measurement contradicts the prediction",
}


def verdict_section(entries: Sequence[Entry]) -> Html:
    rows: list[Html] = []
    paper_id = None
    for entry in entries:
        if entry.result.paper.id != paper_id:
            paper_id = entry.result.paper.id
            rows.append(
                element("tr", element("th", entry.result.paper.title, colspan="6", scope="rowgroup"), class_="group")
            )
        rows.extend(_verdict_row(entry, judgement) for judgement in entry.result.judgements)
    heads = ("verdict", "claim", "in the paper", "margin", "control", "runs’ cost")
    choices = ("all", *STATUSES)
    legend = (element("li", chip(status), " ", element("span", MEANINGS[status])) for status in STATUSES)
    count = sum(len(entry.result.judgements) for entry in entries)
    return element(
        "details",
        element("summary", element("h2", "Verdicts"), element("span", pluralize(count, "claim"), class_="muted")),
        element(
            "p",
            "Each claim of a theory paper is a program here: it computes what the theory predicts, measures the same "
            "quantity on a real run, and compares the two under a rule written down beforehand. Every claim also has "
            "a control, a deliberately wrong subject on which the same check must fail.",
            class_="lead",
        ),
        element("ul", *legend, class_="legend"),
        element(
            "p",
            "The margin is how far inside (+) or outside (−) its rule a measurement is, in units of the rule’s own "
            "tolerance or bound. The cost is that of the runs behind the claim, which claims of one experiment share. "
            "A control must fail.",
            class_="muted",
        ),
        element(
            "fieldset",
            element("legend", "Show"),
            *(
                element(
                    "label",
                    element("input", type="radio", name="show", id=f"show-{choice}", checked=choice == "all"),
                    element("span", choice),
                )
                for choice in choices
            ),
            class_="filter",
        ),
        element(
            "div",
            element(
                "table",
                element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
                element("tbody", *rows),
                class_="verdicts",
            ),
            class_="scroll",
        ),
        id="verdicts",
        class_="fold",
    )


def _verdict_row(entry: Entry, judgement: Judgement) -> Html:
    claim = judgement.claim
    return element(
        "tr",
        element(
            "td",
            chip(judgement.status, verdict_word(judgement.status, judgement.proved)),
            *badges(entry.provenances.get(claim.id)),
            class_="verdict",
        ),
        element(
            "td",
            link(f"#{claim.id}", claim.id, class_="id"),
            element("span", inline(shorten(claim.statement)), class_="gist"),
            class_="what",
        ),
        element("td", claim.locus, class_="where"),
        element("td", "proved" if judgement.proved else margin(judgement.margin), class_="number", data_label="margin"),
        element("td", control_note(judgement.control_status, short=True), data_label="control"),
        element("td", duration(entry.result.seconds), class_="number", data_label="cost"),
        class_=f"row {judgement.status}",
    )


def not_run_section(not_run: Sequence[NotRun]) -> Html:
    """What cannot be run on the machine that wrote the page, and what would help."""
    if not not_run:
        return Html("")
    count = sum(len(one.selection.claims) for one in not_run)
    return element(
        "details",
        element("summary", element("h2", "Not run"), element("span", pluralize(count, "claim"), class_="muted")),
        element(
            "p",
            "Counted apart: what these claims need was not on this machine. Where the package keeps a verdict of "
            "another machine, `lemmata show` has it.",
            class_="muted",
        ),
        *(
            element(
                "article",
                element(
                    "header",
                    element("h4", one.experiment.title, " ", element("span", one.experiment.id, class_="id")),
                    chip(NOT_RUN),
                ),
                element("p", inline(one.reason)),
                element(
                    "ul",
                    *(
                        element("li", element("span", claim.id, class_="id"), f" ({claim.locus})")
                        for claim in one.selection.claims
                    ),
                ),
                class_="claim",
            )
            for one in not_run
        ),
        id="not-run",
        class_="fold",
    )


def errata_section(entries: Iterable[Entry]) -> Html:
    found = [judgement for entry in entries for judgement in entry.result.judgements if judgement.status == "erratum"]
    if not found:
        return Html("")
    return element(
        "section",
        element("h2", "Errata"),
        element("p", "Printed formulas that fail their check where a corrected form holds.", class_="muted"),
        *(
            element(
                "article",
                element(
                    "header",
                    element("h4", link(f"#{judgement.claim.id}", judgement.claim.id, class_="id")),
                    element("span", judgement.claim.locus, class_="locus"),
                ),
                formulas(judgement),
                class_="claim erratum",
            )
            for judgement in found
        ),
        id="errata",
    )
