"""The page's overviews: every claim's verdict in one table, and what could not be run."""

from collections.abc import Sequence
from itertools import groupby

from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, NotRun, Record
from lemmata.report.evidence import badges, chip, control_note, verdict_chip
from lemmata.report.markup import Html, element, inline, link, table
from lemmata.report.page_entry import Entry
from lemmata.report.statuses import EXACTLY, LOOKS, STATUSES, failing_words, totals
from lemmata.report.values import duration, margin_or_proof, shorten

HEADS = ("verdict", "claim", "in the paper", "margin", "control", "runs’ cost")
WHAT_A_CLAIM_IS = (
    "Each claim of a theory paper is a program here. It computes what the theory predicts, measures the same quantity "
    "on a real run, and compares the two under a rule written down beforehand. Every claim also has a control, a "
    "deliberately wrong subject on which the same check must fail."
)
HOW_TO_READ = (
    "The margin is how far inside (+) or outside (−) its rule a measurement is, in units of the rule’s own tolerance "
    "or bound. The cost is that of the runs behind the claim, which claims of one experiment share. A verdict is exact "
    "where setting, metric and size are the paper’s; only an exact failure is said of the paper."
)


def verdict_section(entries: Sequence[Entry]) -> Html:
    records = [record for entry in entries for record in entry.records]
    titles = {entry.result.paper.id: entry.result.paper.title for entry in entries}
    rows = []
    for paper, mine in groupby(records, key=lambda one: one.paper):
        rows.append(
            element("tr", element("th", titles.get(paper, paper), colspan="6", scope="rowgroup"), class_="group")
        )
        rows += [_verdict_row(one) for one in mine]
    legend = (element("li", chip(status), " ", element("span", LOOKS[status].meaning)) for status in STATUSES)
    return _fold(
        "Verdicts",
        len(records),
        element("p", WHAT_A_CLAIM_IS, class_="lead"),
        element("ul", *legend, class_="legend"),
        totals_table(records),
        element("p", HOW_TO_READ, class_="muted"),
        verdict_filter(),
        element("div", table(HEADS, rows, "verdicts"), class_="scroll"),
        id="verdicts",
    )


def verdict_filter() -> Html:
    """Which rows of a page are shown; its style sheet does the rest."""
    choices = (
        element(
            "label",
            element("input", type="radio", name="show", id=f"show-{choice}", checked=choice == "all"),
            element("span", choice),
        )
        for choice in ("all", *STATUSES)
    )
    return element("fieldset", element("legend", "Show"), *choices, class_="filter")


def totals_table(records: Sequence[Record]) -> Html:
    """Verdicts by protocol."""
    heads = ("verdict", EXACTLY, "under settings of ours", "all")
    rows = (
        element(
            "tr",
            element("th", chip(one.status), scope="row"),
            *(element("td", str(count), class_="number") for count in (one.exact, one.count - one.exact, one.count)),
        )
        for one in totals(records)
    )
    return element("div", table(heads, rows, "totals"), element("p", failing_words(records)), class_="scroll")


def _fold(title: str, count: int, *body: str, id: str) -> Html:
    """A section that opens when it is asked for."""
    head = element("summary", element("h2", title), element("span", pluralize(count, "claim"), class_="muted"))
    return element("details", head, *body, id=id, class_="fold")


def _verdict_row(record: Record) -> Html:
    gist = element("span", inline(shorten(record.statement)), class_="gist")
    return element(
        "tr",
        element("td", verdict_chip(record), *badges(record), class_="verdict"),
        element("td", link(f"#{record.id}", record.id, class_="id"), gist, class_="what"),
        element("td", record.locus, class_="where"),
        element("td", margin_or_proof(record), class_="number", data_label="margin"),
        element("td", control_note(record.control_status, short=True), data_label="control"),
        element("td", duration(record.seconds), class_="number", data_label="cost"),
        class_=f"row {record.status}",
    )


def not_run_section(not_run: Sequence[NotRun]) -> Html:
    """What cannot be run on the machine that wrote the page, and what would help."""
    if not not_run:
        return Html("")
    note = (
        "Counted apart: what these claims need was not on this machine. Where the package keeps a verdict of another "
        "machine, `lemmata show` has it."
    )
    experiments = []
    for one in not_run:
        title = element("h4", one.experiment.title, " ", element("span", one.experiment.id, class_="id"))
        claims = (
            element("li", element("span", record.id, class_="id"), f" ({record.locus})") for record in one.records()
        )
        head, why = element("header", title, chip(NOT_RUN)), element("p", inline(one.reason))
        experiments.append(element("article", head, why, element("ul", *claims), class_="claim"))
    count = sum(len(one.selection.claims) for one in not_run)
    return _fold("Not run", count, element("p", inline(note), class_="muted"), *experiments, id="not-run")
