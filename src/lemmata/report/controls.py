"""What each claim's control shows: of every part, whether its rule fails on the deliberately wrong subject."""

from collections import Counter
from collections.abc import Sequence

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, Record
from lemmata.report.evidence_rows import on_the_control
from lemmata.report.markdown import table_cell


def controls_section(paper: Paper, records: Sequence[Record]) -> str:
    """A paper's parts as a table with a count; claims whose kept verdict holds no control are counted apart."""
    found = [
        (one.id, name or "–", on_the_control(one.control.get(name), part.carries))
        for one in records
        if one.control
        for name, part in one.parts.items()
    ]
    counts = Counter(outcome for _, _, outcome in found)
    apart = sum(one.status == NOT_RUN for one in records)
    missing = sum(not one.control for one in records) - apart
    words = [f"{number} {outcome}" for outcome, number in sorted(counts.items())]
    lines = [f"## {paper.id}: {paper.title}"]
    if missing:
        lines += [
            "",
            "Not judged yet, or before controls were recorded part by part: "
            f"{missing} of {pluralize(len(records), 'claim')}.",
        ]
    if apart:
        lines += ["", f"Not run, as they need an extra: {apart} of {pluralize(len(records), 'claim')}."]
    if found:
        lines += ["", f"{len(found)} parts: {', '.join(words)}."]
        lines += ["", "| claim | part | on the control |", "|---|---|---|"]
        lines += [f"| `{id}` | {table_cell(name)} | {_shown(outcome)} |" for id, name, outcome in found]
    if bounds := bounds_section(records):
        words = "Bounds that the paper states; of those in bold a third would do, or less."
        lines += ["", words, "", bounds]
    return "\n".join(lines)


def bounds_section(records: Sequence[Record]) -> str:
    """Every bound that a paper states: how tight it is where it is tightest, and over how much of its range."""
    found = [(one.id, part) for one in records for part in one.evidence if part.stated]
    rows = [
        (
            f"`{id}`",
            part.part or "–",
            f"**{part.resolution}**" if part.loose else part.resolution or "–",
            part.covered or "–",
            part.stated,
        )
        for id, part in found
    ]
    heads = ["claim", "part", "at the tightest place", "judged over", "stated for"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(map(table_cell, row))} |" for row in rows)]) if rows else ""


def controls_page(sections: Sequence[str]) -> str:
    intro = (
        "Each claim is judged on a deliberately wrong subject, too, and must fail there. Of a claim with several parts "
        "those that carry it should each fail; one marked as context is what the others presuppose. A part that does "
        "not fail, in bold, tells nothing apart on this control. Written by `lemmata docs` from the kept verdicts."
    )
    return "\n\n".join(["# Controls", intro, *sections]) + "\n"


def _shown(outcome: str) -> str:
    return outcome if outcome == "fails" or "context" in outcome else f"**{outcome}**"
