"""Read: all that is known of a claim, and of an experiment with its figure."""

from collections.abc import Sequence
from functools import cache

from lemmata.core.registry import Selection, file_of, papers
from lemmata.record import Record, baselines, ledger
from lemmata.report.evidence import claim_facts, evidence_table, facts_list, formulas, verdict_chip
from lemmata.report.markup import Html, element, inline, join, link, prose
from lemmata.report.values import duration
from lemmata.serve.layout import claim_item, experiment_path, layout

HOVER = ("hover.js",)


def claim_page(base: str, record: Record) -> str:
    about = [
        ("Remark", inline(record.remark)),
        ("Cost", duration(record.seconds)),
        ("Command", element("code", record.command, class_="command")),
        ("File", element("code", f"{record.file}:{line_of(record.experiment, record.name)}")),
    ]
    body = [
        element("h1", record.id, " ", verdict_chip(record)),
        element(
            "p", f"{record.locus} · ", link(experiment_path(base, record.experiment), record.title), class_="locus"
        ),
        prose(record.statement, "statement"),
        erratum(record),
        element("h2", "Evidence"),
        evidence_table(record),
        facts_list([*claim_facts(record), *about]),
        figure(base, record.experiment, record.scale, record.title),
        element("h2", "History"),
        history(record),
    ]
    return layout(base, record.id, *body, scripts=HOVER)


def experiment_page(base: str, selection: Selection, records: Sequence[Record], scale: str) -> str:
    one = selection.experiment
    body = [
        element("h1", one.title, " ", element("span", one.id, class_="id")),
        figure(base, one.id, scale, one.title),
        prose(one.notes, "notes"),
        element("h2", "Claims"),
        element("ul", *(claim_item(base, one) for one in records), class_="claims"),
    ]
    return layout(base, one.id, *body, scripts=HOVER)


def figure(base: str, experiment: str, scale: str, title: str) -> Html:
    """The drawing with its files; where nothing is stored the image's words say so."""
    source = f"{base}figure/{experiment}"
    files = [link(f"{source}.{kind}?scale={scale}", kind.upper()) for kind in ("csv", "svg", "png")]
    ways = [link(f"{base}change/{experiment}?scale={scale}", "change its assumptions")]
    ways.append(link(f"{base}play/{experiment}?scale={scale}", "play it back"))
    words = f"The figure of {experiment}: {title}. Its numbers are in the CSV."
    image = element("img", src=f"{source}.png?scale={scale}", alt=words, loading="lazy")
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
    verdicts = (element("li", element("span", f"{where}: ", class_="muted"), status or "") for where, status in found)
    rule_lines = (
        element("li", f"{line.date[:10]}: {line.why} ", element("span", f"Seen by then: {line.seen}", class_="muted"))
        for line in ledger(paper)
        if line.claim == record.id
    )
    return join((element("ul", *verdicts), element("h3", "Its rule"), element("ol", *rule_lines)))


@cache
def line_of(experiment: str, name: str) -> int:
    """The line of the experiment's file that names the claim; the first where none does."""
    text = file_of(experiment).read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(text, 1) if f'"{name}"' in line), 1)
