"""Scales: how large to run the same experiment."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from lemmata.core.errors import require, unknown

ScaleName = Literal["smoke", "laptop", "paper"]
SCALES: tuple[ScaleName, ...] = ("smoke", "laptop", "paper")
V = TypeVar("V")


@dataclass(frozen=True)
class Scale:
    """How large to run: `smoke` (seconds), `laptop` (minutes on two cores), `paper` (the paper's own sizes)."""

    name: ScaleName = "laptop"
    num_seeds: int | None = None
    replication: int = 0  # 0: the reference; another number: the same runs with fresh randomness

    def __post_init__(self) -> None:
        if self.name not in SCALES:
            raise unknown("scale", str(self.name), SCALES)
        whole = isinstance(self.num_seeds, int) and not isinstance(self.num_seeds, bool)
        require(self.num_seeds is None or (whole and self.num_seeds >= 1), "seeds", self.num_seeds, "int, at least 1")
        whole = isinstance(self.replication, int) and not isinstance(self.replication, bool)
        require(whole and self.replication >= 0, "replication", self.replication, "int, at least 0")

    def pick(self, *, smoke: V, laptop: V, paper: V) -> V:
        return {"smoke": smoke, "laptop": laptop, "paper": paper}[self.name]

    def seeds(self, *, smoke: int, laptop: int, paper: int) -> tuple[int, ...]:
        """The seeds to run: as many as the user asked for, else the experiment's own number at this scale."""
        return tuple(range(self.num_seeds or self.pick(smoke=smoke, laptop=laptop, paper=paper)))


@dataclass(frozen=True)
class Size(Generic[V]):
    """One size of an experiment at each scale; `where` says where the paper prints its own, or that it does not."""

    smoke: V
    laptop: V
    paper: V
    where: str

    def at(self, scale: Scale) -> V:
        return scale.pick(smoke=self.smoke, laptop=self.laptop, paper=self.paper)
