"""The generated parts of the documentation: claim tables, rules and the ledger, as Markdown made from rows of facts."""

from collections import Counter
from collections.abc import Iterable, Sequence

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, CheckedFinding, Provenance, Record
from lemmata.report.errata import formulas
from lemmata.report.evidence_rows import lines as evidence_lines
from lemmata.report.statuses import STATUSES, failing_words, look, protocol_word, protocol_words, totals_words
from lemmata.report.values import duration, margin_or_proof, rule, verdict_word


def claims_table(records: Sequence[Record]) -> str:
    """One line a claim: what, where in the paper, in which file, how it stands, and how to see for oneself."""
    large = [one for one in records if one.at_paper]  # judged at the paper's own sizes too
    heads = [
        "claim",
        "in the paper",
        "file",
        "verdict",
        "protocol",
        "rule",
        "fresh randomness",
        "margin",
        "resolution",
        "cost",
    ]
    heads += ["the paper's sizes"] * bool(large)
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for one in records:
        provenance = one.provenance or Provenance()
        cells = [
            f"`{one.id}`",
            one.locus,
            f"[`{one.file}`]({one.file})",
            verdict_word(one) or "–",
            protocol_word(one) or "–",
            provenance.badge or "–",
            provenance.replicated or "–",
            margin_or_proof(one),
            one.resolution or "–",
            duration(one.seconds),
        ]
        cells += [one.at_paper or "–"] * bool(large)
        lines.append(f"| {' | '.join(map(table_cell, cells))} |")
    words = ["Each is checked by `lemmata check <claim>`; `lemmata show <claim>` prints its rule and evidence."]
    words += [f"At the settings of this table {said}"] if (said := failing_words(records)) else []
    for extra in sorted({one.extra for one in records if one.status == NOT_RUN}):
        words.append(f"Those that were not run need more than the plain install: `pip install 'lemmata[{extra}]'`.")
    if large:
        words.append(
            f"At the paper's own sizes (`--scale paper`) {pluralize(len(large), 'claim has', 'claims have')} been "
            f"judged: {_counts(one.at_paper for one in large)}."
        )
    return "\n".join([*lines, "", " ".join(words)])


def ledger_section(records: Sequence[Record]) -> str:
    """Which rules had seen something when they were written, and what; from the ledger's last lines."""
    seen: dict[str, list[str]] = {}
    for one in records:
        if one.provenance and one.provenance.badge == "exploratory" and one.provenance.line:
            seen.setdefault(one.provenance.line.seen, []).append(f"`{one.name}`")
    count = sum(map(len, seen.values()))
    summary = (
        f"Rules are meant to be older than the run they judge. Of {pluralize(len(records), 'rule')} "
        f"{len(records) - count} are registered: nothing of their settings is recorded as seen. {count} are "
        "exploratory, written or changed after something had been seen, and are weaker evidence until fresh randomness "
        "confirms them. `lemmata ledger <claim>` prints a rule's history."
    )
    return "\n".join([summary, "", *(f"- {', '.join(ids)}: {what}" for what, ids in seen.items())])


def claim_page(record: Record) -> str:
    """Everything known of one claim before it is run, and its last verdict."""
    verdict_line = "not judged"
    if record.status == NOT_RUN:
        verdict_line = f"{look(NOT_RUN).mark} **{NOT_RUN}**: {record.detail}"
    elif record.status:
        how = f"on {record.proved}" if record.proved else f"at scale {record.scale}, margin {margin_or_proof(record)}"
        verdict_line = f"{look(record.status).mark} **{verdict_word(record)}** {how}"
    words = [verdict_line, protocol_words(record), *(record.provenance.words() if record.provenance else ())]
    parts = [
        f"# {record.id}",
        f"*{record.locus}* · {' · '.join(filter(None, words))}",
        record.statement,
        *([formulas(record.correction)] if record.correction else []),
        f"**Rule.** {rule(record.rule)}",
        *([parts_table(record)] if "" not in record.parts else []),
        *([f"**Remark.** {record.remark}"] if record.remark else []),
        f"**In** `{record.file}`, experiment [`{record.experiment}`](../{record.paper}.md): {record.title}.",
        f"```\nlemmata check {record.id}\nlemmata show {record.id}\nlemmata run {record.experiment} --help\n```",
    ]
    return "\n\n".join(parts) + "\n"


def parts_table(record: Record) -> str:
    """A claim's numbers, part by part with their labels: predicted, measured, the rule, and what the rule says of the
    wrong subject."""
    lines = ["| part | predicted | measured | rule | on the control |", "|---|---|---|---|---|"]
    for line in evidence_lines(record):
        cells = (line.label, line.predicted, line.measured, line.rule, line.control)
        lines.append(f"| {' | '.join(map(table_cell, cells))} |")
    return "\n".join(lines)


def paper_line(paper: Paper, records: Sequence[Record], seconds: float) -> str:
    """A paper in a table of papers: its command, what computing it costs, and how its claims stand."""
    verdicts = totals_words(records)
    page = f"[`{paper.id}`](src/{paper.package.replace('.', '/')}/README.md): {paper.title}"
    if apart := sum(one.status == NOT_RUN for one in records):
        judged = len(records) - apart
        verdicts = f"{judged} judged ({verdicts}), {apart} {NOT_RUN} (models that they need were not there)"
    claims = f"{pluralize(len(records), 'claim')}: {verdicts}. {failing_words(records)}".strip()
    cells = (page, f"`lemmata reproduce {paper.id}`", f"{seconds / 60:.1f} min", claims)
    return f"| {' | '.join(cells)} |"


def rules_line(records: Sequence[Record]) -> str:
    """How many rules were written before anything had been seen of what they judge."""
    known = [one.provenance for one in records if one.provenance]
    counts, confirmed = Counter(one.badge for one in known), sum(one.is_confirmed for one in known)
    return (
        f"Of {pluralize(len(records), 'rule')} {counts['registered']} are registered and {counts['exploratory']} "
        f"exploratory; {pluralize(confirmed, 'verdict is', 'verdicts are')} confirmed on fresh randomness."
    )


def papers_lines(lines: Sequence[str]) -> str:
    """The table of papers, from their lines."""
    return "\n".join(["| paper | command | computing, one core | verdicts |", "|---|---|---|---|", *lines])


def findings_section(paper: Paper, checked: Sequence[CheckedFinding]) -> str:
    """What was found of a paper, as far as its kept verdicts say it; then what they no longer say."""
    page = f"src/{paper.package.replace('.', '/')}"
    lines = [f"**[`{paper.id}`]({page}/README.md)**: *{paper.title}*", ""]
    for one in checked:
        if one.state == "found":
            file = f"{page}/claims/{one.finding.shown_by.replace('-', '_')}.py"
            ours = f"; settings of ours: {one.ours}" if one.ours else ""
            lines.append(f"- {one.text} ([`{one.finding.shown_by}`]({file}){ours})")
        else:
            lines.append(f"- No longer said, or not yet: {one.text}.")
    return "\n".join(lines)


def replaced(text: str, name: str, body: str) -> str:
    """The text with `body` between its markers called `name`; as it is where it has none."""
    start, end = f"<!-- {name}: generated -->", f"<!-- {name}: end -->"
    before, found, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    return f"{before}{start}\n{body}\n{end}{after}" if found and closed else text


def table_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _counts(statuses: Iterable[str | None]) -> str:
    counts = Counter(statuses)
    return ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
