"""How a verdict looks, everywhere: its mark and colours in the terminal, on pages, in notebooks and in figures; and the
totals of many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lemmata.record import NOT_RUN, Record
from lemmata.report.style import COLOURS, CYCLE


@dataclass(frozen=True)
class Look:
    mark: str  # says it without colour
    hue: str  # in the terminal and in figures, on light and dark alike
    light: tuple[str, str]  # ink and ground on a light page
    dark: tuple[str, str]
    meaning: str = ""


GREY = ("#808890", ("#54595f", "#e8eaec"), ("#c3c8cd", "#31363b"))
GREEN = (COLOURS["green"], ("#00694d", "#d9f2e8"), ("#6fdcb6", "#0d3a2d"))
PURPLE = (COLOURS["purple"], ("#7a3d78", "#f6e3f3"), ("#eab0e3", "#43223f"))
VERMILLION = (COLOURS["vermillion"], ("#a33c00", "#fde5d5"), ("#ffad7d", "#4d220c"))
LOOKS = {
    "holds": Look("✓", *GREEN, "the measurement agrees with what the paper predicts"),
    "erratum": Look("✎", *PURPLE, "the printed formula is wrong and a corrected one agrees"),
    "undecided": Look("?", *GREY, "this scale cannot tell"),
    "fails": Look("✗", *VERMILLION, "the measurement contradicts the prediction"),
    NOT_RUN: Look("○", *GREY),
}
NOTHING = Look("·", *GREY)  # of what has no verdict
COUNTED = tuple(LOOKS)
STATUSES = tuple(status for status in LOOKS if status != NOT_RUN)
EXACTLY = "at the paper's own settings"


def look(status: str | None) -> Look:
    return LOOKS.get(status or "", NOTHING)


def style_rules() -> str:
    """The colours as CSS variables: `--fails` is ink, `--fails-bg` its ground; `--curve-0` is a figure's first."""
    light, dark = ("; ".join(_variables(theme)) for theme in ("light", "dark"))
    curves = "; ".join(f"--curve-{i}: {colour}" for i, colour in enumerate(CYCLE))
    return (
        f":root {{ {light}; {curves} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"@media print {{ :root {{ {light} }} }}\n"
    )


def _variables(theme: str) -> Iterable[str]:
    for status in STATUSES:
        ink, ground = getattr(LOOKS[status], theme)
        yield f"--{status}: {ink}; --{status}-bg: {ground}"


@dataclass(frozen=True)
class Total:
    """Of one verdict: in how many claims, and in how many of them at the paper's own settings."""

    status: str
    count: int
    exact: int


def totals(records: Sequence[Record]) -> list[Total]:
    """Status by protocol; a verdict that no claim has is left out."""
    found = []
    for status in COUNTED:
        mine = [one for one in records if one.status == status]
        found += [Total(status, len(mine), sum(one.is_exact for one in mine))] if mine else []
    return found


def totals_words(records: Sequence[Record]) -> str:
    """`64 holds (50 exact), 12 fails (3 exact)`."""
    return ", ".join(
        f"{one.count} {one.status} ({one.exact} exact)" for one in totals(records) if one.status != NOT_RUN
    )


def verdict_sentence(record: Record) -> str:
    """The verdict as one sentence: what was found, where, and what would have been noticed."""
    if not record.is_judged:
        return f"Nothing is judged here yet: `lemmata check {record.id}` does."
    found = "proved, not measured" if record.proved else look(record.status).meaning
    settings = EXACTLY if record.is_exact else "under settings of ours"
    seen = f"; {record.resolution}" if record.resolution else ""
    return f"{look(record.status).mark} At scale {record.scale}, {settings}: {found}{seen}."


def failing_words(records: Sequence[Record]) -> str:
    """Only what fails at the paper's own settings is said of the paper; empty where nothing fails."""
    for one in totals(records):
        if one.status == "fails":
            if one.count == 1:
                return f"1 fails, {EXACTLY if one.exact else 'under settings of ours'}."
            many = {0: "none", one.count: "all"}.get(one.exact, str(one.exact))
            return f"{one.count} fail, {many} of them {EXACTLY}."
    return ""


def protocol_word(record: Record) -> str:
    """Whose the settings are, in a word."""
    if record.changed:
        return "changed"
    return record.protocol and ("exact" if record.is_exact else "ours")


def protocol_words(record: Record) -> str:
    """The same with what of them is ours."""
    if record.changed:
        return "assumptions are changed: no verdict on the paper"
    return record.protocol and (f"exact: {EXACTLY}" if record.is_exact else f"ours: {record.protocol}")
