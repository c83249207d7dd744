"""What was found, in a sentence whose numbers are read from verdicts. A paper's `findings.py` exports `FINDINGS`.

A finding names the verdicts that it rests on. Where they are others it is not said, and where they are still missing it
waits for them: a sentence cannot outlive its evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lemmata.core.registry import Paper, exported_by
from lemmata.core.verdict import Status
from lemmata.record.record import Record, Records

State = Literal["found", "waits", "otherwise"]


@dataclass(frozen=True)
class Number:
    """A number of a claim's evidence; of a sample its mean, of several values the one at an index, or an extreme."""

    claim: str  # its id without the paper's
    part: str = ""  # none: the claim has but one
    at: int | tuple[int, ...] | Literal["min", "max", "low", "high", "seeds"] | None = None
    form: str = ".2f"
    of: Literal["measured", "predicted", "corrected"] = "measured"

    def read(self, record: Record) -> str:
        value: Any = getattr(record, self.of)
        value = value[self.part] if self.part else value
        if isinstance(value, Mapping) and self.at not in value:
            value = value["mean"]
        if self.at in ("min", "max"):
            value = value[self.at] if isinstance(value, dict) else {"min": min, "max": max}[self.at](value)
        elif self.at is not None:
            for index in self.at if isinstance(self.at, tuple) else (self.at,):
                value = value[index]
        return f"{value:{self.form}}".replace("-", "−")


@dataclass(frozen=True, kw_only=True)
class Finding:
    text: str  # one sentence; {name} stands for a number
    rests_on: Mapping[str, Status]  # claims (ids without the paper's) and the verdicts without which it is not said
    shown_by: str  # the experiment, without the paper's id, whose figure shows it
    numbers: Mapping[str, Number] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, number in self.numbers.items():
            if number.claim not in self.rests_on:
                raise ValueError(f"the number {name!r} is of {number.claim}, on which the finding does not rest")

    def checked(self, paper_id: str, evidence: Records) -> "CheckedFinding":
        records = {name: evidence.get(f"{paper_id}/{name}") for name in self.rests_on}
        judged = {name: one for name, one in records.items() if one and one.is_judged}
        if missing := [name for name in records if name not in judged]:
            return CheckedFinding(self, "waits", ", ".join(f"`{name}`" for name in missing))
        others = [f"`{name}` is {one.status}" for name, one in judged.items() if one.status != self.rests_on[name]]
        if others:
            return CheckedFinding(self, "otherwise", ", ".join(others))
        try:
            shown = {name: number.read(judged[number.claim]) for name, number in self.numbers.items()}
        except (KeyError, IndexError, TypeError, ValueError):  # evidence of another size than the sentence speaks of
            return CheckedFinding(self, "otherwise", "its numbers are not in the evidence")
        ours = dict.fromkeys(one.protocol for one in judged.values() if one.protocol and not one.is_exact)
        return CheckedFinding(self, "found", self.text.format(**shown), "; ".join(ours))


@dataclass(frozen=True)
class CheckedFinding:
    """A finding held against verdicts: the sentence; or the claims it waits for; or why it is not said."""

    finding: Finding
    state: State
    text: str
    ours: str = ""  # what of the settings of its verdicts is not the paper's


def findings(paper: Paper) -> tuple[Finding, ...]:
    """The paper's findings, the first to read first; none where nobody has written any."""
    return exported_by(paper, "findings", ())
