"""What stands behind the verdicts of claims: their ledger's lines, and confirmations of the store or of the paper."""

from lemmata.core import Claim
from lemmata.core.registry import Selection
from lemmata.record import Provenance, claim_digest, kept_replications, ledger
from lemmata.run import Store, last_replications


def provenance(selection: Selection, claim: Claim, scale: str, store: Store | None) -> Provenance:
    """A confirmation of the store goes before the one that the paper's folder keeps; a stale one is never shown."""
    digest = claim_digest(selection.experiment, claim)
    lines = [line for line in ledger(selection.paper) if line.claim == claim.id]
    found = last_replications(store, claim.id, scale=scale, digest=digest) if store else None
    kept = kept_replications(selection.paper).get(claim.id)
    if found is None and kept and kept.digest == digest and kept.scale == scale:
        found = kept
    return Provenance(line=lines[-1] if lines and lines[-1].digest == digest else None, confirmation=found)
