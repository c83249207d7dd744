"""The frame of every page: head, navigation, and how a claim stands in a list."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from lemmata.report.evidence import chip
from lemmata.report.markup import Html, element, inline, join, link
from lemmata.report.values import duration, shorten, verdict_word

MATHS = ("vendor/katex/katex.min.js", "maths.js")
PLACES = {"": "Find", "graphs": "What rests on what", "queue": "Queue", "query": "SQL"}


def layout(base: str, title: str, *body: str, scripts: Sequence[str] = (), styles: Sequence[str] = ()) -> str:
    """A whole page; `base` is the token's path, under which everything lies."""
    static = f"{base}static/"
    if any('class="tex"' in part for part in body):
        scripts, styles = (*MATHS, *scripts), ("vendor/katex/katex.min.css", *styles)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} · lemmata"),
        element("link", rel="icon", href=f"{static}icon.svg"),
        *(element("link", rel="stylesheet", href=f"{static}{name}") for name in ("page.css", "live.css", *styles)),
        *(element("script", src=f"{static}{name}", defer=True) for name in scripts),
    )
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
    return f"<!doctype html>\n{element('html', head, page, lang='en')}\n"


def claim_path(base: str, id: str) -> str:
    return f"{base}claim/{quote(id)}"


def experiment_path(base: str, id: str) -> str:
    return f"{base}experiment/{quote(id)}"


def status_chip(row: dict[str, Any]) -> Html:
    status = row["status"] or "not judged"
    word = verdict_word(status, row.get("proved"))
    return chip(status, f"{word} (reference)" if row.get("reference") and row["status"] else word)


def claim_item(base: str, row: dict[str, Any]) -> Html:
    """A claim in a list; what the filters ask for stands in its data."""
    replicated = row["replicated"] or "not replicated"
    facts = [row["experiment"].partition("/")[2], row["locus"], duration(row["seconds"]), replicated]
    return element(
        "li",
        status_chip(row),
        " ",
        link(claim_path(base, row["id"]), row["id"], class_="id"),
        element("p", inline(shorten(row["statement"], 220)), class_="gist"),
        element("p", " · ".join(fact for fact in facts if fact), class_="muted"),
        data_verdict=row["status"] or "not judged",
        data_paper=row["paper"],
        data_cost=f"{row['seconds'] or 0:.0f}",
        data_replicated="moved" if row["unstable"] else "yes" if row["replicated"] else "no",
    )


def labelled(label: str, control: Html) -> Html:
    return element("label", element("span", label), " ", control)


def choice(name: str, options: dict[str, str]) -> Html:
    return element("select", *(element("option", words, value=value) for value, words in options.items()), name=name)


def facts_list(facts: Sequence[tuple[str, str]]) -> Html:
    return element(
        "dl", *(join((element("dt", name), element("dd", value))) for name, value in facts if value), class_="facts"
    )
