"""The lazy registry: papers are folders of `lemmata.papers`, found by name and imported only when asked for."""

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from lemmata.core.claim import Claim
from lemmata.core.errors import unknown
from lemmata.core.experiment import Experiment, RunConfig


@dataclass(frozen=True, kw_only=True)
class Paper:
    """What is known of a paper before any of its code is loaded. A paper's folder exports one as `PAPER`."""

    id: str
    title: str
    authors: str
    sentence: str  # what it shows, in one sentence
    package: str  # "lemmata.papers.ic_recall"
    modules: tuple[str, ...]  # the folder's modules that define `EXPERIMENTS`, in reading order

    def load(self) -> tuple[ModuleType, ...]:
        return tuple(importlib.import_module(f"{self.package}.{name}") for name in self.modules)


@cache
def papers() -> dict[str, Paper]:
    """Every paper by id, without loading its experiments."""
    package = importlib.import_module("lemmata.papers")
    found: dict[str, Paper] = {}
    for module in pkgutil.iter_modules(package.__path__):
        paper = importlib.import_module(f"lemmata.papers.{module.name}").PAPER
        if paper.id in found:
            raise ValueError(f"two folders claim the paper id {paper.id!r}")
        found[paper.id] = paper
    return found


@cache
def experiments(paper_id: str) -> dict[str, Experiment]:
    """A paper's experiments by id, in reading order."""
    found: dict[str, Experiment] = {}
    owners: dict[str, str] = {}
    for module in papers()[paper_id].load():
        for experiment in module.EXPERIMENTS:
            if experiment.id in found:
                raise ValueError(f"two experiments share the id {experiment.id!r}")
            found[experiment.id] = experiment
            for claim in experiment.claims:
                if claim.id in owners:
                    raise ValueError(f"claim {claim.id!r} stands in {owners[claim.id]} and in {experiment.id}")
                owners[claim.id] = experiment.id
    return found


def run_type(kind: str) -> type[RunConfig]:
    """The config class of a stored run's `kind`."""
    found: dict[str, type[RunConfig]] = {}
    paper = papers().get(kind.split("/")[0])
    for module in paper.load() if paper else ():
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, RunConfig) and hasattr(value, "kind"):
                if found.get(value.kind, value) is not value:
                    raise ValueError(f"two run configs share the kind {value.kind!r}")
                found[value.kind] = value
    if kind not in found:
        raise unknown("kind of run", kind, found)
    return found[kind]


@dataclass(frozen=True)
class Selection:
    """An experiment and those of its claims that were asked for."""

    experiment: Experiment
    claims: tuple[Claim, ...]


def select(ids: Iterable[str]) -> tuple[Selection, ...]:
    """Experiments and claims named by paper, experiment or claim id; everything if no id is given.

    An experiment and a claim may share an id (a figure and the claim it shows): the experiment is meant.
    """
    wanted = tuple(ids) or tuple(papers())
    chosen: dict[str, dict[str, Claim]] = {}
    for wanted_id in wanted:
        for experiment, claims in _matches(wanted_id):
            chosen.setdefault(experiment.id, {}).update({claim.id: claim for claim in claims})
    everything = {e.id: e for paper_id in papers() for e in _loaded(paper_id, wanted)}
    return tuple(Selection(everything[id], tuple(claims.values())) for id, claims in chosen.items())


def _loaded(paper_id: str, wanted: tuple[str, ...]) -> Iterable[Experiment]:
    return experiments(paper_id).values() if any(w.split("/")[0] == paper_id for w in wanted) else ()


def _matches(wanted_id: str) -> list[tuple[Experiment, tuple[Claim, ...]]]:
    paper_id = wanted_id.split("/")[0]
    if paper_id not in papers():
        raise unknown("id", wanted_id, papers())
    mine = experiments(paper_id)
    if wanted_id == paper_id:
        return [(experiment, experiment.claims) for experiment in mine.values()]
    if wanted_id in mine:
        return [(mine[wanted_id], mine[wanted_id].claims)]
    for experiment in mine.values():
        for claim in experiment.claims:
            if claim.id == wanted_id:
                return [(experiment, (claim,))]
    raise unknown("id", wanted_id, [*mine, *(claim.id for e in mine.values() for claim in e.claims)])
