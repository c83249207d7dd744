"""Verdicts that travel with the package, in the place of those that nobody has computed here yet."""

from collections.abc import Sequence
from typing import Any

from lemmata.core import Scale
from lemmata.core.cli_hints import command
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import papers
from lemmata.record import NOT_RUN, STALE, CurrentRule, baselines, current_rules, is_fresh, origin

EVIDENCE = (
    *("status", "predicted", "measured", "margin", "control_status", "control", "detail", "corrected", "proved"),
    *("remark", "seconds", "reads", "evidence"),
)


def with_baselines(rows: Sequence[dict[str, Any]], scale: Scale) -> list[dict[str, Any]]:
    """The rows, those without a verdict of this store with the reference's; `reference` says where that comes from."""
    if scale.replication or scale.num_seeds:  # the reference is of the seeds that the experiments name
        return [row | {"reference": None} for row in rows]
    kept = {id: baselines(papers()[id], scale.name) for id in {row["paper"] for row in rows}}
    wanted = {row["id"]: row["experiment"] for row in rows if _is_open(row) and row["id"] in kept[row["paper"]]}
    rules = current_rules(sorted(set(wanted.values())), scale.name) if wanted else {}
    return [
        _with_reference(row, kept[row["paper"]][row["id"]], rules[row["id"]], scale)
        if row["id"] in wanted
        else row | {"reference": None}
        for row in rows
    ]


def _is_open(row: dict[str, Any]) -> bool:
    return row["status"] in (None, NOT_RUN)


def _with_reference(row: dict[str, Any], kept: dict[str, Any], rule: CurrentRule, scale: Scale) -> dict[str, Any]:
    if not is_fresh(kept, rule):
        return row | {"reference": STALE}
    known = {name: kept[name] for name in EVIDENCE if kept.get(name) is not None}
    if row["status"] == NOT_RUN:
        known["detail"] = f"not run here: {row['detail']}"
    return row | known | {"reference": origin(kept, scale.name)}


def baseline_lines(rows: Sequence[dict[str, Any]], scale: Scale) -> list[str]:
    """Beneath a list: whose verdicts these are, and which have none."""
    shown = [row for row in rows if row["reference"] and not _is_open(row)]
    stale = [row for row in rows if row["reference"] == STALE and row["status"] is None]
    lines = []
    if shown:
        whence = "; ".join(dict.fromkeys(row["reference"] for row in shown))
        lines.append(
            f"{pluralize(len(shown), 'verdict is', 'verdicts are')} the reference that comes with the package "
            f"({whence}), not computed here: "
            f"`{command('check', 'ID', scale=scale.name)}` puts your own in their place."
        )
    if stale:
        lines.append(f"{STALE}: {', '.join(row['id'] for row in stale)}")
    return lines
