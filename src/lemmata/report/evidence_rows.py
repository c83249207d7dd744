"""Evidence in words: predicted beside measured, each with where it stands and what it is a mean of.

Of many conditions the five that decide are shown: those outside the rule, then those nearest to its boundary. Seeds of
one condition are a line: the worst of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lemmata.core.cli_hints import command
from lemmata.record import Element, PartRecord, Record
from lemmata.report.values import brief, margin, number, rule

NEAREST = 5
SEED = "seed"
POSITIONS = ("position", "row", "column")


@dataclass(frozen=True)
class Line:
    """One measurement in words."""

    label: str  # which part, and where in it
    predicted: str
    measured: str
    margin: str
    status: str
    rule: str
    part: str
    first: bool  # of its part
    on_control: str | None  # the part's verdict on the control
    carries: bool

    @property
    def control(self) -> str:
        """A part's outcome on the wrong subject: it fails there if it carries the claim."""
        return on_the_control(self.on_control, self.carries)


def on_the_control(status: str | None, carries: bool) -> str:
    return f"{status or '–'}{'' if carries else ' (context)'}"


def lines(record: Record, nearest: int = NEAREST) -> Iterator[Line]:
    """The deciding numbers of a claim's verdict, part by part. A verdict that was stored without them gives none."""
    for part in record.evidence:
        shown = by_condition(part)[:nearest]
        for i, (one, *others) in enumerate(shown):
            where = {name: value for name, value in one.where.items() if name != SEED or not others}
            measured = _measured(one, part.unit) + _worst_of(one, others)
            texts = (_label(part.part, where), _predicted(part, one), measured, margin(one.margin))
            yield _line(record, part.part, part.rule, *texts, one.status, first=i == 0)
        if not shown:
            why = part.detail or part.status
            yield _line(record, part.part, part.rule, part.part, "–", why, "–", part.status, first=True)


def by_condition(part: PartRecord) -> list[list[Element]]:
    """Elements of which only the seed differs together, the one that decides first."""
    found: dict[Any, list[Element]] = {}
    for one in part.elements:
        condition = [(name, str(value)) for name, value in one.where.items() if name != SEED]
        found.setdefault((*condition, brief(one.predicted), one.status), []).append(one)
    return list(found.values())


def _worst_of(one: Element, others: Sequence[Element]) -> str:
    """Of how many seeds it is the worst, and where all lie."""
    values = [other.measured for other in (one, *others)]
    if not others or not all(isinstance(value, int | float) for value in values):
        return f", the worst of {len(values)} seeds" if others else ""
    same = min(values) == max(values)
    return f", {'each' if same else 'the worst'} of {len(values)} seeds" + (
        "" if same else f" [{number(min(values), 4)}, {number(max(values), 4)}]"
    )


def _line(record: Record, part: str, requested: str, *texts: str, first: bool) -> Line:
    label, predicted, measured, how_far, status = texts
    facts = record.parts.get(part)
    carries = facts is None or facts.carries
    return Line(
        label, predicted, measured, how_far, status, rule(requested), part, first, record.control.get(part), carries
    )


def left_over(record: Record, nearest: int = NEAREST) -> str:
    """How many elements are not shown, and how to get them; empty if all are."""
    more = sum(part.count - sum(map(len, by_condition(part)[:nearest])) for part in record.evidence)
    if not more:
        return ""
    which = "the one that decides is" if nearest == 1 else f"the {nearest} that decide are"
    if record.margin is None:  # outside its setting a rule decides nothing
        which = f"the first {nearest} are"
    of_each = "of each part " if len(record.evidence) > 1 else ""
    # Under changed assumptions: the command that made them, not the paper's own.
    return f"{of_each}{which} shown; {number(more)} more: {record.again or check_command(record)} --json"


def nothing_kept(record: Record) -> str:
    return f"No number is kept of it here: `{check_command(record)}` measures it."


def check_command(record: Record) -> str:
    """What judges a claim at the scale of its record."""
    return command("check", record.id, scale=record.scale or "laptop")


def _label(part: str, where: Mapping[str, Any]) -> str:
    """`accuracy, T = 0.05, n = 7`; `position 3` where nobody named the axis."""
    named = (
        f"{name} {value}" if name in POSITIONS or name.startswith("index ") else f"{name} = {number(value)}"
        for name, value in where.items()
    )
    return ", ".join(filter(None, [part, *named]))


def _predicted(part: PartRecord, one: Element) -> str:
    """What is predicted, as the rule takes it: `≥ 0.8`, `0.5 ± 0.01`; the printed and the right form on a line each."""
    if one.corrected is None or one.corrected == one.predicted:
        return _requested(part, one.predicted)
    return f"printed {_requested(part, one.predicted)}\ncorrected {_requested(part, one.corrected)}"


def _requested(part: PartRecord, value: Any) -> str:
    if value is None or (isinstance(value, Mapping) and set(value) == {"undecided"}):  # nothing can be predicted here
        return "–"
    absolute, relative = part.allowance
    allowed = 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        allowed = absolute + relative * abs(value)
    return rule(part.asks.format(brief(value, 6))) + (f" ± {number(allowed, 2)}" if allowed else "")


def _measured(one: Element, what: str) -> str:
    """The number, and what it is a mean of: `0.97, mean of 20 seeds [0.95, 0.98]`."""
    if one.measured is None:
        return "not a number"
    value = brief(one.measured, 6)
    if one.level is None:
        return value
    unit = what if one.unit == "seeds" else one.unit
    if one.low is None or one.high is None:
        return f"{value}, one {unit.removesuffix('s')}"
    interval = f"[{number(one.low, 4)}, {number(one.high, 4)}]"
    return f"{value}, {'share' if unit == 'trials' else 'mean'} of {one.count} {unit} {interval}"
