"""What the page is made of: an experiment with its verdicts, its drawing, and how both came about."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lemmata.core import Artefact, Experiment, Judgement, Paper


@dataclass(frozen=True)
class ReportedExperiment:
    paper: Paper
    experiment: Experiment
    judgements: tuple[Judgement, ...]
    artefact: Artefact | None
    run_ids: tuple[str, ...]
    seconds: float  # what the runs cost when they were computed
    command: str  # draws this experiment again
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """How a drawing came about: it travels with each file."""

    command: str
    scale: str
    version: str
    seeds: tuple[int, ...] = ()
    run_ids: tuple[str, ...] = ()

    def line(self) -> str:
        scale = "" if f"--scale {self.scale}" in self.command else f"scale {self.scale}"
        parts = [self.command, scale, describe_seeds(self.seeds), f"lemmata {self.version}"]
        return " · ".join(part for part in parts if part)


def seeds_of(configs: Iterable[Any]) -> tuple[int, ...]:
    """The seeds named by the `seeds` or `seed` fields of run configs, in order."""
    found: set[int] = set()
    for config in configs:
        seeds = getattr(config, "seeds", ())
        found |= {seeds} if isinstance(seeds, int) else set(seeds)
        if isinstance(seed := getattr(config, "seed", None), int):
            found.add(seed)
    return tuple(sorted(found))


def describe_seeds(seeds: tuple[int, ...]) -> str:
    if not seeds:
        return ""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if seeds == tuple(range(seeds[0], seeds[-1] + 1)):
        return f"seeds {seeds[0]}–{seeds[-1]}"
    return "seeds " + ", ".join(str(seed) for seed in seeds)
