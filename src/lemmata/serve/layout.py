"""The frame of every page: head, navigation, and how a claim stands in a list."""

from collections.abc import Sequence
from urllib.parse import quote

from lemmata.record import Provenance, Record
from lemmata.report.evidence import verdict_chip
from lemmata.report.markup import Html, document, element, inline, link
from lemmata.report.statuses import protocol_words
from lemmata.report.values import duration, shorten

MATHS = ("vendor/katex/katex.min.js", "maths.js")
PLACES = {"": "Find", "graphs": "What rests on what", "queue": "Queue", "query": "SQL"}


def layout(base: str, title: str, *body: str, scripts: Sequence[str] = (), styles: Sequence[str] = ()) -> str:
    """A whole page; `base` is the token's path, under which everything lies."""
    static = f"{base}static/"
    if any('class="tex"' in part for part in body):
        scripts, styles = (*MATHS, *scripts), ("vendor/katex/katex.min.css", *styles)
    linked = [
        element("link", rel="icon", href=f"{static}icon.svg"),
        *(element("link", rel="stylesheet", href=f"{static}{name}") for name in ("page.css", "live.css", *styles)),
        *(element("script", src=f"{static}{name}", defer=True) for name in scripts),
    ]
    nav = element(
        "nav",
        link(base, "lemmata", class_="brand"),
        *(link(f"{base}{path}", words) for path, words in PLACES.items()),
        aria_label="Main",
        class_="places",
    )
    skip = link("#main", "Skip to the content", class_="skip")
    page = element(
        "body", skip, element("header", nav), element("main", *body, id="main", tabindex="-1"), data_base=base
    )
    return document(f"{title} · lemmata", page, *linked)


def claim_path(base: str, id: str) -> str:
    return f"{base}claim/{quote(id)}"


def experiment_path(base: str, id: str) -> str:
    return f"{base}experiment/{quote(id)}"


def claim_item(base: str, record: Record) -> Html:
    """A claim in a list; what the filters ask for stands in its data."""
    known = record.provenance or Provenance()
    facts = [record.experiment.partition("/")[2], record.locus, duration(record.seconds), known.replicated]
    return element(
        "li",
        verdict_chip(record),
        " ",
        link(claim_path(base, record.id), record.id, class_="id"),
        element("p", inline(shorten(record.statement, 220)), class_="gist"),
        element("p", " · ".join(fact for fact in (*facts, protocol_words(record)) if fact), class_="muted"),
        data_verdict=record.status or "not judged",
        data_paper=record.paper,
        data_title=record.title,
        data_cost=f"{record.seconds or 0:.0f}",
        data_replicated="moved" if known.is_unstable else "yes" if known.replicated else "no",
    )


def labelled(label: str, control: Html) -> Html:
    return element("label", element("span", label), " ", control)


def choice(name: str, options: dict[str, str]) -> Html:
    return element("select", *(element("option", words, value=value) for value, words in options.items()), name=name)
