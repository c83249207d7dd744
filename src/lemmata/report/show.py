"""Everything known of one claim, for `lemmata show`."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from lemmata.record import NOT_RUN
from lemmata.report.errata import DETAILS
from lemmata.report.evidence_rows import NEAREST, Row, check_command, left_over, lines, unlabelled
from lemmata.report.table_layout import Listing, cell_text, plain_table
from lemmata.report.terminal import control_text, status_text
from lemmata.report.tex import to_unicode
from lemmata.report.values import MARKS, duration, is_one_value, margin, on_the_control, rule

_ORIGIN = (("experiment", "experiment"), ("file", "file"), ("scale", "scale"), ("command", "command"))


def claim_panel(row: Row) -> RenderableType:
    title = Text.assemble(
        (str(row.get("id", "")), "bold"), "  ", status_text(row.get("status"), row.get("reference"), row.get("proved"))
    )
    parts: list[RenderableType] = [title, Text(str(row.get("locus", "")), style="dim"), Text("")]
    parts += [Text(to_unicode(str(row.get("statement", "")))), Text("")]
    facts = plain_table(header=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(ratio=1, overflow="fold")
    if "printed_formula" in row:
        facts.add_row("printed", Text(to_unicode(row["printed_formula"]), style="red"))
        facts.add_row("corrected", Text(to_unicode(row["corrected_formula"]), style="green"))
        for key, word in {**DETAILS, "latex": "in LaTeX"}.items():
            if row.get(key):
                whole = f"{row['paper']}/{row[key]}" if key == "root" and "paper" in row else row[key]
                facts.add_row(word, cell_text(whole if key == "latex" else to_unicode(str(whole))))
    judged = row.get("status") and row["status"] != NOT_RUN
    evidence = list(_evidence(row)) if judged and row.get("evidence") else []
    several = any(line.part for line in lines(row))
    if not several:
        facts.add_row("rule", Text(rule(str(row.get("rule", "–")))))
    if judged:
        for name, text in [] if evidence else _unlabelled(row):
            facts.add_row(name, text)
        facts.add_row(*(("proved on", row["proved"]) if row.get("proved") else ("margin", margin(row.get("margin")))))
        facts.add_row("control", control_text(row.get("control_status")))
    if row.get("reference"):
        facts.add_row("reference", cell_text(row["reference"]))
    for name, text in _standing(row):
        facts.add_row(name, Text(text))
    for key, name in (("stale", "stale"), ("detail", "detail"), ("remark", "remark"), *_ORIGIN):
        if row.get(key):
            facts.add_row(name, cell_text(to_unicode(str(row[key]))))
    if row.get("seconds") is not None:
        facts.add_row("cost of its runs", duration(row["seconds"]))
    if row.get("runs"):
        facts.add_row("runs", Text(" ".join(str(digest)[:12] for digest in row["runs"])))
    return Padding(Group(*parts, *evidence, facts), (1, 0, 1, 1))


def _evidence(row: Row) -> Iterator[RenderableType]:
    """A line a number: which it is, predicted, measured; on a part's first line its rule and what the control gives."""
    control, carries = row.get("control") or {}, {name: part["carries"] for name, part in row["parts"].items()}
    several = any(part["part"] for part in row["evidence"])
    found = []
    for line in lines(row):
        cells: list[Any] = [f"{MARKS.get(line.status, '·')} {line.label}", line.predicted, line.measured, line.margin]
        if several:
            outcome = on_the_control(control.get(line.part), carries.get(line.part, True))
            cells += (
                [line.rule, Text(outcome, style=control_text(control.get(line.part)).style)] if line.first else ["", ""]
            )
        found.append(tuple(cells))
    columns = ("which", "predicted", "measured", "margin") + (("rule", "on the control") if several else ())
    yield Listing(columns, tuple(found), ("margin",))
    if more := left_over(row, NEAREST):
        yield Text(f"{more}\n", style="dim")


def _unlabelled(row: Row) -> Iterator[tuple[str, Text]]:
    """Of a verdict that was stored before its numbers had labels; nothing where words alone were kept."""
    if row.get("measured") is None:
        return
    corrected = "corrected" in row
    yield "printed form gives" if corrected else "predicted", _values(row.get("predicted"))
    if corrected:
        yield "corrected form gives", _values(row["corrected"])
    yield "measured", _values(row["measured"])
    if _has_list(row["measured"]):
        yield "", Text(f"kept without labels: `{check_command(row)}` computes and labels them", style="dim")


def _has_list(value: Any) -> bool:
    """Whether there are numbers that only their place tells apart."""
    return isinstance(value, list) or (isinstance(value, Mapping) and any(map(_has_list, value.values())))


def _values(value: Any) -> Text:
    """One line for a single value, one line a part for several."""
    if isinstance(value, Mapping) and not is_one_value(value):
        # What is predicted of a part may begin with the part's own name.
        said = {f"{name}: ": unlabelled(item) for name, item in value.items()}
        return Text("\n").join(Text.assemble((name, "dim"), text.removeprefix(name)) for name, text in said.items())
    return Text(unlabelled(value))


def _standing(row: Row) -> Iterator[tuple[str, str]]:
    """How old the rule is, and what fresh randomness says."""
    if row.get("badge"):
        yield "rule is", f"{row['badge']}, of {str(row['rule_date'])[:10]}; seen by then: {row['seen']}"
    if row.get("replicated"):
        verdicts = ", ".join(f"{number}: {status}" for number, status in row["replications"].items())
        yield "fresh randomness", f"{row['replicated']}{', confirmed' if row['confirmed'] else ''} ({verdicts})"
