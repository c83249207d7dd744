"""From a judgement to its record: what is known of the claim, what was found, and the numbers that decide."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

import numpy as np

from lemmata.core.claim import Claim, Judgement
from lemmata.core.errors import Undecided
from lemmata.core.evidence import Evidence, values_of
from lemmata.core.registry import Selection
from lemmata.core.resolution import resolution
from lemmata.core.sample import LEVEL, Sample, shown_interval
from lemmata.core.scale import Scale
from lemmata.core.to_json import to_json
from lemmata.core.verdict import Elements, Status
from lemmata.record.protocol import protocol_of
from lemmata.record.record import EXACT, Element, PartFacts, PartRecord, Record

KEPT = 64  # rows of a part that are stored with a verdict; whoever judges anew has them all
MARGIN_DIGITS = 3  # significant: what differs by rounding alone keeps its order on every machine
DECIDES_FIRST = {"fails": 0, "undecided": 1, "holds": 2}
PLACES = {1: ("position",), 2: ("row", "column")}  # what the axes of an array are called that nobody named


def claim_facts(claim: Claim, selection: Selection | None = None, scale: Scale | None = None) -> Record:
    """What is known before anything is measured."""
    about: dict[str, Any] = {}
    if selection:
        experiment = selection.experiment
        about = {"experiment": experiment.id, "title": experiment.title, "paper": selection.paper.id}
    if scale:
        about |= {"scale": scale.name, "replication": scale.replication}
    if selection and scale:
        about["protocol"] = protocol_of(claim, selection.experiment, scale)
    return Record(
        id=claim.id,
        locus=claim.locus,
        statement=claim.statement,
        rule=claim.rule,
        parts={name: PartFacts(part.rule.describe(), part.carries) for name, part in claim.named_parts().items()},
        correction=claim.correction,
        **about,
    )


def record_of(judgement: Judgement, limit: int | None = None, known: Record | None = None, **more: Any) -> Record:
    """The record of a verdict; `limit`: of so many elements a part alone, of those that decide; `known`: of its claim,
    without a verdict."""
    known = known or claim_facts(judgement.claim)
    return replace(
        known,
        status=judgement.status,
        protocol=known.protocol or judgement.protocol or EXACT,
        predicted=to_json(judgement.predicted),
        measured=to_json(judgement.measured),
        corrected=to_json(judgement.corrected),
        margin=finite(judgement.margin),
        control_status=judgement.control_status,
        control=dict(judgement.control),
        detail=judgement.detail,
        remark=judgement.remark,
        proved=judgement.proved,
        reads=judgement.reads,
        evidence=tuple(part_record(one, limit) for one in judgement.evidence),
        **more,
    )


def part_record(evidence: Evidence, limit: int | None = None) -> PartRecord:
    count, elements = _elements(evidence, limit)
    found = resolution(evidence, lambda place: _place(evidence, place))
    return PartRecord(
        part=evidence.part,
        rule=evidence.rule.describe(),
        asks=evidence.rule.asks,
        unit=evidence.rule.unit,
        allowance=tuple(evidence.rule.allowance),
        status=evidence.verdict.status,
        margin=finite(evidence.verdict.margin),
        detail=evidence.verdict.detail,
        count=count,
        elements=elements,
        resolution=found.words if found else "",
        unnoticed=finite(found.order) if found and math.isfinite(found.order) else None,
        loose=bool(found and found.is_loose),
        stated=(stated := getattr(evidence.rule, "paper", "")),
        covered=_covered(evidence) if stated else "",
    )


def _covered(evidence: Evidence) -> str:
    """From where to where along each axis that has numbers."""
    values: dict[str, list[float]] = {}
    for name, labels in _named(evidence.along, evidence.shape() or ()):
        for label in labels:
            for axis, value in (label if isinstance(label, Mapping) else {name: label}).items():
                if isinstance(value, int | float | np.number) and axis not in ("seed", "point", "position"):
                    values.setdefault(axis, []).append(float(value))
    ends = {name: sorted({min(found), max(found)}) for name, found in values.items()}
    return ", ".join(f"{name} = {' to '.join(f'{end:.6g}' for end in pair)}" for name, pair in ends.items())


def _place(evidence: Evidence, flat: int) -> str:
    """Where an element stands, in words; empty where there is but one."""
    shape = evidence.shape()
    if not shape or math.prod(shape) < 2:
        return ""
    index = tuple(int(one) for one in np.unravel_index(flat, shape))
    where = _where(_named(evidence.along, shape), index)
    return ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}" for name, value in where.items()
    )


def _elements(evidence: Evidence, limit: int | None) -> tuple[int, tuple[Element, ...]]:
    found, shape, each = evidence.compared(), evidence.shape(), evidence.verdict.each
    if shape is None or each is None:
        return 0, ()
    columns = {"predicted": _spread(evidence.predicted, shape), "measured": _spread(values_of(found), shape)}
    if evidence.corrected is not None:
        columns["corrected"] = _spread(evidence.corrected, shape)
    columns |= _sample_columns(found, shape)
    sample = {"count": found.count, "unit": found.unit, "level": LEVEL} if isinstance(found, Sample) else {}
    names = _named(evidence.along, shape)
    margins, statuses = (np.broadcast_to(one, shape) for one in (each.margins, each.statuses))
    deciding = evidence.printed.each if evidence.printed and evidence.printed.each else each
    rows = []
    for index in islice(_deciding(deciding, shape), limit):
        numbers: dict[str, Any] = {name: to_json(column[index]) for name, column in columns.items()}
        rows.append(
            Element(
                where=_where(names, index),
                **numbers,
                **sample,
                status=cast(Status, str(statuses[index])),
                margin=finite(margins[index]),
            )
        )
    return math.prod(shape), tuple(rows)


def _deciding(each: Elements, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Where the elements stand, the deciding first: those outside the rule, then those nearest to its boundary."""
    margins, statuses = np.broadcast_to(each.margins, shape), np.broadcast_to(each.statuses, shape)

    def key(index: tuple[int, ...]) -> tuple[int, float]:
        margin = float(f"{float(margins[index]):.{MARGIN_DIGITS}g}")
        return DECIDES_FIRST[str(statuses[index])], -math.inf if math.isnan(margin) else margin

    return sorted(np.ndindex(shape), key=key)


def _named(along: Mapping[str, Any], shape: tuple[int, ...]) -> list[tuple[str, Sequence[Any]]]:
    """A name and labels an axis."""
    given: list[tuple[str, Sequence[Any]]] = [
        (name, list(values)) for name, values in along.items() if not isinstance(values, Undecided)
    ]
    if tuple(len(labels) for _, labels in given) == shape:
        return given
    names = PLACES.get(len(shape), tuple(f"index {axis + 1}" for axis in range(len(shape))))
    return [(name, range(1, size + 1)) for name, size in zip(names, shape, strict=True)]


def _where(names: list[tuple[str, Sequence[Any]]], index: tuple[int, ...]) -> dict[str, Any]:
    """Where an element stands, axis by axis; a label of several names says them itself."""
    where: dict[str, Any] = {}
    for (name, labels), i in zip(names, index, strict=True):
        where |= labels[i] if isinstance(labels[i], Mapping) else {name: labels[i]}
    return {name: to_json(value) for name, value in where.items()}


def _spread(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A value for each element; one that cannot be told apart by element is the same for all."""
    try:
        return np.broadcast_to(np.asarray(values_of(value), dtype=object), shape)
    except ValueError:
        same = np.empty((), dtype=object)
        same[()] = to_json(value)
        return np.broadcast_to(same, shape)


def _sample_columns(found: Any, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    if not isinstance(found, Sample):
        return {}
    return {
        name: np.vectorize(finite, otypes=[object])(_spread(end, shape))
        for name, end in zip(("low", "high"), shown_interval(found), strict=True)
    }


def finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
