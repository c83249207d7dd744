"""The generated parts of the documentation: claim tables, rules and the ledger, as Markdown made from rows of facts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, Told
from lemmata.report.errata import formulas
from lemmata.report.values import MARKS, STATUSES, brief, duration, margin_or_proof, on_the_control, rule, verdict_word

Row = Mapping[str, Any]


def claims_table(rows: Sequence[Row]) -> str:
    """One line a claim: what, where in the paper, in which file, how it stands, and how to see for oneself."""
    large = [row for row in rows if row.get("at_paper")]  # judged at the paper's own sizes too
    heads = ["claim", "in the paper", "file", "verdict", "rule", "fresh randomness", "margin", "cost"]
    heads += ["the paper's sizes"] * bool(large)
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = [
            f"`{row['id']}`",
            row["locus"],
            f"[`{row['file']}`]({row['file']})",
            verdict_word(row.get("status"), row.get("proved")) or "–",
            row.get("badge") or "–",
            row.get("replicated") or "–",
            _margin(row),
            duration(row.get("seconds")),
        ]
        cells += [row.get("at_paper") or "–"] * bool(large)
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    words = ["Each is checked by `lemmata check <claim>`; `lemmata show <claim>` prints its rule and evidence."]
    for extra in sorted({row["extra"] for row in rows if row.get("status") == NOT_RUN}):
        words.append(f"Those that were not run need more than the plain install: `pip install 'lemmata[{extra}]'`.")
    if large:
        words.append(
            f"At the paper's own sizes (`--scale paper`) {pluralize(len(large), 'claim has', 'claims have')} been "
            f"judged: {_counts(row['at_paper'] for row in large)}."
        )
    return "\n".join([*lines, "", " ".join(words)])


def ledger_section(rows: Sequence[Row]) -> str:
    """Which rules had seen something when they were written, and what; from the ledger's last lines."""
    seen: dict[str, list[str]] = {}
    for row in rows:
        if row.get("badge") == "exploratory":
            seen.setdefault(row["seen"], []).append(f"`{row['id'].partition('/')[2]}`")
    count = sum(map(len, seen.values()))
    summary = (
        f"Rules are meant to be older than the run they judge. Of {pluralize(len(rows), 'rule')} {len(rows) - count} "
        f"are registered: nothing of their settings is recorded as seen. {count} are exploratory, written or changed "
        "after something had been seen, and are weaker evidence until fresh randomness confirms them. "
        "`lemmata ledger <claim>` prints a rule's history."
    )
    return "\n".join([summary, "", *(f"- {', '.join(ids)}: {what}" for what, ids in seen.items())])


def claim_page(row: Row) -> str:
    """Everything known of one claim before it is run, and its last verdict."""
    stands = "not judged"
    if (status := row.get("status")) == NOT_RUN:
        stands = f"{MARKS[NOT_RUN]} **{NOT_RUN}**: {row['detail']}"
    elif status:
        how = f"on {row['proved']}" if row.get("proved") else f"at scale {row['scale']}, margin {_margin(row)}"
        stands = f"{MARKS[status]} **{verdict_word(status, row.get('proved'))}** {how}"
    stands = " · ".join(filter(None, [stands, row.get("badge"), _replicated(row)]))
    parts = [
        f"# {row['id']}",
        f"*{row['locus']}* · {stands}",
        row["statement"],
        f"**Rule.** {rule(row['rule'])}",
        f"**In** `{row['file']}`, experiment [`{row['experiment']}`](../{row['paper']}.md): {row['title']}.",
        f"```\nlemmata check {row['id']}\nlemmata show {row['id']}\nlemmata run {row['experiment']} --help\n```",
    ]
    if "" not in row["parts"]:
        parts.insert(4, parts_table(row))
    if "printed_formula" in row:
        parts.insert(3, formulas(row))
    if row.get("remark"):
        parts.insert(-2, f"**Remark.** {row['remark']}")
    return "\n\n".join(parts) + "\n"


def parts_table(row: Row) -> str:
    """A claim's parts: what was measured, the rule, and what the rule says of the wrong subject."""
    lines = ["| part | measured | rule | on the control |", "|---|---|---|---|"]
    measured, control = row.get("measured") or {}, row.get("control") or {}
    for name, part in row["parts"].items():
        outcome = on_the_control(control.get(name), part["carries"])
        value = brief(measured[name]) if name in measured else "–"
        lines.append(f"| {' | '.join(map(_cell, (name, value, rule(part['rule']), outcome)))} |")
    return "\n".join(lines)


def paper_line(paper: Paper, rows: Sequence[Row], seconds: float) -> str:
    """A paper in a table of papers: its command, what computing it costs, and how its claims stand."""
    verdicts = _counts(row.get("status") for row in rows)
    page = f"[`{paper.id}`](src/{paper.package.replace('.', '/')}/README.md): {paper.title}"
    if apart := sum(row.get("status") == NOT_RUN for row in rows):
        verdicts = f"{len(rows) - apart} judged ({verdicts}), {apart} {NOT_RUN} (models that they need were not there)"
    claims = f"{pluralize(len(rows), 'claim')}: {verdicts}"
    cells = (page, f"`lemmata reproduce {paper.id}`", f"{seconds / 60:.1f} min", claims)
    return f"| {' | '.join(cells)} |"


def papers_lines(lines: Sequence[str]) -> str:
    """The table of papers, from their lines."""
    return "\n".join(["| paper | command | computing, one core | verdicts |", "|---|---|---|---|", *lines])


def findings_section(paper: Paper, told: Sequence[Told]) -> str:
    """What was found of a paper, as far as its kept verdicts say it; then what they no longer say."""
    page = f"src/{paper.package.replace('.', '/')}"
    lines = [f"**[`{paper.id}`]({page}/README.md)**: *{paper.title}*", ""]
    for one in told:
        if one.state == "found":
            file = f"{page}/claims/{one.finding.shown_by.replace('-', '_')}.py"
            lines.append(f"- {one.text} ([`{one.finding.shown_by}`]({file}))")
        else:
            lines.append(f"- No longer said, or not yet: {one.text}.")
    return "\n".join(lines)


def replaced(text: str, name: str, body: str) -> str:
    """The text with `body` between its markers called `name`; as it is where it has none."""
    start, end = f"<!-- {name}: generated -->", f"<!-- {name}: end -->"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    return f"{before}{start}\n{body}\n{end}{after}" if found and closed else text


def _replicated(row: Row) -> str | None:
    return f"{row['replicated']}, confirmed on fresh randomness" if row.get("confirmed") else row.get("replicated")


def _margin(row: Row) -> str:
    value = row.get("margin")
    return margin_or_proof({**row, "margin": value if isinstance(value, float | int) else None})


def _cell(text: Any) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def _counts(statuses: Iterable[str | None]) -> str:
    counts = Counter(statuses)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
