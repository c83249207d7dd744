"""A paper's statements as a graph: what rests on what (`Claim.uses`, and the root of an erratum's slip)."""

from collections.abc import Mapping, Sequence
from typing import Any

from lemmata.core import select
from lemmata.report.markup import Html, element, link
from lemmata.report.values import MARKS
from lemmata.serve.layout import claim_path

WIDTH, HEIGHT, GAP_X, GAP_Y = 210, 44, 60, 12


def edges(paper_id: str) -> dict[str, tuple[str, ...]]:
    """A claim's id -> those that it rests on, in full."""
    found = {}
    for selection in select([paper_id]):
        for claim in selection.claims:
            root = [claim.correction.root] if claim.correction and claim.correction.root else []
            found[claim.id] = tuple(dict.fromkeys(f"{paper_id}/{name}" for name in (*claim.uses, *root)))
    return {id: tuple(one for one in uses if one in found and one != id) for id, uses in found.items()}


def downstream(uses: Mapping[str, Sequence[str]], sources: set[str]) -> set[str]:
    """What rests on one of these, directly or not; they themselves are not among it unless one rests on another."""
    found: set[str] = set()
    grown = True
    while grown:
        more = {id for id, on in uses.items() if set(on) & (sources | found)} - found
        found, grown = found | more, bool(more)
    return found


def depths(uses: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many steps a claim is from what rests on nothing; a circle, which there should not be, ends somewhere."""
    found = dict.fromkeys(uses, 0)
    for _ in uses:
        after = {id: max((found[one] + 1 for one in on), default=0) for id, on in uses.items()}
        if after == found:
            break
        found = after
    return {id: min(depth, len(uses)) for id, depth in found.items()}


def graph_svg(base: str, rows: Sequence[dict[str, Any]]) -> Html:
    """Only claims that rest on something, or that something rests on; the others are counted."""
    paper = rows[0]["paper"] if rows else ""
    uses = edges(paper) if rows else {}
    joined = {id for id, on in uses.items() if on} | {one for on in uses.values() for one in on}
    rows = [row for row in rows if row["id"] in joined]
    alone = len(uses) - len(joined)
    words = f"{alone} claims stand alone: nothing is written down of what they rest on."
    if not rows:
        return element("p", words, class_="muted")
    level, at = depths({id: uses[id] for id in joined}), dict[str, tuple[int, int]]()
    for depth in range(max(level.values()) + 1):
        for place, row in enumerate(row for row in rows if level[row["id"]] == depth):
            at[row["id"]] = (10 + depth * (WIDTH + GAP_X), 10 + place * (HEIGHT + GAP_Y))
    touched = downstream(uses, {row["id"] for row in rows if row["status"] == "erratum"})
    width, height = (max(place[axis] for place in at.values()) for axis in (0, 1))
    lines = [_arrow(paper, at[one], at[id]) for id in at for one in uses[id]]
    shape = {"markerWidth": "8", "markerHeight": "8", "refX": "8", "refY": "4", "orient": "auto"}
    marker = element("marker", element("path", d="M0,0 L8,4 L0,8 z"), id=f"tip-{paper}", **shape)
    drawing = element(
        "svg",
        element("defs", marker),
        *lines,
        *(_node(base, row, at[row["id"]], row["id"] in touched) for row in rows),
        viewBox=f"0 0 {width + WIDTH + 20} {height + HEIGHT + 20}",
        width=str(width + WIDTH + 20),
        role="group",
        aria_label=f"{len(rows)} claims and the {len(lines)} arrows between them; each is a link to its claim",
        class_="graph",
    )
    return element("figure", element("div", drawing, class_="scroll"), element("figcaption", words))


def _arrow(paper: str, start: tuple[int, int], end: tuple[int, int]) -> Html:
    x, y, to_x, to_y = start[0] + WIDTH, start[1] + HEIGHT / 2, end[0], end[1] + HEIGHT / 2
    return element(
        "path",
        d=f"M{x},{y} C{x + 40},{y} {to_x - 40},{to_y} {to_x},{to_y}",
        marker_end=f"url(#tip-{paper})",
        class_="arrow",
    )


def _node(base: str, row: dict[str, Any], at: tuple[int, int], touched: bool) -> Html:
    status, name = row["status"] or "not judged", row["id"].partition("/")[2]
    how = "symbolic" if "symbolic" in row["experiment"] or "algebra" in row["experiment"] else "measured"
    second = " · ".join([f"{MARKS.get(status, '·')} {status}", *(["downstream of an erratum"] if touched else [])])
    return link(
        claim_path(base, row["id"]),
        element("title", f"{row['id']}: {row['statement']}"),
        element("rect", x=str(at[0]), y=str(at[1]), width=str(WIDTH), height=str(HEIGHT), rx="6"),
        element("text", name[:30], x=str(at[0] + 8), y=str(at[1] + 18)),
        element("text", second, x=str(at[0] + 8), y=str(at[1] + 35), class_="second"),
        class_=f"node {status.replace(' ', '-')} {how}{' touched' if touched else ''}",
    )
