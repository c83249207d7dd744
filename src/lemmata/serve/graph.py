"""A paper's statements as a graph: what rests on what (`Claim.uses`, and the root of an erratum's slip)."""

from collections.abc import Mapping, Sequence

from lemmata.core.pluralize import pluralize
from lemmata.core.registry import select
from lemmata.record import Record
from lemmata.report.markup import Html, element, link
from lemmata.report.statuses import look, protocol_word
from lemmata.report.tex import to_unicode
from lemmata.report.values import verdict_word
from lemmata.serve.layout import claim_path

WIDTH, HEIGHT, GAP_X, GAP_Y = 216, 44, 64, 12
SWEEPS = 8  # of ordering columns by their neighbours; more change nothing to see


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


def columns(uses: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """As near to what rests on it as a claim can stand, so that arrows are short."""
    level = depths(uses)
    for id in sorted(uses, key=lambda one: -level[one]):
        above = [level[other] - 1 for other, on in uses.items() if id in on]
        level[id] = max(level[id], min(above, default=level[id]))
    return level


def places(uses: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, float]]:
    """A claim's column, and how far down: each beside the middle of its neighbours, and none over another."""
    level = columns(uses)
    beside = {id: {*on, *(other for other, its in uses.items() if id in its)} for id, on in uses.items()}
    stacks = [[id for id in uses if level[id] == depth] for depth in range(max(level.values(), default=0) + 1)]
    at = {id: float(i) for stack in stacks for i, id in enumerate(stack)}
    for sweep in range(SWEEPS):
        for stack in stacks if sweep % 2 == 0 else stacks[::-1]:
            wanted = {id: sum(at[one] for one in beside[id]) / max(len(beside[id]), 1) for id in stack}
            stack.sort(key=lambda id: wanted[id])
            low = sum(wanted.values()) / max(len(stack), 1) - (len(stack) - 1) / 2
            at |= {id: low + i for i, id in enumerate(stack)}
    top = min(at.values(), default=0.0)
    return {id: (level[id], at[id] - top) for id in uses}


def graph_svg(base: str, records: Sequence[Record]) -> Html:
    """Only claims that rest on something, or that something rests on; the others are counted."""
    paper = records[0].paper if records else ""
    uses = edges(paper) if records else {}
    joined = {id for id, on in uses.items() if on} | {one for on in uses.values() for one in on}
    records = [one for one in records if one.id in joined]
    alone = len(uses) - len(joined)
    words = f"{pluralize(alone, 'claim state', 'claims stand')} alone: nothing is written down of what lies under."
    if not records:
        return element("p", words, class_="muted")
    found = places({one.id: uses[one.id] for one in records})
    at = {id: (10 + x * (WIDTH + GAP_X), round(10 + y * (HEIGHT + GAP_Y))) for id, (x, y) in found.items()}
    touched = downstream(uses, {one.id for one in records if one.status == "erratum"})
    width, height = (max(place[axis] for place in at.values()) for axis in (0, 1))
    lines = [_arrow(paper, at[one], at[id]) for id in at for one in uses[id]]
    shape = {"markerWidth": "8", "markerHeight": "8", "refX": "8", "refY": "4", "orient": "auto"}
    marker = element("marker", element("path", d="M0,0 L8,4 L0,8 z"), id=f"tip-{paper}", **shape)
    drawing = element(
        "svg",
        element("defs", marker),
        *lines,
        *(_node(base, one, at[one.id], one.id in touched) for one in records),
        viewBox=f"0 0 {width + WIDTH + 20} {height + HEIGHT + 20}",
        width=str(width + WIDTH + 20),
        role="group",
        aria_label=f"{pluralize(len(records), 'claim')}, {pluralize(len(lines), 'arrow')} between; each links to it",
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


def _box(at: tuple[int, int], inset: int) -> Html:
    sides = {"width": str(WIDTH - 2 * inset), "height": str(HEIGHT - 2 * inset)}
    return element("rect", x=str(at[0] + inset), y=str(at[1] + inset), rx=str(6 - inset), **sides)


def _node(base: str, record: Record, at: tuple[int, int], touched: bool) -> Html:
    status = record.status or "not judged"
    symbolic = "symbolic" in record.experiment or "algebra" in record.experiment
    how = "proved" if record.proved else "symbolic" if symbolic else "measured"
    words = [f"{look(record.status).mark} {verdict_word(record) or status}", protocol_word(record)]
    words += ["rests on an erratum"] if touched else []
    return link(
        claim_path(base, record.id),
        element("title", f"{record.id}: {to_unicode(record.statement)}"),
        _box(at, 0),
        *([_box(at, 3)] if how == "proved" else []),
        element("text", record.name[:30], x=str(at[0] + 8), y=str(at[1] + 18)),
        element("text", " · ".join(filter(None, words)), x=str(at[0] + 8), y=str(at[1] + 35), class_="second"),
        class_=f"node {status.replace(' ', '-')} {how}{' touched' if touched else ''}",
    )
