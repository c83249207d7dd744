"""One cell of a sweep: a combination of values, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lemmata.core.run import RunConfig
from lemmata.record.record import Record


@dataclass(frozen=True)
class Cell:
    """One combination: its runs, or why it is not possible."""

    values: Mapping[str, str]
    runs: Mapping[str, RunConfig] = field(default_factory=dict)
    refused: str = ""


@dataclass(frozen=True)
class Judged:
    """What became of a cell; its runs are in the store, not here."""

    cell: Cell
    records: Mapping[str, Record]  # by claim id; of each part the number that decides

    def status(self, claim_id: str) -> str:
        if self.cell.refused:
            return "refused"
        record = self.records.get(claim_id)
        return record.status or "" if record else ""

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"set": dict(self.cell.values)}
        if self.cell.refused:
            return found | {"refused": self.cell.refused}
        runs = [config.digest for config in self.cell.runs.values()]
        return found | {"claims": {id: one.found_json() for id, one in self.records.items()}, "runs": runs}
