"""What each claim's control shows: of every part, whether its rule fails on the deliberately wrong subject."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN
from lemmata.report.values import on_the_control

Row = Mapping[str, Any]


def controls_section(paper: Paper, rows: Sequence[Row]) -> str:
    """A paper's parts as a table with a count; claims whose kept verdict holds no control are counted apart."""
    found = [
        (row["id"], name or "–", on_the_control(row["control"].get(name), part["carries"]))
        for row in rows
        if row.get("control")
        for name, part in row["parts"].items()
    ]
    counts = Counter(outcome for _, _, outcome in found)
    apart = sum(row.get("status") == NOT_RUN for row in rows)
    missing = sum(not row.get("control") for row in rows) - apart
    words = [f"{number} {outcome}" for outcome, number in sorted(counts.items())]
    lines = [f"## {paper.id}: {paper.title}"]
    if missing:
        lines += [
            "",
            "Not judged yet, or before controls were recorded part by part: "
            f"{missing} of {pluralize(len(rows), 'claim')}.",
        ]
    if apart:
        lines += ["", f"Not run, as they need an extra: {apart} of {pluralize(len(rows), 'claim')}."]
    if found:
        lines += ["", f"{len(found)} parts: {', '.join(words)}."]
        lines += ["", "| claim | part | on the control |", "|---|---|---|"]
        lines += [f"| `{id}` | {_cell(name)} | {_shown(outcome)} |" for id, name, outcome in found]
    return "\n".join(lines)


def controls_page(sections: Sequence[str]) -> str:
    intro = (
        "Each claim is judged on a deliberately wrong subject, too, and must fail there. Of a claim with several parts "
        "those that carry it should each fail; one marked as context is what the others presuppose. A part that does "
        "not fail, in bold, tells nothing apart on this control. Written by `lemmata docs` from the kept verdicts."
    )
    return "\n\n".join(["# Controls", intro, *sections]) + "\n"


def _shown(outcome: str) -> str:
    return outcome if outcome == "fails" or "context" in outcome else f"**{outcome}**"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
