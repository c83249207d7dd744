"""What is known of every claim: code, last verdict, and what stands behind it."""

from collections.abc import Sequence
from dataclasses import replace

from lemmata.core import Claim, Scale
from lemmata.core.cli_hints import command
from lemmata.core.registry import Selection, file_of, select
from lemmata.record import NOT_RUN, Provenance, Record, current_rule, kept_replications, replies
from lemmata.record.record_of import claim_facts
from lemmata.run import Store, last_replications, last_verdict, obstacle


def claim_records(ids: Sequence[str], scale: Scale, store: Store | None) -> list[Record]:
    """What is known of every claim, with its last verdict in the store if one is given."""
    records = []
    for selection in select(ids):
        requested, runs, reason = selection.experiment.runs(scale).values(), [], None
        if store:
            reason = obstacle(selection.experiment, requested, store)
            runs = [] if reason else sorted({config.digest for config in requested})
        records += [_record(selection, claim, scale, store, runs, reason) for claim in selection.claims]
    return records


def _record(
    selection: Selection, claim: Claim, scale: Scale, store: Store | None, runs: list[str], reason: str | None
) -> Record:
    """`reason`: why it cannot be run here, if so."""
    known = replace(
        claim_facts(claim, selection, scale),
        remark=claim.remark if isinstance(claim.remark, str) else "",
        extra=selection.experiment.extra or "",
        runs=tuple(runs),
        command=command("check", claim.id, "--scale", scale.name),
        file=str(file_of(selection.experiment.id)),
        provenance=provenance(selection, claim, scale.name, store),
    )
    if reason:
        return replace(known, status=NOT_RUN, detail=reason)
    rule = current_rule(selection.experiment, claim)
    verdict = last_verdict(store, claim, rule, scale=scale.name, runs=runs) if runs and store else None
    if verdict and verdict.stale:
        return replace(known, stale=f"its rule has changed; `{known.command}` judges it again")
    return replace(known.with_found(verdict), runs=verdict.runs) if verdict else known


def provenance(selection: Selection, claim: Claim, scale: str, store: Store | None) -> Provenance:
    """A confirmation of the store goes before the one that the paper's folder keeps; a stale one is never shown."""
    rule = current_rule(selection.experiment, claim)
    found = last_replications(store, claim.id, scale=scale, rule=rule) if store else None
    kept = kept_replications(selection.paper).get(claim.id)
    if found is None and kept and rule.accepts(kept.digest, kept.code) and kept.scale == scale:
        found = kept
    name = claim.id.partition("/")[2]
    answers = tuple(one for one in replies(selection.paper) if one.claim == name)
    return Provenance(line=rule.line, confirmation=found, replies=answers)
