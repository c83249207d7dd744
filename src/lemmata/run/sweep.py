"""A sweep: one experiment under every combination of listed values, each cell judged by the experiment's own rules."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from lemmata.core import Scale, UserError, judge, require
from lemmata.core.registry import Selection
from lemmata.core.warnings import suppress_warnings
from lemmata.record.cell import Cell, Judged
from lemmata.record.record_of import record_of
from lemmata.run.changes import locations_in, with_set
from lemmata.run.evaluate import require_possible, runs_of
from lemmata.run.reporter import Computing
from lemmata.run.scheduler import compute_all, load
from lemmata.run.store import Store

RANGE = re.compile(r"([-+\d.e]+):([-+\d.e]+):(\d{1,4})")
MOST = 1000  # values of a range


@dataclass(frozen=True)
class Axis:
    """A key and the values it takes, as they were typed."""

    key: str
    values: tuple[str, ...]


def axis(text: str) -> Axis:
    """`temperature=0.01,0.02` as an axis. A value that is a list itself stands in brackets: `seeds=[0,1],[2,3]`. Eight
    from one number to another: `task.alpha=0.1:0.8:8`."""
    key, equals, listing = text.partition("=")
    if key and (between := RANGE.fullmatch(listing.strip())):
        try:
            first, last, count = float(between[1]), float(between[2]), int(between[3])
        except ValueError:
            raise UserError(f"--set {text!r} is not possible: a range is FIRST:LAST:COUNT, of numbers") from None
        require(2 <= count <= MOST, "--set", text, f"2 to {MOST} values in a range")
        steps = ((last - first) * i / (count - 1) for i in range(count))
        return Axis(key, tuple(dict.fromkeys(f"{first + step:.10g}" for step in steps)))
    values: list[str] = [""]
    depth = 0
    for character in listing:
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            values.append("")
        else:
            values[-1] += character
    values = list(dict.fromkeys(value.strip() for value in values))
    if not equals or not key or not all(values):
        raise UserError(f"--set {text!r} is not possible: write key=value,value,...")
    return Axis(key, tuple(values))


def cells(selection: Selection, scale: Scale, axes: Sequence[Axis]) -> list[Cell]:
    """Every combination, in the order of the lists; refused as a whole if no combination is possible."""
    keys = [one.key for one in axes]
    if not keys or len(set(keys)) != len(keys):
        raise UserError(f"--set {' '.join(keys)!r} is not possible: each key once, at least one")
    before = selection.experiment.runs(scale)
    locations = locations_in(before, keys)
    found = []
    for values in itertools.product(*(one.values for one in axes)):
        requested = dict(zip(keys, values, strict=True))
        try:
            found.append(Cell(requested, with_set(before, locations, requested)))
        except UserError as error:
            found.append(Cell(requested, refused=str(error)))
    if all(cell.refused for cell in found):
        raise UserError(found[0].refused)
    return found


def sweep(
    selection: Selection, scale: Scale, found: Sequence[Cell], store: Store, **how: Unpack[Computing]
) -> Iterator[Judged]:
    """Compute what the cells lack, all at once; then judge one after another, holding the runs of one alone.

    A claim that reads no run which some cell changes would say the same everywhere, and is left out.
    """
    configs = [config for cell in found for config in cell.runs.values()]
    require_possible(selection.experiment, configs, store)
    failures = compute_all(configs, store, **how)
    before = selection.experiment.runs(scale)
    touched = {name for cell in found for name, config in cell.runs.items() if config != before[name]}
    for cell in found:
        if cell.refused:
            yield Judged(cell, {})
            continue
        there = {one.digest: load(one, store) for one in cell.runs.values() if one.digest not in failures}
        runs = runs_of(cell.runs, there, failures, scale)
        with suppress_warnings(True):
            judgements = [judge(claim, runs, selection.experiment.needs) for claim in selection.claims]
        changed = tuple(f"{key} = {value}" for key, value in cell.values.items())
        reached = [one for one in judgements if touched & set(one.reads)]
        yield Judged(cell, {one.claim.id: record_of(one, limit=1, changed=changed) for one in reached})
