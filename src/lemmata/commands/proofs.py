"""`lemmata verify-proof`: stored certificates checked against the statements of the claims that rest on them."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from rich.console import Console

from lemmata.commands.options import AtScale, Ids, Json, print_json
from lemmata.core import Claim, Runs, Scale, Undecided, UserError, certified
from lemmata.core.cli_hints import command
from lemmata.core.extras import missing_extra
from lemmata.core.registry import Selection, full_id, select
from lemmata.proofs import ProofRun, certificate_of
from lemmata.report.table_layout import rows_table
from lemmata.run import Store
from lemmata.run.store import DamagedRun


@dataclass(frozen=True)
class Verified:
    """What came of checking a certificate."""

    claim: str
    statement: str
    on: str
    verdict: str
    problem: str | None
    boxes: int
    bits: int
    seconds: float


def verify_proofs(ids: Ids, scale: AtScale, store: Store, *, console: Console, as_json: Json = False) -> int:
    """Check the stored certificates of proved claims again.

    Every box, against the claim's own statement. It searches for nothing: the statement gives the steps, the
    certificate the boxes. Of a paper or an experiment, all its claims that are proved. Exits 1 if a certificate does
    not prove its claim. Needs the extra `proofs`.

    Example: lemmata verify-proof ic-recall/turning-points-proved
    """
    if reason := missing_extra("proofs"):
        raise UserError(f"verify-proof cannot check anything here: {reason}")
    found = [(one, claim) for one in select(ids) for claim in one.claims if _is_proved(claim)]
    if not found:
        named = ", ".join(map(full_id, ids)) or "any paper"
        raise UserError(f"verify-proof: no claim of {named} rests on a certificate (its rule is not `certified`)")
    verified = [one for selection, claim in found for one in _verified(selection, claim, scale, store)]
    if as_json:
        print_json([asdict(one) for one in verified])
    else:
        cells = [(one.claim, one.verdict, one.boxes, f"{one.seconds:.2f} s", one.statement) for one in verified]
        console.print(rows_table(["claim", "certificate", "boxes", "checked in", "proves"], cells, ["claim", "boxes"]))
    return int(any(one.problem for one in verified))


def _is_proved(claim: Claim) -> bool:
    return any(isinstance(part.rule, certified) for part in claim.named_parts().values())


def _verified(selection: Selection, claim: Claim, scale: Scale, store: Store) -> Iterator[Verified]:
    for config in _configs(selection, claim, scale, store):
        begun = time.perf_counter()
        try:
            certificate = certificate_of(store.load(config))
            problem, boxes, bits = config.problem(certificate), certificate.boxes, certificate.bits
        except (Undecided, DamagedRun) as why:
            problem, boxes, bits = str(why), 0, 0
        on = config.proposition.on
        yield Verified(
            claim=claim.id,
            statement=config.proposition.says,
            on=on,
            verdict=f"does not prove it: {problem}" if problem else f"proved on {on}",
            problem=problem,
            boxes=boxes,
            bits=bits,
            seconds=time.perf_counter() - begun,
        )


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
