"""Find: every claim in one list, searched as one types; and each paper's graph of what rests on what."""

from collections.abc import Sequence

from lemmata.core.pluralize import pluralize
from lemmata.core.registry import papers
from lemmata.record import Record
from lemmata.report.markup import Html, element, join, link
from lemmata.report.model_page import TITLE, model_html, model_section
from lemmata.report.statuses import COUNTED
from lemmata.serve.graph import graph_svg
from lemmata.serve.layout import choice, claim_item, claim_path, labelled, layout

COSTS = {"": "any", "60": "under a minute", "600": "under ten minutes", "3600": "under an hour"}
REPLICATED = {"": "any", "yes": "and it stayed", "moved": "and it moved", "no": "not yet"}


def find_page(base: str, records: Sequence[Record], scale: str) -> str:
    titles = {id: paper.title for id, paper in papers().items()}
    form = element(
        "form",
        labelled("Search", element("input", type="search", name="q", autocomplete="off", autofocus=True)),
        labelled("Verdict", choice("verdict", {"": "any"} | {name: name for name in (*COUNTED, "not judged")})),
        labelled("Paper", choice("paper", {"": "any"} | {id: id for id in titles})),
        labelled("Cost", choice("cost", COSTS)),
        labelled("Replicated", choice("replicated", REPLICATED)),
        element("output", pluralize(len(records), "claim"), id="count", aria_live="polite"),
        id="find",
        role="search",
    )
    sections = [_paper(base, id, title, [one for one in records if one.paper == id]) for id, title in titles.items()]
    heading = element("h1", f"{pluralize(len(records), 'claim')} of {pluralize(len(titles), 'paper')}")
    note = element("p", f"Verdicts at scale {scale}.", class_="muted")
    return layout(base, "Find", heading, note, form, *sections, scripts=("find.js",))


def _paper(base: str, id: str, title: str, records: Sequence[Record]) -> Html:
    return element(
        "section",
        element("h2", title),
        link(f"{base}graph/{id}", "what rests on what"),
        join((" · ", link(f"{base}paper/{id}", TITLE.lower()))) if model_section(papers()[id]) else "",
        element("ul", *(claim_item(base, one) for one in records), class_="claims"),
        class_="found-in",
    )


def paper_page(base: str, id: str) -> str:
    """What is trained on what; claims are links to their pages."""
    paper = papers()[id]
    body = model_html(paper, lambda claim: claim_path(base, claim))
    return layout(base, paper.id, element("h1", paper.title), element("h2", TITLE) if body else "", body)


def graphs_page(base: str, known: Sequence[Record], wanted: Sequence[str]) -> str:
    body = [element("h1", "What rests on what")]
    body.append(
        element(
            "p",
            "An arrow goes from a statement to one that rests on it, as far as it is written down. Mark and word: the "
            "verdict. Border: one line, it is measured; broken, it is known by symbols; double, it is proved. A thick "
            "border and “rests on an erratum” mark what a slip of the paper may touch.",
            class_="muted",
        )
    )
    for id in wanted:
        records = [one for one in known if one.paper == id]
        body += [element("h2", papers()[id].title), graph_svg(base, records)]
    return layout(base, "What rests on what", *body)
