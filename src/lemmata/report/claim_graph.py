"""A paper's claims as a graph in JSON, for services that collect such graphs; its schema stands beside this file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lemmata
from lemmata.core import Paper
from lemmata.core.claim import Claim
from lemmata.record import Provenance, Record, correction_json

SCHEMA = Path(__file__).with_name("claim-graph.schema.json")
FORMAT = "lemmata-claim-graph/1"
KINDS = {
    "theorem": r"Theorem",
    "lemma": r"Lemma",
    "corollary": r"Corollary",
    "proposition": r"Prop(osition|\.)",
    "assumption": r"Assumption",
    "figure": r"Figure",
    "table": r"Table",
    "equation": r"[Ee]q(uation|\.)s?|\(\d+\)",
    "algorithm": r"Algorithm",
}


def claim_graph(paper: Paper, claims: Mapping[str, Claim], records: Sequence[Record]) -> dict[str, Any]:
    about = {name: getattr(paper, name) for name in ("id", "title", "authors", "year", "link")}
    nodes = [_node(one, claims[one.id], claims.keys()) for one in records]
    return {"format": FORMAT, "lemmata": lemmata.__version__, "paper": about, "claims": nodes}


def _node(record: Record, claim: Claim, known: Any) -> dict[str, Any]:
    behind = record.provenance or Provenance()
    root = [claim.correction.root] if claim.correction and claim.correction.root else []
    rests = dict.fromkeys(f"{record.paper}/{name}" for name in (*claim.uses, *root))
    return {
        "id": record.id,
        "locus": record.locus,
        "statement": record.statement,
        "kind": kind_of(record.locus),
        "evidence": _evidence(record),
        "scope": {"scale": record.scale, "proved_on": record.proved or None, "experiment": record.experiment},
        "protocol": record.protocol,
        "verdict": record.status,
        "rule": record.rule,
        "resolution": record.resolution or None,
        "margin": record.margin,
        "control": record.control_status,
        "rule_is": behind.badge,
        "replications": behind.replications,
        "disputed": behind.is_disputed,
        "correction": correction_json(record.correction) or None,
        "rests_on": [one for one in rests if one in known and one != record.id],
        "command": f"lemmata check {record.id}",
    }


def kind_of(locus: str) -> str:
    """By what the place in the paper is called first; an observation where it is none of these."""
    places = {kind: found.start() for kind, pattern in KINDS.items() if (found := re.search(pattern, locus))}
    return min(places, key=lambda kind: places[kind], default="observation")


def _evidence(record: Record) -> str:
    if record.proved:
        return "proof"
    is_mean = any(element.count for part in record.evidence for element in part.elements)
    return "measurement over seeds" if is_mean else "computation" if record.is_judged else "none"
