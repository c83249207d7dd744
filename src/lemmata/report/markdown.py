"""The generated parts of the documentation: claim tables, rules and the ledger, as Markdown made from rows of facts."""

from collections import Counter
from collections.abc import Iterable, Sequence

from lemmata.core.pluralize import pluralize
from lemmata.record import NOT_RUN, Provenance, Record
from lemmata.report.statuses import STATUSES, failing_words, protocol_word
from lemmata.report.values import duration, margin_or_proof, verdict_word


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
