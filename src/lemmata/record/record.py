"""One verdict as everybody reads it: the store, baselines, `--json`, the pages and the notebooks."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from lemmata.core.verdict import Status

OPTIONAL: dict[str, bool] = {"optional": True}  # metadata of a field that JSON leaves out where it says nothing


@dataclass(frozen=True, kw_only=True)
class Element:
    """One number of a part, and where it stands."""

    where: Mapping[str, Any]
    predicted: Any = None
    measured: Any = None
    corrected: Any = field(default=None, metadata=OPTIONAL)
    low: float | None = field(default=None, metadata=OPTIONAL)  # of the interval over a sample
    high: float | None = field(default=None, metadata=OPTIONAL)
    count: int | None = field(default=None, metadata=OPTIONAL)  # of the sample, in its unit
    unit: str = field(default="", metadata=OPTIONAL)
    level: float | None = field(default=None, metadata=OPTIONAL)
    status: Status = "undecided"
    margin: float | None = None
    never: str = field(default="", metadata=OPTIONAL)  # what it means that it is not finite


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
    elements: tuple[Element, ...]


@dataclass(frozen=True, kw_only=True)
class Record:
    """What is known of a claim at a scale: what it says, what was found, and what stands behind it."""

    id: str
    locus: str
    statement: str
    rule: str
    parts: Mapping[str, Mapping[str, Any]]  # name -> its rule, and whether it carries the claim
    experiment: str = ""
    title: str = ""
    paper: str = ""
    scale: str = ""
    replication: int = 0
    status: str | None = None  # a Status, "not run", or None where nothing was judged
    protocol: str = field(default="", metadata=OPTIONAL)  # "exact", or what of the settings is ours
    predicted: Any = None
    measured: Any = None
    corrected: Any = field(default=None, metadata=OPTIONAL)
    margin: float | None = None
    control_status: str | None = None
    control: Mapping[str, Status] = field(default_factory=dict)
    detail: str = ""
    remark: str = ""
    proved: str = field(default="", metadata=OPTIONAL)  # the set on which it is proved
    reads: tuple[str, ...] = ()
    evidence: tuple[PartRecord, ...] = ()
    seconds: float | None = None
    runs: tuple[str, ...] = ()
    changed: tuple[str, ...] = field(default=(), metadata=OPTIONAL)  # settings, in words
    printed_formula: str = field(default="", metadata=OPTIONAL)
    corrected_formula: str = field(default="", metadata=OPTIONAL)
    severity: str = field(default="", metadata=OPTIONAL)
    reason: str = field(default="", metadata=OPTIONAL)
    root: str = field(default="", metadata=OPTIONAL)
    survives: str = field(default="", metadata=OPTIONAL)
    source: str = field(default="", metadata=OPTIONAL)
    latex: str = field(default="", metadata=OPTIONAL)

    @property
    def is_exact(self) -> bool:
        """Whether setting, metric and size are the paper's: only then is a failure said of the paper."""
        return self.protocol == "exact"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data; what says nothing is left out."""
        return _encoded(self) | {"evidence": [_part_json(part) for part in self.evidence]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Record":
        """Of what `to_json` wrote; keys of another version that this one does not know are left aside."""
        return _decoded(cls, data, evidence=tuple(_part(one) for one in data.get("evidence", ())))


def _encoded(record: Any) -> dict[str, Any]:
    said = {one.name: getattr(record, one.name) for one in fields(record) if _is_said(record, one)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}


def _is_said(record: Any, one: Any) -> bool:
    empty = one.default_factory() if one.default_factory is not MISSING else one.default
    return not one.metadata.get("optional") or getattr(record, one.name) != empty


def _decoded(kind: Any, data: Mapping[str, Any], **more: Any) -> Any:
    known = {one.name for one in fields(kind)} - set(more)
    given = {
        name: tuple(value) if isinstance(value, list) and name in TUPLES else value for name, value in data.items()
    }
    return kind(**{name: value for name, value in given.items() if name in known}, **more)


TUPLES = {"reads", "runs", "changed", "allowance"}  # lists in JSON whose fields are tuples; measured lists stay lists


def _part_json(part: PartRecord) -> dict[str, Any]:
    data = _encoded(part)
    del data["elements"]
    return data | {"rows": [_element_json(one) for one in part.elements]}


def _element_json(element: Element) -> dict[str, Any]:
    data = _encoded(element)
    if element.count is not None:
        data[element.unit] = data.pop("count")
    return data


def _part(data: Mapping[str, Any]) -> PartRecord:
    return _decoded(PartRecord, data, elements=tuple(_element(row) for row in data["rows"]))


def _element(data: Mapping[str, Any]) -> Element:
    unit = data.get("unit", "")
    return _decoded(Element, data, count=data.get(unit) if unit else None)
