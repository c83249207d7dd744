"""Evidence in words: predicted beside measured, each with where it stands and what it is a mean of.

Of many elements the five that decide are shown: those outside the rule, then those nearest to its boundary.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lemmata.core.cli_hints import command
from lemmata.report.values import brief, margin, number, rule

NEAREST = 5
POSITIONS = ("position", "row", "column")

Row = Mapping[str, Any]


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


def lines(row: Row, nearest: int = NEAREST) -> Iterator[Line]:
    """The deciding numbers of a claim's verdict, part by part. A verdict that was stored without them gives none."""
    for part in row.get("evidence") or ():
        for i, one in enumerate(part["rows"][:nearest]):
            yield Line(
                label=_label(part["part"], one["where"]),
                predicted=_predicted(part, one),
                measured=_measured(one, part["unit"]),
                margin=margin(one["margin"]),
                status=one["status"],
                rule=rule(part["rule"]),
                part=part["part"],
                first=i == 0,
            )
        if not part["rows"]:
            why = part["detail"] or part["status"]
            yield Line(part["part"], "–", why, "–", part["status"], rule(part["rule"]), part["part"], True)


def left_over(row: Row, nearest: int = NEAREST) -> str:
    """How many elements are not shown, and how to get them; empty if all are."""
    more = sum(max(part["count"] - nearest, 0) for part in row.get("evidence") or ())
    if not more:
        return ""
    which = "the one that decides is" if nearest == 1 else f"the {nearest} that decide are"
    if row.get("margin") is None:  # outside its setting a rule decides nothing
        which = f"the first {nearest} are"
    of_each = "of each part " if len(row["evidence"]) > 1 else ""
    return f"{of_each}{which} shown; {number(more)} more: {_all_of_them(row)}"


def _all_of_them(row: Row) -> str:
    if row.get("again"):  # under changed assumptions: the command that made them, not the paper's own
        return f"{row['again']} --json"
    return f"{check_command(row)} --json"


def check_command(row: Row) -> str:
    """What judges a claim at the scale of its row."""
    return command("check", row["id"], scale=row.get("scale") or "laptop")


def unlabelled(value: Any) -> str:
    """Evidence that was kept without labels: a long list as its range."""
    if isinstance(value, list) and len(_flat(value)) > NEAREST:
        numbers = [x for x in _flat(value) if isinstance(x, int | float)]
        if len(numbers) == len(_flat(value)):
            return f"{len(numbers)} values from {number(min(numbers))} to {number(max(numbers))}"
    return brief(value, 6)


def _flat(value: Any) -> list[Any]:
    return [x for item in value for x in _flat(item)] if isinstance(value, list) else [value]


def _label(part: str, where: Row) -> str:
    return ", ".join(filter(None, [part, _where(where)]))


def _where(where: Row) -> str:
    """`T = 0.05, n = 7`; `position 3` where nobody named the axis."""
    named = (
        f"{name} {value}" if name in POSITIONS or name.startswith("index ") else f"{name} = {number(value)}"
        for name, value in where.items()
    )
    return ", ".join(named)


def _predicted(part: Row, one: Row) -> str:
    """What is predicted, as the rule takes it: `≥ 0.8`, `0.5 ± 0.01`; the printed and the right form on a line each."""
    if "corrected" not in one or one["corrected"] == one["predicted"]:
        return _asked(part, one["predicted"])
    return f"printed {_asked(part, one['predicted'])}\ncorrected {_asked(part, one['corrected'])}"


def _asked(part: Row, value: Any) -> str:
    if _is_nothing(value):
        return "–"
    absolute, relative = part["allowance"]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    allowed = absolute + relative * abs(value) if is_number else 0
    words = part["asks"].format(number(value) if not isinstance(value, Mapping | list) else brief(value, 6))
    return rule(words) + (f" ± {number(allowed, 2)}" if allowed else "")


def _is_nothing(value: Any) -> bool:
    """Whether nothing can be predicted here."""
    return value is None or (isinstance(value, Mapping) and set(value) == {"undecided"})


def _measured(one: Row, what: str) -> str:
    """The number, and what it is a mean of: `0.97, mean of 20 seeds [0.95, 0.98]`."""
    if one["measured"] is None:
        return str(one.get("never") or "not a number")
    value = number(one["measured"]) if not isinstance(one["measured"], Mapping | list) else brief(one["measured"], 6)
    if "level" not in one:
        return value
    count, unit = one[one["unit"]], what if one["unit"] == "seeds" else one["unit"]
    if one.get("low") is None or one.get("high") is None:
        return f"{value}, one {unit.removesuffix('s')}"
    interval = f"[{number(one['low'], 4)}, {number(one['high'], 4)}]"
    return f"{value}, {'share' if unit == 'trials' else 'mean'} of {count} {unit} {interval}"
