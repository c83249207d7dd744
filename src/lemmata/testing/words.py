"""The sentences that a paper's code says to people, and what is wrong with their mathematics."""

from collections.abc import Iterator

from lemmata.core import Experiment
from lemmata.report.tex import TexError, check_tex


def sentences(experiment: Experiment) -> Iterator[tuple[str, str]]:
    """Where a sentence stands, and the sentence; remarks that compute theirs are not among them."""
    yield f"{experiment.id}: notes", experiment.notes
    for claim in experiment.claims:
        yield f"{claim.id}: statement", claim.statement
        if isinstance(claim.remark, str):
            yield f"{claim.id}: remark", claim.remark
        if slip := claim.correction:
            for name in ("printed", "corrected", "reason", "survives"):
                yield f"{claim.id}: correction.{name}", getattr(slip, name)


def tex_problems(experiment: Experiment) -> Iterator[str]:
    """A typo in a formula is found before a reader sees it."""
    for where, text in sentences(experiment):
        try:
            check_tex(text)
        except TexError as error:
            yield f"{where}: {error}"
