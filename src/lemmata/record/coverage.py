"""What a paper states, and which claims judge it. A paper's `coverage.py` exports it as `COVERAGE`."""

from dataclasses import dataclass

from lemmata.core.registry import Paper, exported_by


@dataclass(frozen=True)
class Stated:
    """One statement of the paper, judged by claims (ids without the paper's), or not judged, and why not."""

    place: str  # "Theorem 4.1"
    claims: tuple[str, ...] = ()
    why: str = ""  # of a statement without claims: why there is none; of one with claims: what they leave out


def coverage(paper: Paper) -> tuple[Stated, ...] | None:
    """The paper's statements in its own order; None where nobody has listed them."""
    return exported_by(paper, "coverage")
