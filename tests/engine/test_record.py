"""One record of a verdict: what is written is read back, of every verdict that the papers keep."""

import json
from typing import Any

import pytest

from lemmata.core import Correction
from lemmata.core.registry import papers
from lemmata.record import Line, Provenance, Record, baselines, read_baseline

OURS = [id for id, paper in papers().items() if paper.package.startswith("lemmata.")]


def said(value: Any) -> Any:
    """Without what says nothing: earlier versions wrote it out."""
    if isinstance(value, dict):
        return {name: said(item) for name, item in value.items() if item not in (None, "", [], {})}
    return [said(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("id", OURS)
def test_every_kept_verdict_survives_the_round_trip(id: str) -> None:
    raw = json.loads((papers()[id].folder / "verdicts.json").read_text())
    kept = read_baseline(papers()[id])
    assert kept.claims
    for name, records in {"claims": kept.claims, "paper": kept.paper}.items():
        for record in records.values():
            whole = json.loads(json.dumps(record.to_json(), allow_nan=False))
            assert Record.from_json(whole) == record
            found = json.loads(json.dumps(record.found_json(), allow_nan=False))
            assert Record.from_json(found | {"id": record.id, "scale": record.scale}) == record
            before = said(raw[name][record.id])
            assert {key: said(found.get(key)) for key in before} == before
            counts = {part.part: len(part.elements) for part in record.evidence}
            assert counts == {part.get("part", ""): len(part.get("rows", ())) for part in before.get("evidence", ())}
    assert kept.at("paper") is kept.paper is baselines(papers()[id], "paper")


def test_a_sample_is_counted_in_its_unit() -> None:
    row = {"where": {"T": 0.1}, "predicted": 1, "measured": 2.0, "low": 1.0, "high": 3.0, "seeds": 5, "unit": "seeds"}
    part = {"part": "a", "rule": "r", "asks": "≥", "unit": "", "allowance": [0, 1], "status": "holds", "margin": 0.5}
    part |= {"detail": "", "count": 1, "rows": [row | {"level": 0.95, "status": "holds", "margin": 0.5}]}
    record = Record.from_json({"id": "p/c", "protocol": "the width", "evidence": [part]})
    assert record.evidence[0].elements[0].count == 5
    assert record.to_json()["evidence"] == [part]
    assert not record.is_exact


def test_a_correction_and_a_provenance_stand_flat_in_json() -> None:
    correction = Correction(severity="constant", printed="a", corrected="b", root="lemma-1")
    record = Record(id="p/c", correction=correction)
    data = record.to_json()
    assert (data["printed_formula"], data["corrected_formula"], data["root"]) == ("a", "b", "lemma-1")
    assert "latex" not in data
    assert Record.from_json(data) == record
    assert "reference" not in data, "it stands in lists"
    line = Line(claim="p/c", digest="d", date="2026-01-02", seen="Nothing.", why="")
    listing = Record(id="p/c", provenance=Provenance(line=line)).to_json()
    assert (listing["badge"], listing["rule_date"], listing["reference"]) == ("registered", "2026-01-02", None)


def test_under_changed_assumptions_no_verdict_is_exact() -> None:
    assert Record(id="p/c", protocol="exact").is_exact
    assert not Record(id="p/c", protocol="exact", changed=("T = 1",)).is_exact
