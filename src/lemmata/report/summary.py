"""The page's first screen: what was found of every paper, how far the report has come, and the figures that show it."""

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from lemmata.core import Paper, Scale
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection
from lemmata.record import NOT_RUN, NotRun, has_baseline
from lemmata.report.evidence import chip
from lemmata.report.figure import SavedArtefact
from lemmata.report.markup import Html, element, inline, join, link
from lemmata.report.page_entry import Entry, Found
from lemmata.report.statuses import failing_words, totals

Picture = Callable[[Path, str], Html]  # of a PNG and what it shows, in words
SHRINK = 0.8  # image pixels to page pixels: the figures' type is then about as large as the page's
NAMED = 12  # of the experiments that are not judged, so many are named


def masthead(judged: int, coming: Sequence[Selection], scale: Scale, computes: str = "") -> Html:
    """`computes`: the command that would compute what is missing, where nobody does."""
    words = _not_run(judged, coming, computes) if coming and computes else _progress(judged, coming)
    return element(
        "header",
        element("p", "lemmata", class_="brand"),
        element("h1", "What was found"),
        element("p", inline(words), f" Scale: {scale.name}.", class_="progress"),
        class_="masthead",
    )


def _progress(judged: int, coming: Sequence[Selection]) -> str:
    """How far the report has come; what is to come stands in the order in which it is computed."""
    if not coming:
        return f"{pluralize(judged, 'experiment')} judged; nothing is to come."
    return f"{_of_all(judged, coming)}; still to come: {_named(coming)}. Reload to see more."


def _not_run(judged: int, missing: Sequence[Selection], computes: str) -> str:
    return f"{_of_all(judged, missing)}; not run: {_named(missing)}. `{computes}` runs them."


def _of_all(judged: int, others: Sequence[Selection]) -> str:
    return f"{judged} of {pluralize(judged + len(others), 'experiment')} judged"


def _named(selections: Sequence[Selection]) -> str:
    names = [one.experiment.id for one in selections]
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def card(
    paper: Paper,
    found: Sequence[Found],
    entries: Sequence[Entry],
    not_run: Sequence[NotRun],
    coming: Sequence[Selection] = (),
) -> Html:
    """What was found of a paper, and how many verdicts stand behind it; with those that are not here, all its claims
    that were asked for."""
    records = [one for entry in entries for one in entry.records]
    apart = sum(len(one.selection.claims) for one in not_run)
    return element(
        "section",
        element("h2", link(f"#paper/{paper.id}", paper.title)),
        element("p", ". ".join((paper.authors, paper.venue or str(paper.year))), class_="authors"),
        findings_list(found, entries),
        element(
            "p",
            *(join((chip(one.status, f"{one.count} {one.status}"), " ")) for one in totals(records)),
            element("span", f"of {pluralize(len(records), 'claim')} judged here", class_="muted"),
            join((" ", chip(NOT_RUN, f"{apart} {NOT_RUN} here"))) if apart else "",
            element("span", _rest(len(records), not_run, coming), class_="muted"),
            class_="chips",
        ),
        element("p", failing_words(records), class_="muted"),
        class_="card",
    )


def findings_list(found: Sequence[Found], entries: Sequence[Entry]) -> Html:
    if not found:
        return element("p", _nothing(entries), class_="muted")
    return element("ul", *(_sentence(one, entries) for one in found), class_="found")


def _rest(judged: int, not_run: Sequence[NotRun], coming: Sequence[Selection]) -> str:
    """What makes the count that of `lemmata list`; empty where every claim is judged here."""
    apart = sum(len(one.selection.claims) for one in not_run)
    waiting = sum(len(one.claims) for one in coming)
    known = sum(has_baseline(one.experiment, claim, one.scale) for one in not_run for claim in one.selection.claims)
    words = [f"of {known} of these the package keeps a verdict"] if known else []
    words += [f"{waiting} not judged yet"] if waiting else []
    words += [f"{judged + apart + waiting} claims in all"] if apart or waiting else []
    return f" ({', '.join(words)})" if words else ""


def _nothing(entries: Sequence[Entry]) -> str:
    if any(entry.result.head for entry in entries):
        return "Under changed assumptions, which are said below: no finding is of this."
    return "No finding is written down for it; its verdicts are below."


def _sentence(one: Found, entries: Sequence[Entry]) -> Html:
    is_here = any(entry.result.experiment.id == one.experiment for entry in entries)
    name = one.experiment.partition("/")[2]
    shown = link(f"#experiment/{one.experiment}", name, class_="id") if is_here else element("span", name, class_="id")
    note = element("span", " ", inline(one.note), class_="note") if one.note else ""
    return element("li", inline(one.text), " ", shown, note, class_="from-elsewhere" if one.note else None)


def figures_section(
    found: Sequence[Found], entries: Sequence[Entry], saved: Mapping[str, SavedArtefact], picture: Picture
) -> Html:
    """The figures of the findings, as far as they are drawn."""
    wanted = [one.experiment for one in found]
    drawn = [
        _figure(entry, path, picture)
        for entry in sorted(entries, key=lambda entry: _place(wanted, entry))
        if entry.result.experiment.id in wanted and (path := saved[entry.result.experiment.id].png)
    ]
    if not drawn:
        return Html("")
    return element(
        "section", element("h2", "The figures that show it"), element("div", *drawn, class_="shown"), id="findings"
    )


def _place(wanted: Sequence[str], entry: Entry) -> int:
    id = entry.result.experiment.id
    return wanted.index(id) if id in wanted else len(wanted)


def _figure(entry: Entry, path: Path, picture: Picture) -> Html:
    experiment = entry.result.experiment
    words = (experiment.title, " ", link(f"#experiment/{experiment.id}", experiment.id, class_="id"))
    return element("figure", picture(path, experiment.title), element("figcaption", *words))


def embedded(path: Path, alt: str) -> Html:
    """A PNG inside the page."""
    png = path.read_bytes()
    return element("img", src=f"data:image/png;base64,{base64.b64encode(png).decode()}", alt=alt, **_size(png))


def beside(folder: Path) -> Picture:
    """PNGs as files in the page's folder."""

    def picture(path: Path, alt: str) -> Html:
        with path.open("rb") as file:
            size = _size(file.read(24))
        return element("img", src=quote(path.relative_to(folder).as_posix()), alt=alt, loading="lazy", **size)

    return picture


def _size(png: bytes) -> dict[str, str]:
    """Both, so that a page need not move when the picture arrives: a PNG file keeps them at its beginning."""
    ends = {"width": png[16:20], "height": png[20:24]}
    return {name: str(round(SHRINK * int.from_bytes(end))) for name, end in ends.items()}


def cited(paper: Paper) -> str:
    return ". ".join(part for part in (paper.authors, paper.venue or str(paper.year), paper.link) if part)
