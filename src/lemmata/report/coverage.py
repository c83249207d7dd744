"""How much of each paper is judged: its statements, the claims that judge them, and why the others have none."""

from collections.abc import Sequence

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, Record, Stated


def coverage_section(paper: Paper, stated: Sequence[Stated] | None, records: Sequence[Record]) -> str:
    """A paper's statements as a table with a count."""
    title = f"## {paper.id}: {paper.title}"
    if stated is None:
        judging = pluralize(len(records), "claim judges", "claims judge")
        return f"{title}\n\nIts statements are not listed yet; {judging} some of them."
    status = {one.id: one.status or "not judged yet" for one in records}
    named = [[status[f"{paper.id}/{name}"] for name in one.claims] for one in stated]
    judged = sum(any(one != NOT_RUN for one in statuses) for statuses in named)
    apart = sum(bool(statuses) for statuses in named) - judged
    claims = sum(one != NOT_RUN for one in status.values())
    waiting = f"{apart} by claims that were not run; " if apart else ""
    count = (
        f"{pluralize(len(stated), 'statement')}: {judged} judged, by {pluralize(claims, 'claim')}; "
        f"{waiting}{len(stated) - judged - apart} not."
    )
    lines = ["| in the paper | claims | not judged, or left out |", "|---|---|---|"]
    for one in stated:
        claims = ", ".join(f"`{name}` ({status[f'{paper.id}/{name}']})" for name in one.claims)
        lines.append(f"| {one.place} | {claims or '–'} | {one.why or '–'} |")
    return "\n".join([title, "", count, "", *lines])


def coverage_page(sections: Sequence[str]) -> str:
    intro = (
        "What each paper states, and which claims judge it. Written by `lemmata docs` from the papers' `coverage.py`."
    )
    return "\n\n".join(["# Coverage", intro, *sections]) + "\n"
