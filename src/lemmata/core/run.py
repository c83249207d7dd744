"""A run: a config that decides its numbers, what it may ask of whoever executes it, and what is read back."""

import abc
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from lemmata.core.condition import Needs, each_condition, refuse
from lemmata.core.config import UNSAID, Config, canonical, digest
from lemmata.core.constraints import Natural
from lemmata.core.engine import Resources
from lemmata.core.errors import Undecided
from lemmata.core.rng import replicated
from lemmata.core.scale import Scale


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


@runtime_checkable
class SharedContext(RunContext, Protocol):
    """The context of a run that several processes execute at once, each with replicas of its own to train."""

    def claim(self, stage: str) -> AbstractContextManager[bool]:
        """Whether this process alone may work on a stage's replica while the context is entered."""
        ...

    def wait(self) -> None:
        """A moment, for what others are working on; raises where the run is complete and nobody needs it any more."""
        ...


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
class RunConfig(Config, abc.ABC):
    """Everything that decides a run's numbers. Its digest is the run's name in the store.

    Subclasses set `kind` ("paper/name") and bump `version` when the same config starts to give other numbers.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    replication: Natural = field(
        default=0, metadata=UNSAID
    )  # another number: all randomness fresh, everything else equal

    @abc.abstractmethod
    def execute(self, context: RunContext) -> RunOutput:
        """Compute. Deterministic: the same config gives the same bits on the same device."""

    def compute(self, context: RunContext) -> RunOutput:
        """Execute under the run's own replication: what whoever wants its numbers calls."""
        with replicated(self.replication):
            return self.execute(context)

    def lacks(self) -> str | None:
        """Why it cannot be computed on this machine, with the command that helps; None if it can. Loads nothing.

        For runs that need more than code: a language model's weights.
        """
        return None

    def input_hashes(self) -> tuple[str, ...]:
        """Hashes of the files that decide its numbers besides the config, such as a model's weights.

        Asked only where nothing lacks, and asked often: whoever hashes large files remembers their hashes.
        """
        return ()

    def resources(self) -> Resources:
        """What it asks of the machine that computes it; an engine with one machine does not ask."""
        return Resources()

    @property
    def requested(self) -> str:
        """All that is asked for, in one text; the same on every machine."""
        return f"{self.kind}@{self.version}:{canonical(self)}"

    @property
    def digest(self) -> str:
        return digest("|".join((self.requested, *self.input_hashes())))


class Recorded(dict[str, np.ndarray]):
    """What a run recorded, by name; what it did not record cannot decide a claim."""

    def __missing__(self, name: str) -> np.ndarray:
        raise Undecided(f"the run records no {name!r} under these settings")


@dataclass(frozen=True)
class RunResult:
    """A stored run, read back."""

    config: Any
    metrics: Mapping[str, np.ndarray]
    arrays: Mapping[str, np.ndarray]
    record: Mapping[str, Any] = field(default_factory=dict)

    def column(self, name: str, **where: Any) -> np.ndarray:
        """One metric's values, on the rows where every other named column has the given value."""
        values = np.asarray(self.metrics[name])
        keep = np.ones(len(values), dtype=bool)
        for key, value in where.items():
            keep &= np.asarray(self.metrics[key]) == value
        if not keep.any():
            raise Undecided(f"the run has no row of {name!r} with {', '.join(f'{k} = {v}' for k, v in where.items())}")
        return values[keep]

    def curve(self, name: str, **where: Any) -> tuple[np.ndarray, np.ndarray]:
        """Steps, and a metric's values as [seed, record]."""
        seeds = self.config.seeds
        values = np.stack([self.column(name, seed=seed, **where) for seed in seeds]).astype(float)
        return self.column("step", seed=seeds[0], **where), values


class NotComputed(BaseException):
    """Runs that somebody has asked for, and that nobody has computed yet.

    It is no reason why a claim cannot be decided: no reading, whatever it catches, may take it for one.
    """

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(*names)
        self.names = frozenset(names)


@dataclass(frozen=True)
class Runs:
    """The runs of one experiment, by the names the experiment gave them. Names like "block/8" form a group."""

    by_name: Mapping[str, RunResult]
    scale: Scale = field(default_factory=Scale)
    read: set[str] = field(default_factory=set, compare=False, repr=False)  # the names that somebody has asked for
    failed: Mapping[str, str] = field(default_factory=dict)  # those that could not be computed, and why
    gates: Needs = field(default_factory=dict, compare=False, repr=False)
    absent: Mapping[str, RunConfig] = field(default_factory=dict)  # those that are computed when they are asked for

    def __getitem__(self, name: str) -> RunResult:
        if name in self.failed:
            self.read.add(name)
            raise Undecided(self._why(name))
        if name in self.absent:
            self._pass_gate(name, before=True)
            raise NotComputed([name])
        if name not in self.by_name:
            raise Undecided(f"at scale {self.scale.name} there is no run {name!r}")
        if name not in self.read:
            self.read.add(name)
            self._pass_gate(name)
        return self.by_name[name]

    def _pass_gate(self, name: str, *, before: bool = False) -> None:
        """Whoever reads a run meets what the experiment asks of it, so that all its claims say the same; of its config
        before it is computed."""
        for gated, condition in each_condition(self.gates):
            if (gated == name or name.startswith(f"{gated}/")) and (not before or condition.reads == "config"):
                refuse(condition, self.absent[name] if before else self.by_name[name])

    def __contains__(self, name: str) -> bool:
        return name in self.by_name or name in self.failed or name in self.absent

    def __iter__(self) -> Iterator[str]:
        return iter((*self.by_name, *self.failed, *self.absent))

    def __len__(self) -> int:
        return len(self.by_name) + len(self.failed) + len(self.absent)

    @property
    def configs(self) -> dict[str, Any]:
        """Of the runs that are there, and of those that can still be computed."""
        return {name: run.config for name, run in self.by_name.items()} | dict(self.absent)

    @property
    def replication(self) -> int:
        """Of all of them: what reads or draws them again from their seeds stands under the same number."""
        return max((getattr(config, "replication", 0) for config in self.configs.values()), default=0)

    def watched(self, gates: Needs | None = None) -> "Runs":
        """The same runs, nothing of them read yet; one that does not pass its gate cannot be read."""
        return Runs(self.by_name, self.scale, failed=self.failed, gates=gates or {}, absent=self.absent)

    def items(self) -> ItemsView[str, RunResult]:
        return self._all().items()

    def values(self) -> ValuesView[RunResult]:
        return self._all().values()

    def _all(self) -> dict[str, RunResult]:
        """Every run: where one is not to be had, whoever reads them all cannot."""
        for name in self.failed:
            self.read.update(self)
            raise Undecided(self._why(name))
        if self.absent:
            raise NotComputed(self.absent)
        return {name: self[name] for name in self.by_name}

    def _why(self, name: str) -> str:
        return f"the run {name!r} could not be computed: {self.failed[name]}"

    def group(self, name: str) -> dict[str, RunResult]:
        """The runs named "name/...", by what follows the slash."""
        mine = [full for full in self if full.startswith(f"{name}/")]
        if not mine:
            raise Undecided(f"at scale {self.scale.name} there is no run {name!r}")
        if absent := [full for full in mine if full in self.absent]:
            raise NotComputed(absent)
        return {full.removeprefix(f"{name}/"): self[full] for full in mine}
