"""Numbers in Markdown that are read from kept verdicts: a link whose title names the number and whose target judges it.

`[0.93](claims/fig_3.py "{fig-3.without F₂, correct:.2f}")`. The reference is
`{claim[.part][@index|@min|@max][:format][ predicted|corrected][ at paper]}`, or `{claim:status}` for the verdict;
in a page that is no paper's the claim has its paper before it, `{association/fig-3...}`. An index of several axes is
`@1,0`; of a sample there are also `@low`, `@high` and `@seeds`. What stands between the brackets is written here.
"""

import os
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, cast

from lemmata.core import Paper, UserError
from lemmata.core.errors import nearest
from lemmata.core.registry import experiments, file_of, papers
from lemmata.record.baseline import read_baseline
from lemmata.record.finding import Number
from lemmata.record.record import Record

REFERENCE = re.compile(r"```.*?```|`[^`\n]*`|\[([^\]\n]*)\]\(([^()\s]*)\s+\"\{([^\"]*)\}\"\)", re.DOTALL)
TAIL = re.compile(
    r"(?:@(?P<at>-?\d+(?:,-?\d+)*|[a-z]+))?(?::(?P<form>status|[-+]?,?\d*(?:\.\d+)?[a-zA-Z%]?))?"
    r"(?: (?P<of>predicted|corrected))?(?P<paper> at paper)?$"
)


def references(text: str) -> Iterator[str]:
    return (found[3] for found in REFERENCE.finditer(text) if found[3])


def with_numbers(text: str, path: Path, paper: Paper | None = None) -> str:
    """The text of the file at `path` with what its references say now, and where the code lies that says it.

    `paper`: whose claims are named without their paper's id.
    """

    def made(found: re.Match[str]) -> str:
        if not found[3]:
            return found[0]
        try:
            said, file = read(found[3], paper)
        except UserError as error:
            line = text.count("\n", 0, found.start()) + 1
            raise UserError(f"{path.name}:{line}: {{{found[3]}}}: {error}") from None
        return f'[{said}]({os.path.relpath(file, path.parent)} "{{{found[3]}}}")'

    return REFERENCE.sub(made, text)


def read(reference: str, paper: Paper | None = None) -> tuple[str, Path]:
    """What a reference says, and the file that judges its claim."""
    if paper is None:
        id, _, reference = reference.partition("/")
        if id not in papers():
            raise UserError(f"it begins with no paper's id: {', '.join(papers())}")
        paper = papers()[id]
    tail = TAIL.search(reference)
    assert tail is not None  # it matches the empty end too
    head, claims = reference[: tail.start()], _claims(paper)
    claim = max((id for id in claims if head == id or head.startswith(f"{id}.")), key=len, default=None)
    if claim is None:
        close = max(claims, key=lambda id: SequenceMatcher(None, id, head[: len(id)]).ratio(), default="")
        raise UserError(f"{paper.id} has no such claim; did you mean {close!r}?")
    kept = read_baseline(paper)
    record = (kept.paper if tail["paper"] else kept.claims).get(f"{paper.id}/{claim}")
    if record is None:
        raise UserError(f"no verdict of {claim!r} is kept{' at scale paper' if tail['paper'] else ''}: `lemmata docs`")
    if tail["form"] == "status":
        return str(record.status), claims[claim]
    form, of = tail["form"] or ".2f", cast(Any, tail["of"] or "measured")
    number = Number(claim, head[len(claim) + 1 :], _place(tail["at"]), form, of)
    return _read(number, record), claims[claim]


def _claims(paper: Paper) -> dict[str, Path]:
    """The paper's claims without its id, and the file of each."""
    found = experiments(paper.id).values()
    return {claim.id.partition("/")[2]: file_of(one.id) for one in found for claim in one.claims}


def _place(at: str | None) -> Any:
    if at is None or at.isalpha():
        return at
    return tuple(int(index) for index in at.split(","))


def _read(number: Number, record: Record) -> str:
    values = getattr(record, number.of)
    parts = list(record.control or [""])
    if number.part not in parts:
        close = nearest(number.part, parts)
        known = f"did you mean {close!r}?" if close else f"it has {', '.join(map(repr, parts))}"
        raise UserError(f"{number.claim!r} has no part {number.part!r}; {known}")
    try:
        return number.read(record)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        value = values[number.part] if number.part and isinstance(values, Mapping) else values
        raise UserError(f"there is no such number in {str(value)[:200]} ({type(error).__name__}: {error})") from None
