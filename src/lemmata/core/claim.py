"""A claim of a paper as a program: what is measured, on which subject, under a rule written beforehand; its verdict's
form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lemmata.core.certificate import Certificate
from lemmata.core.errors import Undecided
from lemmata.core.evidence import Evidence
from lemmata.core.plain import plain
from lemmata.core.rule import Rule
from lemmata.core.run import Need, Runs, Setting
from lemmata.core.verdict import Status
from lemmata.core.wording import Configs, Word, reworded

NOTHING = object()


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
    that carries the claim must fail on the control; one that does not is context: what the others presuppose.
    `along` says of an array what its axes are, so that its numbers can be told apart: an axis' name -> its values, or
    a function of the runs that gives them; the axis of `Seeds` is not among them. It decides nothing. `never` says what
    it means that a number is not finite: of a step at which something happens, that it never did.
    """

    read: Callable[[Any], Any]
    rule: Rule
    corrected: Any = NOTHING
    carries: bool = True
    along: Mapping[str, Any] = field(default_factory=dict)
    never: str = ""

    def if_corrected(self, printed: Any, runs: Runs) -> Any:
        """The target by the right formula; what the printed one came to, where that is not thought to be wrong."""
        return printed if self.corrected is NOTHING else replace(self.rule, target=self.corrected).expected(runs)

    def axes(self, runs: Runs) -> dict[str, Any]:
        """What the axes of an array are in these runs."""
        return {axis: attempt(values, runs) if callable(values) else values for axis, values in self.along.items()}


@dataclass(frozen=True, kw_only=True)
class Correction:
    """The right form of a printed formula that is wrong, in words; its value stands in the parts, as `corrected`."""

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
    needs: Mapping[str, Need] = field(default_factory=dict)  # a run's or a group's name -> what this claim needs of it
    setting: Mapping[str, Setting] = field(default_factory=dict)  # the same -> where the rule has a meaning
    wording: Mapping[str, Word] = field(default_factory=dict)  # a phrase that names a run's value -> it for other runs
    uses: tuple[str, ...] = ()  # ids (without the paper's) of the claims that it rests on, as the paper says it
    ours_below_paper: str = ""  # which settings of the smaller scales are ours: a failure there is not the paper's
    ours_at_every_scale: str = ""  # which settings the paper does not print: no failure is the paper's
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

    def facts(self) -> dict[str, Any]:
        """What is known of the claim before anything is measured, as plain JSON data."""
        parts = {
            name: {"rule": part.rule.describe(), "carries": part.carries} for name, part in self.named_parts().items()
        }
        facts = {"id": self.id, "locus": self.locus, "statement": self.statement, "rule": self.rule, "parts": parts}
        if self.correction:
            facts |= {"printed_formula": self.correction.printed, "corrected_formula": self.correction.corrected}
            more = {name: getattr(self.correction, name) for name in ("reason", "root", "survives", "source", "latex")}
            facts |= {"reason": ""} | {name: text for name, text in more.items() if text}
        return facts


@dataclass(frozen=True)
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
    reads: tuple[str, ...] = ()  # the runs on which the verdict rests, the control's not among them
    evidence: tuple[Evidence, ...] = ()  # part by part

    @property
    def proved(self) -> str:
        """The set on which the claim is proved; empty where it is not, or not in all its parts."""
        found = [one.measured for one in self.evidence if isinstance(one.measured, Certificate)]
        if self.status != "holds" or not found or len(found) < len(self.evidence):
            return ""
        return "; ".join(dict.fromkeys(one.on for one in found))

    def row(self, limit: int | None = None) -> dict[str, Any]:
        """The verdict as plain JSON data; `limit`: of the evidence, so many elements a part alone."""
        values = {"predicted": self.predicted, "measured": self.measured, "margin": self.margin}
        if self.claim.correction:
            values["corrected"] = self.corrected
        words = {"status": self.status, "control_status": self.control_status, "detail": self.detail}
        words |= {"control": dict(self.control), "reads": list(self.reads)}
        words |= {"proved": self.proved} if self.proved else {}
        evidence = [one.row(limit) for one in self.evidence]
        return self.claim.facts() | words | plain(values) | {"remark": self.remark, "evidence": evidence}
