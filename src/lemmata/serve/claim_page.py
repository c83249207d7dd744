"""Read: all that is known of a claim, and of an experiment with its figure."""

from collections.abc import Sequence
from functools import cache

from lemmata.core.registry import Selection, file_of, papers
from lemmata.record import Record, baselines, ledger
from lemmata.report.cite import bibtex
from lemmata.report.evidence import badges, chip, claim_facts, evidence_table, facts_list, formulas, verdict_chip
from lemmata.report.markup import Html, element, inline, join, link, prose
from lemmata.report.statuses import verdict_sentence
from lemmata.report.values import duration
from lemmata.serve.graph import edges
from lemmata.serve.layout import claim_item, claim_path, experiment_path, layout

HOVER = ("hover.js",)


def claim_page(base: str, record: Record, *, is_drawn: bool) -> str:
    """`is_drawn`: whether its runs are stored here, so that its figure can be drawn."""
    paper = papers()[record.paper]
    about = [
        ("Cost", duration(record.seconds) if record.seconds else ""),
        ("Command", element("code", record.command, class_="command")),
        ("File", element("code", f"{record.file}:{line_of(record.experiment, record.name)}")),
    ]
    body = [
        element("h1", record.id, " ", verdict_chip(record), *badges(record)),
        element(
            "p", f"{record.locus} · ", link(experiment_path(base, record.experiment), record.title), class_="locus"
        ),
        prose(record.statement, "statement"),
        element("p", inline(verdict_sentence(record)), class_="verdict"),
        figure(base, record.experiment, record.scale, record.title, is_drawn=is_drawn),
        erratum(record),
        element("h2", "Evidence"),
        evidence_table(record),
        facts_list([*claim_facts(record), *about]),
        element("section", element("h2", "Remark"), prose(record.remark)) if record.remark else "",
        element("h2", "History"),
        history(record),
        rests(base, record),
        element("h2", "Cite"),
        element(
            "button", "Copy the link", type="button", class_="copy", data_text=f"lemmata serve 'claim/{record.id}'"
        ),
        element("button", "Copy BibTeX", type="button", class_="copy", data_text=bibtex(record, paper)),
        element("details", element("summary", "BibTeX"), element("pre", bibtex(record, paper))),
    ]
    return layout(base, record.id, *body, scripts=HOVER)


def rests(base: str, record: Record) -> Html:
    """On which claims it rests, and which rest on it; nothing where neither is known."""
    uses = edges(record.paper)
    both = {"It rests on": uses[record.id], "On it rest": [id for id, on in uses.items() if record.id in on]}
    lists = [(name, join((link(claim_path(base, id), id) for id in ids), ", ")) for name, ids in both.items() if ids]
    whole = link(f"{base}graph/{record.paper}#{record.id}", "the paper's graph")
    return (
        element("section", element("h2", "What rests on what"), facts_list([*lists, ("All", whole)]))
        if lists
        else Html("")
    )


def experiment_page(base: str, selection: Selection, records: Sequence[Record], scale: str, *, is_drawn: bool) -> str:
    one = selection.experiment
    body = [
        element("h1", one.title, " ", element("span", one.id, class_="id")),
        figure(base, one.id, scale, one.title, is_drawn=is_drawn),
        prose(one.notes, "notes"),
        element("h2", "Claims"),
        element("ul", *(claim_item(base, one) for one in records), class_="claims"),
    ]
    return layout(base, one.id, *body, scripts=HOVER)


def figure(base: str, experiment: str, scale: str, title: str, *, is_drawn: bool) -> Html:
    """The drawing with its files; where nothing is stored a sentence says so."""
    source = f"{base}figure/{experiment}"
    ways = [link(f"{base}change/{experiment}?scale={scale}", "change its assumptions")]
    if not is_drawn:
        return element("p", "Its runs are not stored here: no figure yet. ", *ways, class_="muted")
    files = [link(f"{source}.{kind}?scale={scale}", kind.upper()) for kind in ("csv", "svg", "png", "pdf")]
    ways.append(link(f"{base}play/{experiment}?scale={scale}", "play it back"))
    words = f"The figure of {experiment}: {title}. Its numbers are in the CSV."
    image = element("img", src=f"{source}.png?scale={scale}", alt=words)
    shown = element("div", image, class_="hover", data_points=f"{source}.points?scale={scale}")
    return element("figure", shown, element("figcaption", join([*files, *ways], " · ")))


def erratum(record: Record) -> Html:
    if record.correction is None:
        return Html("")
    typeset = element("div", record.correction.latex, class_="tex") if record.correction.latex else Html("")
    return element("section", element("h2", "Printed and corrected"), formulas(record.correction), typeset)


def history(record: Record) -> Html:
    """Verdicts by version and replication, then the ledger of its rule."""
    paper = papers()[record.paper]
    kept = baselines(paper, record.scale).get(record.id)
    found = [("this store", record.status)] if record.status and not record.reference else []
    found += [(f"lemmata {kept.version}, {kept.date}", kept.status)] if kept else []
    replications = record.provenance.replications if record.provenance else {}
    found += [(f"replication {number}", status) for number, status in replications.items()]
    verdicts = (
        element("li", chip(status), element("span", where, class_="muted")) for where, status in found if status
    )
    rule_lines = (
        element("li", f"{line.date[:10]}: {line.why} ", element("span", f"Seen by then: {line.seen}", class_="muted"))
        for line in ledger(paper)
        if line.claim == record.id
    )
    return join((element("ol", *verdicts, class_="strip"), element("h3", "Its rule"), element("ol", *rule_lines)))


@cache
def line_of(experiment: str, name: str) -> int:
    """The line of the experiment's file that names the claim; the first where none does."""
    text = file_of(experiment).read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(text, 1) if f'"{name}"' in line), 1)
