"""One verdict as everybody reads it: the store, baselines, `--json`, the pages and the notebooks."""

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from typing import Any

from lemmata.core.claim import Correction
from lemmata.core.verdict import Status
from lemmata.record.protocol import EXACT
from lemmata.record.provenance import Provenance

NOT_RUN = "not run"  # in the place of a verdict
OPTIONAL: dict[str, Any] = {"optional": True}  # JSON leaves it out where it says nothing
FOUND: dict[str, Any] = {"found": True}  # known by judging alone: what a baseline keeps
LISTED: dict[str, Any] = {"listed": True}  # JSON has it where a claim stands in a list, with its provenance
CORRECTION_KEYS = {"printed": "printed_formula", "corrected": "corrected_formula"}
TUPLES = {"reads", "runs", "changed", "allowance"}  # lists in JSON whose fields are tuples; measured lists stay lists


@dataclass(frozen=True, kw_only=True)
class Element:
    """One number of a part, and where it stands."""

    where: Mapping[str, Any]
    predicted: Any = None
    measured: Any = None
    corrected: Any = field(default=None, metadata=OPTIONAL)
    low: float | None = field(default=None, metadata=OPTIONAL)  # of the interval over a sample
    high: float | None = field(default=None, metadata=OPTIONAL)
    count: int | None = field(default=None, metadata=OPTIONAL)  # of the sample; in JSON under the name of its unit
    unit: str = field(default="", metadata=OPTIONAL)
    level: float | None = field(default=None, metadata=OPTIONAL)
    status: Status = "undecided"
    margin: float | None = None


@dataclass(frozen=True, kw_only=True)
class PartRecord:
    """What decided one part of a claim: its rule, and its elements, the deciding first."""

    part: str
    rule: str
    asks: str
    unit: str
    allowance: tuple[Any, ...]
    status: Status
    margin: float | None
    detail: str
    count: int  # elements in all; those that are kept may be fewer
    elements: tuple[Element, ...] = field(metadata={"key": "rows"})
    resolution: str = field(default="", metadata=OPTIONAL)  # what it would have refuted, in words, where it holds
    unnoticed: float | None = field(default=None, metadata=OPTIONAL)  # how much may be wrong; None: any change
    loose: bool = field(default=False, metadata=OPTIONAL)
    stated: str = field(default="", metadata=OPTIONAL)  # of a bound of the paper: where it states it
    covered: str = field(default="", metadata=OPTIONAL)  # and over how much of that it was judged


@dataclass(frozen=True)
class PartFacts:
    rule: str
    carries: bool = True


@dataclass(frozen=True, kw_only=True)
class Record:
    """What is known of a claim at a scale: what it says, what was found, and what stands behind it."""

    id: str
    locus: str = ""
    statement: str = ""
    rule: str = ""
    parts: Mapping[str, PartFacts] = field(default_factory=dict)  # by name; "" where the claim has but one
    correction: Correction | None = field(default=None, metadata=OPTIONAL)
    experiment: str = ""
    title: str = ""
    paper: str = ""
    scale: str = ""
    replication: int = 0
    protocol: str = field(default="", metadata=OPTIONAL)  # "exact", or what of the settings is ours
    status: str | None = field(default=None, metadata=FOUND)  # a Status, "not run", or None: nothing was judged
    predicted: Any = field(default=None, metadata=FOUND)
    measured: Any = field(default=None, metadata=FOUND)
    corrected: Any = field(default=None, metadata=FOUND | OPTIONAL)
    margin: float | None = field(default=None, metadata=FOUND)
    control_status: str | None = field(default=None, metadata=FOUND)
    control: Mapping[str, Status] = field(default_factory=dict, metadata=FOUND)
    detail: str = field(default="", metadata=FOUND)
    remark: str = field(default="", metadata=FOUND)
    proved: str = field(default="", metadata=FOUND | OPTIONAL)  # the set on which it is proved
    reads: tuple[str, ...] = field(default=(), metadata=FOUND)
    evidence: tuple[PartRecord, ...] = field(default=(), metadata=FOUND)
    seconds: float | None = field(default=None, metadata=FOUND)
    runs: tuple[str, ...] = ()
    changed: tuple[str, ...] = field(default=(), metadata=OPTIONAL)  # settings, in words
    left_out: str = field(default="", metadata=OPTIONAL)  # why no change reaches it
    again: str = field(default="", metadata=OPTIONAL)  # the command that gives its numbers under the same changes
    digest: str = field(default="", metadata=FOUND | OPTIONAL)  # of the claim as it was judged
    code: str = field(default="", metadata=FOUND | OPTIONAL)  # of its code
    stale: str = field(default="", metadata=OPTIONAL)  # why a stored verdict says nothing of the claim as it stands
    version: str = field(default="", metadata=FOUND | OPTIONAL)  # of lemmata, that computed the runs
    date: str = field(default="", metadata=FOUND | OPTIONAL)  # when the last of them was done
    device: str = field(default="", metadata=FOUND | OPTIONAL)
    provenance: Provenance | None = field(default=None, metadata=OPTIONAL)
    extra: str = field(default="", metadata=LISTED)  # what it needs beyond the plain install
    command: str = field(default="", metadata=LISTED)
    file: str = field(default="", metadata=LISTED)
    reference: str | None = field(default=None, metadata=LISTED)  # where a verdict that is not of this store comes from
    at_paper: str | None = field(default=None, metadata=OPTIONAL)  # the verdict at the paper's own sizes

    @property
    def name(self) -> str:
        """The id without the paper's."""
        return self.id.partition("/")[2]

    @property
    def is_exact(self) -> bool:
        """Whether setting, metric and size are the paper's: only then is a failure said of the paper."""
        return self.protocol == EXACT and not self.changed

    @property
    def is_judged(self) -> bool:
        return self.status not in (None, NOT_RUN)

    @property
    def weakest(self) -> PartRecord | None:
        """Of the parts of a verdict that stands the one that carries the claim and would notice least."""
        if self.status not in ("holds", "erratum"):
            return None
        carrying = [one for one in self.evidence if self.parts.get(one.part, PartFacts("")).carries and one.resolution]
        return max(carrying, key=lambda one: math.inf if one.unnoticed is None else one.unnoticed, default=None)

    @property
    def resolution(self) -> str:
        """What the verdict would have refuted, by its weakest part."""
        if not (part := self.weakest):
            return ""
        return f"{f'{part.part}: ' if part.part else ''}{part.resolution}{' (loose)' if part.loose else ''}"

    @property
    def bounds(self) -> str:
        """Of the paper's bounds: over which range each was judged, and for which the paper states it."""
        found = [one for one in self.evidence if one.stated]
        said = [f"{one.part}: ".lstrip(": ") + f"over {one.covered or 'one case'}" for one in found]
        return "; ".join(f"{over} (stated for {one.stated})" for over, one in zip(said, found, strict=True))

    def with_found(self, other: "Record") -> "Record":
        """The same claim with what judging found elsewhere."""
        return replace(self, **{one.name: getattr(other, one.name) for one in fields(self) if "found" in one.metadata})

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data."""
        data = _encoded(self, lambda one: _is_said(self, one))
        provenance = self.provenance.to_json() if self.provenance else {}
        return _without(data, "correction", "provenance") | correction_json(self.correction) | provenance

    def found_json(self) -> dict[str, Any]:
        """What judging found, alone; what says nothing is left out."""
        return _encoded(self, lambda one: "found" in one.metadata and getattr(self, one.name) != _empty(one))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Record":
        """Of what `to_json` or `found_json` wrote; keys that only another version knows are left aside."""
        parts = {name: PartFacts(one["rule"], one["carries"]) for name, one in data.get("parts", {}).items()}
        evidence = tuple(_part(one) for one in data.get("evidence") or ())
        return _decoded(cls, data, evidence=evidence, parts=parts, correction=_correction(data), provenance=None)


Records = Mapping[str, Record]  # by a claim's full id


def correction_json(correction: Correction | None) -> dict[str, Any]:
    return {
        CORRECTION_KEYS.get(name, name): value
        for name, value in (_encoded(correction) if correction else {}).items()
        if value
    }


def _correction(data: Mapping[str, Any]) -> Correction | None:
    if "printed_formula" not in data:
        return None
    known = {one.name: data.get(CORRECTION_KEYS.get(one.name, one.name), "") for one in fields(Correction)}
    return Correction(**known)


def _encoded(value: Any, wanted: Any = lambda one: True) -> dict[str, Any]:
    """A dataclass by the keys of its fields."""
    return {one.metadata.get("key", one.name): _plain(getattr(value, one.name)) for one in fields(value) if wanted(one)}


def _plain(value: Any) -> Any:
    if isinstance(value, Element):
        data = _encoded(value, lambda one: _is_said(value, one))
        return data if value.count is None else _without(data, "count") | {value.unit: value.count}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if is_dataclass(value) and not isinstance(value, Provenance):
        return _encoded(value, lambda one: _is_said(value, one))
    return value


def _without(data: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


def _empty(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _is_said(record: Any, one: Field[Any]) -> bool:
    if "listed" in one.metadata:
        return record.provenance is not None
    return "optional" not in one.metadata or getattr(record, one.name) != _empty(one)


def _decoded(kind: Any, data: Mapping[str, Any], **more: Any) -> Any:
    known = {one.name for one in fields(kind)} - set(more)
    given = {name: tuple(value) if name in TUPLES else value for name, value in data.items() if name in known}
    return kind(**given, **more)


def _part(data: Mapping[str, Any]) -> PartRecord:
    return _decoded(PartRecord, data, elements=tuple(_element(row) for row in data["rows"]))


def _element(data: Mapping[str, Any]) -> Element:
    unit = data.get("unit", "")
    return _decoded(Element, data, count=data.get(unit) if unit else None)
