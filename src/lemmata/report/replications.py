"""What fresh randomness says of each claim, as Markdown: in how many replications its verdict is the reference's."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lemmata.core import Paper
from lemmata.core.pluralize import pluralize
from lemmata.record import Replications
from lemmata.report.values import duration

Found = Mapping[str, Mapping[str, Replications]]  # experiment -> claim -> what its replications say


def replications_section(paper: Paper, found: Found) -> str:
    """A paper's replications as a table: a count a claim."""
    title = f"## {paper.id}: {paper.title}"
    claims = {id: one for confirmations in found.values() for id, one in confirmations.items()}
    if not claims:
        return f"{title}\n\nNo replications are kept yet; `lemmata confirm {paper.id}` makes them."
    lines = ["| claim | reference | the same in | otherwise |", "|---|---|---|---|"]
    for id, one in claims.items():
        others = Counter(str(verdict.status) for verdict in one.moved.values())
        same = f"{len(one.verdicts) - len(one.moved)} of {len(one.verdicts)}"
        rest = ", ".join(f"{count} {status}" for status, count in others.items())
        lines.append(f"| `{id}` | {one.reference or '–'} | {same} | {rest} |")
    return "\n".join([title, "", _counts(list(claims.values()), _seconds(found)), "", *lines])


def _counts(found: Sequence[Replications], seconds: float) -> str:
    changes = Counter(one.change for one in found)
    moved = {
        "reversed": "moved between holds or erratum and fails",
        "undecided": "into or out of undecided",
        "corrected": "between holds and erratum",
    }
    words = [f"{changes[change]} {what}" for change, what in moved.items() if changes[change] or change != "corrected"]
    stayed = f"{changes[None]} of {pluralize(len(found), 'claim')} replicated in all{undecided_again(found)}"
    return f"{stayed}; {', '.join(words)}. Computing: {duration(seconds)}."


def undecided_again(found: Iterable[Replications]) -> str:
    """Of claims that stayed what they were: how many stayed undecided, in brackets; empty where none did."""
    count = sum(one.change is None and one.usual == "undecided" for one in found)
    return f" ({count} of them undecided again)" if count else ""


def _seconds(found: Found) -> float:
    """What computing took: the claims of an experiment share its runs, so each replication of it counts once."""
    total = 0.0
    for confirmations in found.values():
        once: dict[str, float] = {}
        for one in confirmations.values():
            once |= {number: verdict.seconds for number, verdict in one.verdicts.items()}
        total += sum(once.values())
    return total


def replications_page(found: Mapping[Paper, Found]) -> str:
    intro = (
        "Verdicts under fresh randomness: every key of every run drawn anew, everything else equal. The reference is "
        "replication 0. Written by `lemmata docs` from the papers' `replications.json`, which keeps every verdict that "
        "`lemmata confirm` gave."
    )
    everything = {id: claims for one in found.values() for id, claims in one.items()}
    claims = [one for confirmations in everything.values() for one in confirmations.values()]
    together = f"All papers: {_counts(claims, _seconds(everything))}{_moved_names(everything)}"
    sections = [replications_section(paper, one) for paper, one in found.items()]
    return "\n\n".join(["# Replications", intro, together, *sections]) + "\n"


def _moved_names(found: Found) -> str:
    names = [f"`{id}`" for claims in found.values() for id, one in claims.items() if one.change]
    return f" Those that moved: {', '.join(names)}." if names else ""
