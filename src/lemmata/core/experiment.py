"""An experiment: the runs it needs at each scale, the claims they decide, and the drawing made from them."""

import abc
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from lemmata.core.claim import Claim
from lemmata.core.config import canonical, digest
from lemmata.core.errors import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ScaleName = Literal["smoke", "laptop", "paper"]
SCALES: tuple[ScaleName, ...] = ("smoke", "laptop", "paper")
V = TypeVar("V")


@dataclass(frozen=True)
class Scale:
    """How large to run: `smoke` (seconds), `laptop` (minutes on two cores), `paper` (the paper's own sizes)."""

    name: ScaleName = "laptop"
    num_seeds: int | None = None

    def __post_init__(self) -> None:
        if self.name not in SCALES:
            raise unknown("scale", str(self.name), SCALES)

    def pick(self, *, smoke: V, laptop: V, paper: V) -> V:
        return {"smoke": smoke, "laptop": laptop, "paper": paper}[self.name]

    def seeds(self, *, smoke: int, laptop: int, paper: int) -> tuple[int, ...]:
        """The seeds to run: as many as the user asked for, else the experiment's own number at this scale."""
        return tuple(range(self.num_seeds or self.pick(smoke=smoke, laptop=laptop, paper=paper)))


@dataclass(frozen=True)
class Checkpoint:
    """What a half-finished stage left behind."""

    step: int
    arrays: Mapping[str, np.ndarray]


@runtime_checkable
class RunContext(Protocol):
    """What a run may ask of whoever executes it: to show progress, and to keep or return a checkpoint."""

    def progress(self, stage: str, done: int, total: int) -> None: ...
    def save(self, stage: str, checkpoint: Checkpoint) -> None: ...
    def load(self, stage: str) -> Checkpoint | None: ...


class Unattended:
    """The context of a run nobody watches: no progress shown, no checkpoint kept."""

    def progress(self, stage: str, done: int, total: int) -> None:
        pass

    def save(self, stage: str, checkpoint: Checkpoint) -> None:
        pass

    def load(self, stage: str) -> Checkpoint | None:
        return None


@dataclass(frozen=True)
class RunOutput:
    """A run's numbers: one table (equal-length columns) and any arrays worth keeping."""

    metrics: Mapping[str, np.ndarray]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunConfig(abc.ABC):
    """Everything that decides a run's numbers. Its digest is the run's name in the store.

    Subclasses set `kind` ("paper/name") and bump `version` when the same config starts to give other numbers.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @abc.abstractmethod
    def execute(self, context: RunContext) -> RunOutput:
        """Compute. Deterministic: the same config gives the same bits on the same device."""

    @property
    def digest(self) -> str:
        return digest(f"{self.kind}@{self.version}:{canonical(self)}")


@dataclass(frozen=True)
class RunResult:
    """A stored run, read back."""

    config: Any
    metrics: Mapping[str, np.ndarray]
    arrays: Mapping[str, np.ndarray]
    record: Mapping[str, Any]

    def column(self, name: str, **where: Any) -> np.ndarray:
        """One metric's values, on the rows where every other named column has the given value."""
        if name not in self.metrics:
            raise unknown("metric", name, self.metrics)
        keep = np.ones(len(self.metrics[name]), dtype=bool)
        for key, value in where.items():
            keep &= np.asarray(self.metrics[key]) == value
        return np.asarray(self.metrics[name])[keep]


@dataclass(frozen=True)
class Results:
    """The stored runs of one experiment at one scale."""

    runs: tuple[RunResult, ...]
    scale: Scale = field(default_factory=Scale)

    def __iter__(self) -> Iterator[RunResult]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def where(self, kind: type | None = None, **fields: Any) -> "Results":
        """The runs of a config class whose config has these field values."""
        kept = tuple(
            run
            for run in self.runs
            if (kind is None or isinstance(run.config, kind))
            and all(getattr(run.config, key, dataclasses.MISSING) == value for key, value in fields.items())
        )
        return Results(kept, self.scale)

    def one(self, kind: type | None = None, **fields: Any) -> RunResult:
        found = self.where(kind, **fields).runs
        if len(found) != 1:
            raise LookupError(f"expected one run of {kind} with {fields}, found {len(found)}")
        return found[0]


@dataclass(frozen=True)
class Artefact:
    """A figure, the table beneath it, and what a reader should know before believing it."""

    figure: "Figure | None"
    table: Mapping[str, Any]
    caption: str


@dataclass(frozen=True, kw_only=True)
class Experiment:
    id: str  # "ic-recall/fig-3"
    title: str
    grid: Callable[[Scale], tuple[RunConfig, ...]]
    claims: tuple[Claim, ...]
    render: Callable[[Results], Artefact]
    notes: str = ""  # what to know when reading the figure: ceilings, choices, known differences from the paper

    def __post_init__(self) -> None:
        ids = [claim.id for claim in self.claims]
        if len(set(ids)) != len(ids):
            raise ValueError(f"{self.id}: two claims share an id among {ids}")
