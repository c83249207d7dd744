"""A claim's verdicts under fresh randomness: replications 1, 2, ... beside the reference, which is replication 0."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from lemmata.core.registry import Paper
from lemmata.core.verdict import Status

REPLICATIONS = "replications.json"  # of a paper: claim id -> its last documented confirmation
# Between holds or erratum and fails; into or out of undecided; between the printed form and the corrected one.
Change = Literal["reversed", "undecided", "corrected"]


@dataclass(frozen=True, kw_only=True)
class Replication:
    """A claim's verdict under one fresh randomness."""

    status: Status
    margin: float | None = None
    computed: str  # when the first of its runs was
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Replications:
    digest: str  # of the claim as it was judged: under another rule, or of other runs, this says nothing
    scale: str
    reference: Status | None  # the verdict under replication 0, where it was known
    verdicts: Mapping[str, Replication]  # by replication
    code: str = ""  # the digest of its code

    @property
    def statuses(self) -> tuple[Status, ...]:
        return tuple(verdict.status for verdict in self.verdicts.values())

    @property
    def date(self) -> str:
        """When the first of its runs was computed."""
        return min(verdict.computed for verdict in self.verdicts.values())

    @property
    def seconds(self) -> float:
        """What computing all of its runs took."""
        return round(sum(verdict.seconds for verdict in self.verdicts.values()), 3)

    @property
    def usual(self) -> Status:
        """What the others are compared with: the reference, or the most frequent where there is none."""
        return self.reference or Counter(self.statuses).most_common(1)[0][0]

    @property
    def moved(self) -> dict[str, Replication]:
        """The replications whose verdict is another."""
        return {number: verdict for number, verdict in self.verdicts.items() if verdict.status != self.usual}

    @property
    def together(self) -> Status:
        """The verdict on which all agree, the reference included; `undecided` where they do not."""
        return "undecided" if self.moved else self.usual

    @property
    def change(self) -> Change | None:
        """What kind of move there was; the gravest, where there were several."""
        seen = {self.usual, *self.statuses}
        if "fails" in seen and seen & {"holds", "erratum"}:
            return "reversed"
        if len(seen) == 1:
            return None
        return "undecided" if "undecided" in seen else "corrected"

    def confirms(self, rule_date: str, least: int = 1) -> bool:
        """Whether there are so many replications younger than the rule that all agree, and on something."""
        fresh = [number for number, verdict in self.verdicts.items() if verdict.computed > rule_date]
        return len(fresh) >= least and not set(fresh) & set(self.moved) and self.usual != "undecided"

    def words(self) -> str:
        """An undecided verdict is not made firmer by being undecided again."""
        how = "again undecided in" if self.usual == "undecided" else "replicated"
        return f"{how} {len(self.verdicts) - len(self.moved)} of {len(self.verdicts)}"

    def merged(self, before: "Replications | None") -> "Replications":
        """With the replications of an earlier one under the same rule that this one did not repeat."""
        if before is None or not set(before.verdicts) - set(self.verdicts):
            return self
        numbers = sorted({*before.verdicts, *self.verdicts}, key=int)
        return replace(self, verdicts={one: self.verdicts.get(one) or before.verdicts[one] for one in numbers})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Replications":
        verdicts = {number: Replication(**one) for number, one in data["verdicts"].items()}
        return cls(**{**data, "verdicts": verdicts})


def kept_replications(paper: Paper) -> dict[str, Replications]:
    """Those that the paper's folder keeps, by claim id, fresh or stale."""
    path = paper.folder / REPLICATIONS
    rows = json.loads(path.read_text()) if path.is_file() else {}
    return {id: Replications.from_json(row) for id, row in rows.items()}
