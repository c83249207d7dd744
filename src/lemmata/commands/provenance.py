"""What stands behind the verdicts of claims: their ledger's lines, and confirmations of the store or of the paper."""

from lemmata.core import Claim
from lemmata.core.registry import Selection
from lemmata.record import Provenance, current_rule, kept_replications, replies
from lemmata.run import Store, last_replications


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
