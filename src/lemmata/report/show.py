"""Everything known of one claim, for `lemmata show`."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from lemmata.record import Record
from lemmata.report.errata import details
from lemmata.report.evidence_rows import left_over, lines, nothing_kept
from lemmata.report.statuses import look, protocol_words
from lemmata.report.table_layout import Listing, cell_text, plain_table
from lemmata.report.terminal import control_text, status_style, verdict_text
from lemmata.report.tex import to_unicode
from lemmata.report.values import duration, margin, rule


def claim_panel(record: Record) -> RenderableType:
    title = Text.assemble((record.id, "bold"), "  ", verdict_text(record))
    facts = plain_table(header=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(ratio=1, overflow="fold")
    for name, text in _facts(record):
        if text:
            facts.add_row(name, cell_text(to_unicode(text) if isinstance(text, str) and name != "in LaTeX" else text))
    says = (Text(record.locus, style="dim"), Text(""), Text(to_unicode(record.statement)), Text(""))
    return Padding(Group(title, *says, *_evidence(record), facts), (1, 0, 1, 1))


def _facts(record: Record) -> Iterator[tuple[str, str | Text]]:
    if correction := record.correction:
        yield "printed", Text(to_unicode(correction.printed), style=status_style("fails"))
        yield "corrected", Text(to_unicode(correction.corrected), style=status_style("holds"))
        for word, text in details(correction):
            yield word, f"{record.paper}/{text}" if word == "follows from" and record.paper else text
        yield "in LaTeX", correction.latex
    if not any(line.part for line in lines(record)):
        yield "rule", rule(record.rule)
    if record.is_judged:
        yield ("proved on", record.proved) if record.proved else ("margin", margin(record.margin))
        yield "resolution", record.resolution
        yield "bounds judged", record.bounds
        yield "control", control_text(record.control_status)
    yield "protocol", protocol_words(record)
    yield "reference", record.reference or ""
    yield from record.provenance.facts() if record.provenance else ()
    yield "stale", record.stale
    yield "detail", record.detail
    yield "remark", record.remark
    yield "experiment", record.experiment
    yield "file", record.file
    yield "scale", record.scale
    yield "command", record.command
    yield "cost of its runs", duration(record.seconds) if record.seconds is not None else ""
    yield "runs", " ".join(digest[:12] for digest in record.runs)


def _evidence(record: Record) -> Iterator[RenderableType]:
    """A line a number: which it is, predicted, measured; on a part's first line its rule and what the control gives."""
    found = list(lines(record)) if record.is_judged else []
    if record.is_judged and not found and not record.detail:
        yield Text(nothing_kept(record), style="dim")
    several = any(line.part for line in found)
    rows = []
    for line in found:
        beside = (line.rule, control_text(line.on_control, line.control)) if line.first else ("", "")
        which = f"{look(line.status).mark} {line.label}"
        rows.append((which, line.predicted, line.measured, line.margin, *(beside if several else ())))
    if rows:
        columns = ("which", "predicted", "measured", "margin") + (("rule", "on the control") if several else ())
        yield Listing(columns, tuple(rows), ("margin",))
        if more := left_over(record):
            yield Text(f"{more}\n", style="dim")
