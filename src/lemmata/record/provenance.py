"""What stands behind a verdict besides its evidence: how old its rule is, and whether fresh randomness agrees."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from lemmata.core.verdict import Status
from lemmata.record.ledger import Line
from lemmata.record.replication import Replications
from lemmata.record.reply import Reply

Badge = Literal["registered", "exploratory"]


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Both are of the claim as it stands now: a line or a confirmation of another rule says nothing of this one."""

    line: Line | None = None
    confirmation: Replications | None = None
    replies: tuple[Reply, ...] = ()  # of authors of the paper, to this verdict

    @property
    def badge(self) -> Badge | None:
        """`registered`: the rule is older than every run of its settings; `exploratory`: something had been seen."""
        return self.line and ("registered" if self.line.saw_nothing else "exploratory")

    @property
    def replicated(self) -> str | None:
        return self.confirmation.words() if self.confirmation else None

    @property
    def replications(self) -> dict[str, Status]:
        """Replication -> its verdict."""
        verdicts = self.confirmation.verdicts if self.confirmation else {}
        return {number: verdict.status for number, verdict in verdicts.items()}

    @property
    def is_confirmed(self) -> bool:
        """Whether randomness that is younger than the rule agrees with its verdict."""
        return self.line is not None and self.confirmation is not None and self.confirmation.confirms(self.line.date)

    @property
    def is_unstable(self) -> bool:
        return self.confirmation is not None and bool(self.confirmation.moved)

    @property
    def is_disputed(self) -> bool:
        return any(not one.settled for one in self.replies)

    def words(self) -> tuple[str, ...]:
        """In short, for a page: badge, replications, whether the two make a confirmation, an author's answer."""
        confirmed = "confirmed on fresh randomness" if self.is_confirmed else None
        answered = "disputed" if self.is_disputed else "answered" if self.replies else None
        return tuple(word for word in (self.badge, self.replicated, confirmed, answered) if word)

    def facts(self) -> list[tuple[str, str]]:
        """In full, each with its name."""
        found = []
        if self.line:
            found.append(("rule is", f"{self.badge}, of {self.line.date[:10]}; seen by then: {self.line.seen}"))
        if self.confirmation:
            each = ", ".join(f"{number}: {status}" for number, status in self.replications.items())
            words = f"{self.replicated}{', confirmed' if self.is_confirmed else ''}"
            found.append(("fresh randomness", f"{words} ({each}), of {self.confirmation.date[:10]}"))
        return found + [("reply", one.words()) for one in self.replies]

    def to_json(self) -> dict[str, Any]:
        return {
            "badge": self.badge,
            "seen": self.line.seen if self.line else "",
            "rule_date": self.line.date if self.line else None,
            "replicated": self.replicated,
            "replications": self.replications,
            "unstable": self.is_unstable,
            "confirmed": self.is_confirmed,
            "disputed": self.is_disputed,
            "replies": [asdict(one) for one in self.replies],
        }
