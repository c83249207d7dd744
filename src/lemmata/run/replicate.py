"""Do verdicts survive fresh randomness? The same claims under other replications, judged one by one and together.

`<store>/confirmations/<claim>@<scale>.json` holds a claim's `Confirmation`: complete or not there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack, cast

from lemmata.core import Scale
from lemmata.core.registry import Selection
from lemmata.core.verdict import Status
from lemmata.record import CurrentRule, ExperimentResult, Replication, Replications, current_rule
from lemmata.record.record_of import finite
from lemmata.run.evaluate import evaluate, evaluate_claims, is_part
from lemmata.run.reporter import Computing
from lemmata.run.scheduler import compute_all
from lemmata.run.store import Store, keep_json
from lemmata.run.verdicts import claim_file, last_verdict, status_under_any_rule

FOLDER = "confirmations"


def confirm(
    selections: Sequence[Selection],
    scale: Scale,
    numbers: Sequence[int],
    store: Store,
    *,
    known: Mapping[str, Status],
    own_runs: bool = False,
    **how: Unpack[Computing],
) -> dict[str, Replications]:
    """Judge every selected claim under each of these replications, and keep what comes of it, by claim id.

    `known` are reference verdicts, for claims that this store has not judged. What is stored is not computed again, so
    an interrupted confirmation continues. An experiment of which a run could not be computed is not judged.
    """
    scales = {number: replace(scale, replication=number) for number in numbers}
    parts = [s for s in selections if own_runs and is_part(s)]
    entire = [s for s in selections if s not in parts]
    wanted = [run for one in scales.values() for s in entire for run in s.experiment.runs(one).values()]
    # All at once: one progress, and no worker waits for another.
    failed = compute_all(wanted, store, **how)
    by_claim = [(s, one) for one in scales.values() for s in parts]
    judged = [*evaluate_claims(by_claim, store, **how)]
    references = dict(known)
    for selection in selections:
        references |= _references(store, selection, scale)
    found: dict[str, Replications] = {}
    for one in scales.values():
        whole = [s for s in entire if not any(run.digest in failed for run in s.experiment.runs(one).values())]
        judged += evaluate(whole, one, store)
    for item in judged:
        if not item.runs.failed:
            found |= {id: one.merged(found.get(id)) for id, one in _judged(item, references).items()}
    rules = {claim.id: current_rule(one.experiment, claim) for one in selections for claim in one.claims}
    for id, confirmation in found.items():
        before = last_replications(store, id, scale=scale.name, rule=rules[id])
        keep_json(_path(store, id, scale.name), confirmation.merged(before).to_json())
    return found


def last_replications(store: Store, claim_id: str, *, scale: str, rule: CurrentRule) -> Replications | None:
    """What the store keeps of the claim under its present rule and runs."""
    try:
        kept = Replications.from_json(json.loads(_path(store, claim_id, scale).read_text()))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return kept if rule.accepts(kept.digest, kept.code) else None


def seen_of(store: Store, claim_id: str) -> list[str]:
    """What the store holds of a claim at the scales that count, in words, under whichever rule it was judged.
    (The smoke scale's sizes are no rule's.)"""
    found = []
    for scale in ("laptop", "paper"):
        if status := status_under_any_rule(store, claim_id, scale):
            found.append(f"{status} at scale {scale}")
        if _path(store, claim_id, scale).is_file():
            found.append(f"replications at scale {scale}")
    return found


def _references(store: Store, selection: Selection, scale: Scale) -> dict[str, Status]:
    """The verdicts that the store keeps under replication 0."""
    runs = {config.digest for config in selection.experiment.runs(replace(scale, replication=0)).values()}
    found = (
        last_verdict(store, claim, current_rule(selection.experiment, claim), scale=scale.name, runs=runs)
        for claim in selection.claims
    )
    return {one.id: cast(Status, one.status) for one in found if one and one.status}


def _judged(item: ExperimentResult, references: Mapping[str, Status]) -> dict[str, Replications]:
    """One replication of an experiment's claims."""
    computed = min((str(run.record.get("computed", "")) for run in item.runs.by_name.values()), default="")
    seconds, number = round(item.seconds, 3), str(item.runs.scale.replication)
    rules = {one.claim.id: current_rule(item.experiment, one.claim) for one in item.judgements}
    return {
        one.claim.id: Replications(
            digest=rules[one.claim.id].digest,
            code=rules[one.claim.id].code,
            scale=item.runs.scale.name,
            reference=references.get(one.claim.id),
            verdicts={
                number: Replication(status=one.status, margin=finite(one.margin), computed=computed, seconds=seconds)
            },
        )
        for one in item.judgements
    }


def _path(store: Store, claim_id: str, scale: str) -> Path:
    return store.root / FOLDER / claim_file(claim_id, scale)
