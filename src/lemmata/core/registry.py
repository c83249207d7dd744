"""The lazy registry: papers are found by entry point, their experiments are the files of their `claims` folder."""

import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from lemmata.core.claim import Claim
from lemmata.core.errors import UserError, unknown
from lemmata.core.experiment import Experiment
from lemmata.core.pluralize import pluralize
from lemmata.core.run import RunConfig
from lemmata.core.scale import Scale

ENTRY_POINTS = "lemmata.papers"
PATHS = "LEMMATA_PAPER_PATH"  # folders of papers that are not installed, apart as in PATH


@dataclass(frozen=True, kw_only=True)
class Paper:
    """What is known of a paper before any of its code is loaded. A paper's package exports one as `PAPER`."""

    id: str
    title: str
    authors: str  # names, a comma between them
    year: int
    venue: str = ""  # where it appeared, as in "ICLR 2025"
    sentence: str  # what it shows, in one sentence
    link: str = ""  # where to read it
    order: tuple[str, ...] = ()  # experiments in reading order; those not named follow, by name
    headlines: tuple[str, ...] = ()  # claims (without the paper's id) by which it is remembered
    package: str = ""  # its importable name, set by the registry

    @property
    def folder(self) -> Path:
        return Path(str(importlib.import_module(self.package).__file__)).parent


def paper_paths() -> list[Path]:
    """Folders of papers that are not installed: those of the environment, where worker processes find them too."""
    return [Path(part).resolve() for part in os.environ.get(PATHS, "").split(os.pathsep) if part]


def add_paper_path(path: Path | str) -> None:
    """Make a paper's folder, which need not be installed, one of the papers of this process and of its workers."""
    path = Path(path)
    if not (path / "__init__.py").is_file():
        raise UserError(f"--paper-path {str(path)!r} is not a paper: a folder with an __init__.py is needed")
    os.environ[PATHS] = os.pathsep.join(str(one) for one in dict.fromkeys([*paper_paths(), path.resolve()]))
    forget()


def forget() -> None:
    """Look for papers anew when next asked."""
    for cached in (papers, experiment, experiments):
        cached.cache_clear()


@cache
def papers() -> dict[str, Paper]:
    """Every paper by id, without loading its experiments."""
    packages = [entry.value for entry in entry_points(group=ENTRY_POINTS)]
    for path in paper_paths():
        if str(path.parent) not in sys.path:
            sys.path.insert(0, str(path.parent))
        packages.append(path.name)
    found: dict[str, Paper] = {}
    for package in dict.fromkeys(packages):
        try:
            module = importlib.import_module(package)
        except ModuleNotFoundError as error:
            if error.name == package:  # its folder was deleted, its entry point not yet
                continue
            raise
        paper = replace(module.PAPER, package=package)
        if paper.id in found:
            raise UserError(f"two packages, {found[paper.id].package} and {package}, claim the paper id {paper.id!r}")
        found[paper.id] = paper
    return dict(sorted(found.items()))


def experiment_names(paper: Paper) -> list[str]:
    """What a paper's `claims` folder holds, in reading order: `fig_3.py` is `fig-3`."""
    names = [name.replace("_", "-") for name in _modules(f"{paper.package}.claims")]
    return sorted(names, key=lambda name: (paper.order.index(name) if name in paper.order else len(paper.order), name))


@cache
def experiment(experiment_id: str) -> Experiment:
    """One experiment, loaded from its own file alone; its own and its claims' ids are in full."""
    paper_id, name = experiment_id.split("/", 1)
    module = importlib.import_module(f"{papers()[paper_id].package}.claims.{name.replace('-', '_')}")
    claims = tuple(replace(claim, id=f"{paper_id}/{claim.id}") for claim in module.EXPERIMENT.claims)
    return replace(module.EXPERIMENT, id=experiment_id, claims=claims, runs=_replicated(module.EXPERIMENT.runs))


def _replicated(runs: Callable[[Scale], Mapping[str, RunConfig]]) -> Callable[[Scale], Mapping[str, RunConfig]]:
    """The experiment's runs, each under the replication that was asked for: papers need not know of it."""

    def under(scale: Scale) -> Mapping[str, RunConfig]:
        named = runs(scale)
        if not scale.replication:
            return named
        return {name: replace(config, replication=scale.replication) for name, config in named.items()}

    return under


@cache
def experiments(paper_id: str) -> dict[str, Experiment]:
    """A paper's experiments by id, in reading order."""
    paper = papers()[paper_id]
    found = {f"{paper_id}/{name}": experiment(f"{paper_id}/{name}") for name in experiment_names(paper)}
    owners: dict[str, str] = {}
    for one in found.values():
        for claim in one.claims:
            if owners.setdefault(claim.id, one.id) != one.id:
                raise ValueError(f"claim {claim.id!r} stands in {owners[claim.id]} and in {one.id}")
    return found


def file_of(experiment_id: str) -> Path:
    """The file that holds an experiment."""
    paper_id, name = experiment_id.split("/", 1)
    return papers()[paper_id].folder / "claims" / f"{name.replace('-', '_')}.py"


def run_types(paper: Paper) -> dict[str, type[RunConfig]]:
    """The config classes that a paper's `run` folder defines, by kind."""
    found: dict[str, type[RunConfig]] = {}
    for name in _modules(f"{paper.package}.run"):
        module = importlib.import_module(f"{paper.package}.run.{name}")
        for value in vars(module).values():
            is_run = isinstance(value, type) and issubclass(value, RunConfig) and hasattr(value, "kind")
            if is_run and found.setdefault(value.kind, value) is not value:
                raise ValueError(f"two run configs share the kind {value.kind!r}")
    return found


def run_type(kind: str) -> type[RunConfig]:
    """The config class of a stored run's `kind`."""
    paper = papers().get(kind.split("/")[0])
    found = run_types(paper) if paper else {}
    if kind not in found:
        raise unknown("kind of run", kind, found)
    return found[kind]


def exported_by(paper: Paper, name: str, absent: Any = None) -> Any:
    """What a paper's file of this name exports in large letters, as `COVERAGE` of `coverage.py`; not all have one."""
    if importlib.util.find_spec(f"{paper.package}.{name}") is None:
        return absent
    return getattr(importlib.import_module(f"{paper.package}.{name}"), name.upper())


def _modules(package: str) -> list[str]:
    """The names of a package's modules; those that begin with an underscore are its own helpers."""
    modules = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return [module.name for module in modules if not module.name.startswith("_")]


@dataclass(frozen=True)
class Selection:
    """An experiment and those of its claims that were asked for."""

    experiment: Experiment
    claims: tuple[Claim, ...]

    @property
    def paper(self) -> Paper:
        return papers()[self.experiment.id.split("/")[0]]


def select(ids: Iterable[str]) -> tuple[Selection, ...]:
    """Experiments and claims named by paper, experiment or claim id; everything if no id is given.

    An experiment and a claim may share an id (a figure and the claim it shows): the experiment is meant.
    """
    chosen: dict[str, Selection] = {}
    for wanted in tuple(ids) or tuple(papers()):
        for one, claims in _matches(wanted):
            before = chosen[one.id].claims if one.id in chosen else ()
            chosen[one.id] = Selection(one, tuple({claim.id: claim for claim in (*before, *claims)}.values()))
    return tuple(chosen.values())


def select_one(wanted: str, verb: str) -> Selection:
    """The one experiment that is named, for a command that takes no more."""
    selections = select([wanted])
    if len(selections) != 1:
        raise UserError(f"{wanted!r} names {pluralize(len(selections), 'experiment')}; `{verb}` takes one")
    return selections[0]


def _matches(wanted: str) -> list[tuple[Experiment, tuple[Claim, ...]]]:
    id = full_id(wanted)
    paper_id = id.split("/")[0]
    if id == paper_id:
        return [(one, one.claims) for one in experiments(paper_id).values()]
    if id.partition("/")[2] in experiment_names(papers()[paper_id]):
        return [(experiment(id), experiment(id).claims)]
    return [(one, (claim,)) for one in experiments(paper_id).values() for claim in one.claims if claim.id == id]


def full_id(wanted: str) -> str:
    """The id that is meant: of a paper, an experiment or a claim; in any case of letters, and without its paper where
    one paper alone has it. Where an experiment and a claim share a name, it is the id of both."""
    paper_id, slash, name = wanted.partition("/")
    if wanted in papers() or (paper_id in papers() and name in experiment_names(papers()[paper_id])):
        return wanted  # nothing need be loaded to know it
    at = [id for id in papers() if id.lower() == paper_id.lower()]
    if at and not slash:
        return at[0]
    if slash and not at:
        raise unknown("id", wanted, papers())
    known = {id: None for paper in at or papers() for id in _ids(paper)}
    target = f"{at[0]}/{name}" if slash else wanted
    for same in (str, str.lower, lambda id: id.lower().replace("_", "-")):  # the last: as its file is called
        found = [id for id in known if same(id if slash else id.partition("/")[2]) == same(target)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(f"id {wanted!r} stands for several: {', '.join(found)}")
    if slash:
        raise unknown("id", wanted, known)
    raise unknown("id", wanted, papers(), also=[id.partition("/")[2] for id in known])


def paper_ids(wanted: Iterable[str]) -> list[str]:
    """The papers that are meant, in any case of letters; all of them if none is named."""
    by_lower = {id.lower(): id for id in papers()}
    for one in (given := tuple(wanted)):
        if one.lower() not in by_lower:
            raise unknown("paper", one, papers())
    return list(dict.fromkeys(by_lower[one.lower()] for one in given)) or list(papers())


def _ids(paper_id: str) -> list[str]:
    """Every experiment and claim of a paper."""
    mine = experiments(paper_id)
    return [*mine, *(claim.id for one in mine.values() for claim in one.claims)]
