"""A claim of a paper as a program: what is measured, on which subject, under a rule written beforehand; its verdict's
form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lemmata.core.certificate import Certificate
from lemmata.core.condition import Needs
from lemmata.core.errors import Undecided
from lemmata.core.evidence import Evidence
from lemmata.core.protocol import EXACT, Protocol
from lemmata.core.rule import Rule
from lemmata.core.run import Runs
from lemmata.core.verdict import Status
from lemmata.core.wording import Configs, Word, reworded

NOTHING = object()
Severity = Literal["typographical", "constant", "step of a proof", "statement"]


def attempt(reading: Callable[..., Any], *of: Any) -> Any:
    """What a reading gives, or why it cannot."""
    try:
        return reading(*of)
    except Undecided as undecided:
        return undecided


def unnamed(values: Mapping[str, Any]) -> Any:
    """The values of a claim's parts; of a claim that has but one, its value."""
    return values.get("", values)


@dataclass(frozen=True)
class Part:
    """One number (or array) of a claim: how it is read from the subject, and the rule it is under.

    `corrected` is the rule's target by the right formula, where the claim's printed one is thought to be wrong. A part
    that carries the claim must fail on the control; one that does not is context: what the others presuppose. `wrong`
    is a part's own wrong subject, where the claim's can only fail in the others.
    `along` says of an array what its axes are, so that its numbers can be told apart: an axis' name -> its values, or
    a function of the runs that gives them; the axis of `Seeds` is not among them. It decides nothing.
    """

    read: Callable[[Any], Any]
    rule: Rule
    corrected: Any = NOTHING
    carries: bool = True
    wrong: Callable[[Runs], Any] | None = None
    along: Mapping[str, Any] = field(default_factory=dict)

    def if_corrected(self, printed: Any, runs: Runs) -> Any:
        """The target by the right formula; what the printed one came to, where that is not thought to be wrong."""
        return printed if self.corrected is NOTHING else replace(self.rule, target=self.corrected).expected(runs)

    def axes(self, runs: Runs) -> dict[str, Any]:
        """What the axes of an array are in these runs."""
        return {axis: attempt(values, runs) if callable(values) else values for axis, values in self.along.items()}


@dataclass(frozen=True, kw_only=True)
class Correction:
    """The right form of a printed formula that is wrong, in words; its value stands in the parts, as `corrected`."""

    severity: Severity  # what is wrong of the paper: a sign that the reader mends, or what it states
    printed: str  # the paper's formula, as text
    corrected: str  # ours
    reason: str = ""  # where the printed derivation goes astray
    root: str = ""  # the claim (its id without the paper's) whose slip this one follows from; none: a slip of its own
    survives: str = ""  # which of the paper's statements stand all the same
    source: str = ""  # the text it was read from: a scan can lose a sign
    latex: str = ""  # a replacement that the authors can paste


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The control is the same reading of a deliberately wrong subject: another model, world, moment or formula."""

    id: str  # "fig-3"; the registry puts the paper before it
    locus: str  # where the paper says it
    statement: str  # what it says, in our own words
    subject: Callable[[Runs], Any]  # what is measured
    wrong: Callable[[Runs], Any]  # what must not pass
    parts: Part | Mapping[str, Part]
    correction: Correction | None = None
    needs: Needs = field(default_factory=dict)  # a run's or a group's name -> conditions on its config or its result
    wording: Mapping[str, Word] = field(default_factory=dict)  # a phrase that names a run's value -> it for other runs
    uses: tuple[str, ...] = ()  # ids (without the paper's) of the claims that it rests on, as the paper says it
    protocol: Protocol = EXACT  # whose the settings are: the paper's, or what of them is ours
    remark: str | Callable[[Runs], str] = ""  # what surprised us, or why it fails; numbers in it are computed

    def under(self, before: Configs, after: Configs) -> "Claim":
        """The same claim in the words of other settings: phrases whose value changed say the new one."""
        said = {phrase: word(after) for phrase, word in self.wording.items() if word(before) != word(after)}
        if not said:
            return self
        parts = self.parts
        if isinstance(parts, Mapping):
            named = {reworded(name, said): part for name, part in parts.items()}
            parts = named if len(named) == len(parts) else parts  # two that became one in words stay apart
        return replace(self, statement=reworded(self.statement, said), parts=parts)

    def named_parts(self) -> Mapping[str, Part]:
        return self.parts if isinstance(self.parts, Mapping) else {"": self.parts}

    @property
    def rule(self) -> str:
        """The rule in words, made from the parts."""
        return "; ".join(f"{name}: {part.rule.describe()}".lstrip(": ") for name, part in self.named_parts().items())


@dataclass(frozen=True, repr=False)
class Judgement:
    """A claim's verdict with its evidence; where the claim has named parts, the values are dicts of them."""

    claim: Claim
    status: Status
    predicted: Any
    measured: Any
    margin: float
    control_status: str
    detail: str = ""
    corrected: Any = None
    remark: str = ""
    control: Mapping[str, Status] = field(default_factory=dict)  # part by part; "" where the claim has but one
    protocol: str = ""  # what of the settings is ours; empty where they are the paper's
    reads: tuple[str, ...] = ()  # the runs on which the verdict rests, the control's not among them
    evidence: tuple[Evidence, ...] = ()  # part by part

    def __repr__(self) -> str:
        """As a notebook shows it: the verdict, then a line a part."""
        head = f"{self.status}: {self.claim.id}, margin {self.margin:+.3g}, control {self.control_status}"
        parts = (f"{f'{one.part}: '.lstrip(': ')}{one.verdict.status}, {one.rule.describe()}" for one in self.evidence)
        return "\n  ".join([head, *([self.detail] if self.detail else []), *parts])

    @property
    def proved(self) -> str:
        """The set on which the claim is proved; empty where it is not, or not in all its parts."""
        found = [one.measured for one in self.evidence if isinstance(one.measured, Certificate)]
        if self.status != "holds" or not found or len(found) < len(self.evidence):
            return ""
        return "; ".join(dict.fromkeys(one.on for one in found))
