"""`lemmata verify-proof`: stored certificates checked against the statements of the claims that rest on them."""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from lemmata.core import Claim, Runs, Scale, UserError, certified
from lemmata.core.cli_hints import command
from lemmata.core.extras import missing_extra
from lemmata.core.registry import Selection, full_id, select
from lemmata.proofs import ProofRun, certificate_of
from lemmata.report.table_layout import rows_table
from lemmata.run import Store
from lemmata.run.store import DamagedRun

Row = dict[str, Any]


def verify_proofs(ids: Sequence[str], scale: Scale, store_path: Path, *, as_json: bool, console: Console) -> int:
    """A line a certificate; 1 if one does not prove its claim."""
    if reason := missing_extra("proofs"):
        raise UserError(f"verify-proof cannot check anything here: {reason}")
    found = [(one, claim) for one in select(ids) for claim in one.claims if _is_proved(claim)]
    if not found:
        named = ", ".join(map(full_id, ids)) or "any paper"
        raise UserError(f"verify-proof: no claim of {named} rests on a certificate (its rule is not `certified`)")
    rows = [row for selection, claim in found for row in _rows(selection, claim, scale, Store(store_path))]
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        cells = [
            (row["claim"], row["verdict"], row["boxes"], f"{row['seconds']:.2f} s", row["statement"]) for row in rows
        ]
        console.print(rows_table(["claim", "certificate", "boxes", "checked in", "proves"], cells, ["claim", "boxes"]))
    return int(any(row["problem"] for row in rows))


def _is_proved(claim: Claim) -> bool:
    return any(isinstance(part.rule, certified) for part in claim.named_parts().values())


def _rows(selection: Selection, claim: Claim, scale: Scale, store: Store) -> Iterator[Row]:
    for config in _configs(selection, claim, scale, store):
        begun = time.perf_counter()
        certificate = certificate_of(store.load(config))
        problem = config.problem(certificate)
        yield {
            "claim": claim.id,
            "statement": config.proposition.says,
            "on": config.proposition.on,
            "verdict": f"does not prove it: {problem}" if problem else f"proved on {config.proposition.on}",
            "problem": problem,
            "boxes": certificate.boxes,
            "bits": certificate.bits,
            "seconds": time.perf_counter() - begun,
        }


def _configs(selection: Selection, claim: Claim, scale: Scale, store: Store) -> list[ProofRun]:
    """The runs whose certificates the claim reads, its control's not among them."""
    named = selection.experiment.runs(scale)
    try:
        stored = {name: store.load(config) for name, config in named.items() if config.digest in store}
    except DamagedRun as damaged:
        raise UserError(f"{claim.id}: a stored certificate is damaged: {damaged}") from None
    runs = Runs(stored, scale).watched()
    if len(stored) == len(named):
        claim.subject(runs)
    read = [config for name in sorted(runs.read) if isinstance(config := named[name], ProofRun)]
    if not read:
        makes = command("check", claim.id, scale=scale.name)
        raise UserError(f"{claim.id} has no certificate in {store.root}: `{makes}` makes one")
    return read
