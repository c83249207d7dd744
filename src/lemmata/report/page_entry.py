"""What the page is made of: an experiment with its verdicts, its drawing, and how both came about."""

from dataclasses import dataclass

import lemmata
from lemmata.core import Artefact
from lemmata.record import ExperimentResult, Record


@dataclass(frozen=True)
class Entry:
    result: ExperimentResult
    artefact: Artefact
    command: str  # draws this experiment again
    records: tuple[Record, ...] = ()  # its verdicts


@dataclass(frozen=True, kw_only=True)
class Footer:
    """How a drawing came about: it travels with each file."""

    command: str
    scale: str = ""  # of what has one
    version: str
    seeds: tuple[int, ...] = ()
    run_ids: tuple[str, ...] = ()

    def line(self) -> str:
        scale = "" if not self.scale or f"--scale {self.scale}" in self.command else f"scale {self.scale}"
        parts = [self.command, scale, describe_seeds(self.seeds), f"lemmata {self.version}"]
        return " · ".join(part for part in parts if part)


def footer_of(result: ExperimentResult, command: str) -> Footer:
    return Footer(
        command=command,
        scale=result.runs.scale.name,
        version=lemmata.__version__,
        seeds=result.seeds,
        run_ids=result.run_ids,
    )


def describe_seeds(seeds: tuple[int, ...]) -> str:
    if not seeds:
        return ""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if seeds == tuple(range(seeds[0], seeds[-1] + 1)):
        return f"seeds {seeds[0]}–{seeds[-1]}"
    return "seeds " + ", ".join(str(seed) for seed in seeds)


@dataclass(frozen=True)
class Found:
    """A finding as the page says it; one without a text could not be said."""

    experiment: str  # whose figure shows it
    text: str
    note: str = ""  # where it comes from, if not from this report's own verdicts; what of its settings is ours
