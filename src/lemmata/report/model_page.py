"""The model in five minutes: a section of a paper's README, and the same as HTML for the report and the live page."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

from markdown_it import MarkdownIt

from lemmata.core import Paper
from lemmata.report.markup import Html, element, inline, link
from lemmata.report.summary import embedded
from lemmata.report.tex import pieces

TITLE = "The model in five minutes"
WHOSE = "Numbers here are those of the verdicts that the package keeps."


def readme_of(paper: Paper) -> Path:
    """In the package's folder, or where `new-paper` puts it: beside that."""
    inside, beside = paper.folder / "README.md", paper.folder.parent / "README.md"
    return beside if beside.is_file() and not inside.is_file() else inside


def model_section(paper: Paper) -> str:
    """The section's Markdown without its heading; empty where there is none."""
    if not paper.package or not (path := readme_of(paper)).is_file():
        return ""
    text = path.read_text(encoding="utf-8")
    return re.split(r"^## ", text.partition(f"\n## {TITLE}\n")[2], maxsplit=1, flags=re.MULTILINE)[0].strip()


def model_html(paper: Paper, where: Callable[[str], str | None]) -> Html:
    """The section with its pictures inside; `where` a claim of the paper is shown, if it is."""
    if not (text := model_section(paper)):
        return Html("")
    formulas: list[Html] = []
    plain = ""
    for kind, piece in pieces(text):  # Markdown would read the underscores of a formula as its own
        if kind == "tex":
            formulas.append(inline(f"${piece}$"))
        plain += {"text": piece, "code": f"`{piece}`", "tex": f"\ue000{len(formulas)}\ue001"}[kind]
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(plain)
    html = re.sub("\ue000(\\d+)\ue001", lambda found: formulas[int(found[1]) - 1], html)
    html = re.sub(r'<a href="[^"]*"(?: title="[^"]*")?>(.*?)</a>', r"\1", html)  # files that the page does not have
    html = re.sub(
        r'<img src="([\w.-]+)" alt="([^"]*)" />',
        lambda found: embedded(paper.folder / found[1], unescape(found[2])),
        html,
    )

    def named(found: re.Match[str]) -> str:
        return link(target, found[1], class_="id") if (target := where(found[1])) else found[0]

    html = re.sub(rf"<code>({re.escape(paper.id)}/[\w.-]+)</code>", named, html)
    return element("div", Html(html), element("p", WHOSE, class_="muted"), class_="model")
