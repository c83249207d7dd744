"""One record of a verdict: what is written is read back, of every verdict that the papers keep."""

import json

import pytest

from lemmata.core.registry import papers
from lemmata.record import Record, read_baseline

OURS = [id for id, paper in papers().items() if paper.package.startswith("lemmata.")]


@pytest.mark.parametrize("id", OURS)
def test_every_kept_verdict_survives_the_round_trip(id: str) -> None:
    kept = read_baseline(papers()[id])
    rows = [*kept["claims"].values(), *kept.get("paper", {}).values()]
    assert rows
    for row in rows:
        full = {"locus": "", "statement": "", "rule": "", "parts": {}, "id": "c"} | row
        record = Record.from_json(full)
        again = Record.from_json(json.loads(json.dumps(record.to_json())))
        assert again == record
        assert {part.part: len(part.elements) for part in record.evidence} == {
            part["part"]: len(part["rows"]) for part in row.get("evidence", ())
        }


def test_a_sample_is_counted_in_its_unit() -> None:
    row = {"where": {"T": 0.1}, "predicted": 1, "measured": 2.0, "low": 1.0, "high": 3.0, "seeds": 5, "unit": "seeds"}
    part = {"part": "a", "rule": "r", "asks": "≥", "unit": "", "allowance": [0, 1], "status": "holds", "margin": 0.5}
    part |= {"detail": "", "count": 1, "rows": [row | {"level": 0.95, "status": "holds", "margin": 0.5}]}
    data = {"id": "p/c", "locus": "", "statement": "", "rule": "", "parts": {}, "protocol": "the width"}
    record = Record.from_json(data | {"evidence": [part]})
    assert record.evidence[0].elements[0].count == 5
    assert record.to_json()["evidence"] == [part]
    assert not record.is_exact
