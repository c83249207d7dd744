"""What stands behind the verdicts of claims: their ledger's lines, and confirmations of the store or of the paper."""

from lemmata.core import Claim, Selection, Standing, claim_digest, documented_confirmations, ledger
from lemmata.run import Store, last_confirmation


def standing(selection: Selection, claim: Claim, scale: str, store: Store | None) -> Standing:
    """A confirmation of the store goes before the one that the paper's folder keeps; a stale one is never shown."""
    digest = claim_digest(selection.experiment, claim)
    lines = [line for line in ledger(selection.paper) if line.claim == claim.id]
    found = last_confirmation(store, claim.id, scale=scale, digest=digest) if store else None
    kept = documented_confirmations(selection.paper).get(claim.id)
    if found is None and kept and kept.digest == digest and kept.scale == scale:
        found = kept
    return Standing(line=lines[-1] if lines and lines[-1].digest == digest else None, confirmation=found)
