"""A paper on the page: what it says, what was found, its model, its statements in its own order, its figures.

Every statement is a line that opens in place; every figure a small picture that opens with its caption and files."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import Provenance, Record, coverage
from lemmata.report.errata import by_severity
from lemmata.report.evidence import claim_block, formulas, verdict_chip
from lemmata.report.figure import SavedArtefact
from lemmata.report.markup import Html, element, inline, join, link, prose
from lemmata.report.model_page import TITLE, model_html
from lemmata.report.overview import verdict_filter
from lemmata.report.page_entry import Entry, Found, describe_seeds
from lemmata.report.summary import Picture, cited, findings_list
from lemmata.report.values import duration, shorten

FOLD_RUNS = 6  # more run ids than this are folded away
OPEN_AT_MOST = 60  # statements whose groups stand open; of more only the main text's
NUMBERED = (
    "Theorems?|Lemmas?|Corollar(?:y|ies)|Propositions?|Assumptions?|Claims?|Remarks?|Definitions?|Facts?|Inductions?"
)
PLACE = re.compile(
    rf"Section (\d+)|Appendi(?:x|ces) ([A-Z])\b|(?:{NUMBERED}) (?:(\d+)|([A-Z]))\.\d|(Figure|Table)s? \d"
)
MAIN, DRAWN, BEYOND = "Main text", "Figures and tables", "Beyond the paper"


def paper_section(
    paper: Paper,
    entries: Sequence[Entry],
    found: Sequence[Found],
    out_dir: Path,
    saved: Mapping[str, SavedArtefact],
    picture: Picture,
    *,
    alone: bool,
) -> Html:
    """`alone`: on a page of its own, where its contents stand beside it."""
    records = {one.id: one for entry in entries for one in entry.records}
    groups = _groups(paper, records)
    errata = by_severity([one for one in records.values() if one.status == "erratum"])
    drawn = [_figure(entry, out_dir, saved.get(entry.result.experiment.id), picture) for entry in entries]
    sections = {
        "found": ("What we found", findings_list(found, entries)),
        "model": (TITLE, _model(paper, records.keys())),
        "statements": (f"Statements, {len(records)}", _statements(groups, len(records), alone)),
        "figures": (f"Figures, {len(drawn)}", element("div", *drawn, class_="gallery") if drawn else Html("")),
        "errata": (
            f"Errata, {len(errata)}",
            _folded("Printed and corrected, the gravest first", map(_erratum, errata)),
        ),
    }
    shown = {name: (title, body) for name, (title, body) in sections.items() if body}
    body = [
        element("section", element("h3", title), body, id=f"{name}/{paper.id}") for name, (title, body) in shown.items()
    ]
    contents = _contents(paper, {name: title for name, (title, _) in shown.items()}, [name for name, _ in groups])
    return element(
        "section",
        element("h2", paper.title),
        element("p", cited(paper), class_="authors"),
        element("p", element("span", "It says: ", class_="muted"), inline(paper.sentence)),
        element("div", contents if alone else "", element("div", *body), class_="beside" if alone else None),
        id=f"paper/{paper.id}",
        class_="paper",
    )


def _groups(paper: Paper, records: Mapping[str, Record]) -> list[tuple[str, list[Record]]]:
    """Claims in the order in which the paper states them, by its sections; what its coverage does not name is last."""
    stated = coverage(paper) if paper.package else None
    order = dict.fromkeys(f"{paper.id}/{name}" for one in stated or () for name in one.claims)
    places = {id: i for i, id in enumerate((*order, *(id for id in records if id not in order)))}
    ordered = sorted(records.values(), key=lambda one: places[one.id])
    ordered = sorted(ordered, key=lambda one: _rank(_group(one)))
    return [(name, list(mine)) for name, mine in groupby(ordered, key=_group)]


def _group(record: Record) -> str:
    """The part of the paper that its place names first."""
    found = PLACE.search(record.locus)
    if "beyond the paper" in record.locus.lower():
        return BEYOND
    if found is None:
        return MAIN
    section, appendix = found[1] or found[3], found[2] or found[4]
    return f"Section {section}" if section else f"Appendix {appendix}" if appendix else DRAWN


def _rank(group: str) -> tuple[int, str]:
    kinds = (MAIN, "Section", DRAWN, "Appendix", BEYOND)
    return next(i for i, kind in enumerate(kinds) if group.startswith(kind)), group


def _contents(paper: Paper, sections: Mapping[str, str], groups: Sequence[str]) -> Html:
    parts = [element("li", link(f"#{_anchor(name, paper)}", name)) for name in groups]
    below = {"statements": element("ul", *parts)} if len(groups) > 1 else {}
    items = (element("li", link(f"#{name}/{paper.id}", title), below.get(name, "")) for name, title in sections.items())
    return element("nav", element("ul", *items), aria_label="Contents", class_="contents")


def _anchor(group: str, paper: Paper | str) -> str:
    return f"{'-'.join(group.lower().split())}/{paper if isinstance(paper, str) else paper.id}"


def _model(paper: Paper, shown: Set[str]) -> Html:
    """What is trained on what, folded away; claims of this page are links to their verdicts."""
    body = model_html(paper, lambda id: f"#{id}" if id in shown else None)
    return _folded("The task, the equations and the lines of code", [body] if body else [])


def _folded(summary: str, body: Iterable[Html]) -> Html:
    content = join(body)
    return element("details", element("summary", summary), content, class_="folded") if content else content


def _statements(groups: Sequence[tuple[str, Sequence[Record]]], count: int, alone: bool) -> Html:
    folds = [
        element(
            "details",
            element("summary", element("h4", name), element("span", pluralize(len(mine), "claim"), class_="muted")),
            *map(_line, mine),
            id=_anchor(name, mine[0].paper),
            open=count <= OPEN_AT_MOST or not name.startswith("Appendix"),
            class_="group",
        )
        for name, mine in groups
    ]
    return join([verdict_filter() if alone else Html(""), *folds]) if groups else Html("")


def _line(record: Record) -> Html:
    """One statement; it opens to all that is known of it."""
    behind = record.provenance or Provenance()
    summary = element(
        "summary",
        verdict_chip(record),
        element("span", record.name, class_="id"),
        element("span", inline(shorten(record.statement, 110)), class_="gist"),
        element("span", record.resolution, class_="resolution", title="what it would have refuted"),
        element("span", behind.replicated or "", class_="muted"),
    )
    block = claim_block(record, anchored=False)
    return element("details", summary, block, id=record.id, class_=f"line row {record.status}")


def _figure(entry: Entry, out_dir: Path, saved: SavedArtefact | None, picture: Picture) -> Html:
    """An experiment's drawing, and behind it what one should know before believing it."""
    experiment = entry.result.experiment
    image: Html | str = ""
    if saved is not None and saved.png is not None:
        image = picture(saved.png, f"{experiment.title}. {entry.artefact.caption}")
        if saved.svg is not None:
            image = link(quote(saved.svg.relative_to(out_dir).as_posix()), image, title="as SVG")
    claims = (link(f"#{one.id}", one.name, class_="id") for one in entry.records)
    return element(
        "article",
        element("h4", experiment.title, " ", element("span", experiment.id, class_="id")),
        _changes(entry),
        element("div", image, class_="drawn"),
        element("p", join(claims, " "), class_="claims"),
        element(
            "details",
            element("summary", "Caption, numbers, command"),
            prose(entry.artefact.caption, "caption"),
            prose(experiment.notes, "notes"),
            *_origin(entry, out_dir, saved),
        ),
        id=f"experiment/{experiment.id}",
        class_="experiment",
    )


def _changes(entry: Entry) -> Html:
    """What was changed, and the claims that no change reached: never to be taken for a verdict on the paper."""
    item = entry.result
    if not item.head:
        return Html("")
    lines = ["Under changed assumptions, not the paper's.", *item.head]
    lines += [f"Not judged: {claim.id}: {why}." for claim, why in item.left_out]
    return element("div", *(element("p", line) for line in lines), class_="changed")


def _origin(entry: Entry, out_dir: Path, saved: SavedArtefact | None) -> list[Html]:
    """How the drawing came about: its command, its files, its runs."""
    paths = (saved.csv, saved.svg, saved.png, saved.json) if saved else ()
    files = [
        link(quote(path.relative_to(out_dir).as_posix()), label)
        for label, path in zip(("CSV", "SVG", "PNG", "provenance"), paths, strict=False)
        if path is not None
    ]
    facts = [
        element("div", element("span", "drawn by ", class_="muted"), element("code", entry.command, class_="command")),
        element("div", element("span", "files ", class_="muted"), join(files, " · ")) if files else Html(""),
        _runs(entry),
    ]
    return [element("div", *facts, class_="origin")]


def _runs(entry: Entry) -> Html:
    ids = join((element("code", digest[:12], title=digest) for digest in entry.result.run_ids), " ")
    count = len(entry.result.run_ids)
    about = entry.result
    facts = [pluralize(count, "run"), duration(about.seconds), describe_seeds(about.seeds), about.elsewhere]
    summary = element("span", " · ".join(fact for fact in facts if fact), class_="muted")
    if count > FOLD_RUNS:
        return element("details", element("summary", summary), ids)
    return element("div", summary, " ", ids)


def _erratum(record: Record) -> Html:
    head = element("header", element("h4", link(f"#{record.id}", record.id, class_="id")))
    place = element("span", record.locus, class_="locus")
    return element("article", head, place, formulas(record.correction), class_="claim erratum")
