"""Verdicts that travel with the package, in the place of those that nobody has computed here yet."""

from collections.abc import Sequence
from dataclasses import replace

from lemmata.core import Scale
from lemmata.core.cli_hints import command
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import papers
from lemmata.record import NOT_RUN, STALE, CurrentRule, Record, baselines, current_rules, is_fresh, origin


def with_baselines(records: Sequence[Record], scale: Scale) -> list[Record]:
    """Those without a verdict of this store with the reference's; `reference` says where that comes from."""
    if scale.replication or scale.num_seeds:  # the reference is of the seeds that the experiments name
        return list(records)
    kept = {
        id: kept
        for paper in {one.paper for one in records}
        for id, kept in baselines(papers()[paper], scale.name).items()
    }
    wanted = {one.experiment for one in records if not one.is_judged and one.id in kept}
    rules = current_rules(sorted(wanted), scale.name) if wanted else {}
    return [one if one.is_judged or one.id not in kept else _known(one, kept[one.id], rules[one.id]) for one in records]


def _known(record: Record, kept: Record, rule: CurrentRule) -> Record:
    if not is_fresh(kept, rule):
        return replace(record, reference=STALE)
    known = replace(record.with_found(kept), reference=origin(kept))
    return replace(known, detail=f"not run here: {record.detail}") if record.status == NOT_RUN else known


def baseline_lines(records: Sequence[Record], scale: Scale) -> list[str]:
    """Beneath a list: whose verdicts these are, and which have none."""
    whence = [one.reference for one in records if one.reference and one.is_judged]
    stale = [one.id for one in records if one.reference == STALE and one.status is None]
    lines = []
    if whence:
        lines.append(
            f"{pluralize(len(whence), 'verdict is', 'verdicts are')} the reference that comes with the package "
            f"({'; '.join(dict.fromkeys(whence))}), not computed here: "
            f"`{command('check', 'ID', scale=scale.name)}` puts your own in their place."
        )
    return lines + ([f"{STALE}: {', '.join(stale)}"] if stale else [])
