"""HTML as values. Text is escaped unless it is already `Html`, so nothing a paper says can break the page."""

import re
from collections.abc import Iterable
from html import escape

from lemmata.report.tex import formula, pieces

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Html(str):
    """A piece of HTML, safe to put into another."""


def element(name: str, /, *children: str, **attributes: str | bool | None) -> Html:
    """One element; a trailing underscore in an attribute's name is dropped (`class_`), inner ones become hyphens."""
    opening = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        opening += f" {key}" if value is True else f' {key}="{escape(str(value))}"'
    if name in VOID:
        return Html(f"<{opening}>")
    return Html(f"<{opening}>{join(children)}</{name}>")


def join(children: Iterable[str], separator: str = "") -> Html:
    return Html(separator.join(child if isinstance(child, Html) else escape(child) for child in children))


def link(target: str, /, *children: str, **attributes: str | bool | None) -> Html:
    return element("a", *children, href=target, **attributes)


def inline(text: str) -> Html:
    """Plain text in which `backticks` mark code and dollars mathematics: a page with scripts typesets it from its
    source, one without shows its Unicode."""
    made = {"text": str, "code": lambda piece: element("code", piece)}
    made["tex"] = lambda piece: element("span", formula(piece), class_="tex", data_tex=piece)
    return join(made[kind](piece) for kind, piece in pieces(text))


def code_or_tex(text: str) -> Html:
    """A formula: as mathematics where it has dollars, else as code."""
    return inline(text) if "$" in text else element("code", text)


def prose(text: str, class_: str | None = None) -> Html:
    """Paragraphs, split at blank lines."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
    return join(element("p", inline(part.strip()), class_=class_) for part in paragraphs)


def table(heads: Iterable[str], rows: Iterable[Html], class_: str | None = None, caption: str = "") -> Html:
    """Rows of `tr` under named columns; the caption is for those who do not see it."""
    head = element("thead", element("tr", *(element("th", head, scope="col") for head in heads)))
    named = element("caption", caption, class_="unseen") if caption else ""
    return element("table", named, head, element("tbody", *rows), class_=class_)


def document(title: str, body: Html, *linked: Html | str) -> Html:
    """A whole page; `linked`: its style sheets and scripts."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        *linked,
    )
    return Html(f"<!doctype html>\n{element('html', head, body, lang='en')}\n")
