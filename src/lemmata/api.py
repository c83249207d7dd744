"""The front door for notebooks and scripts: claims, verdicts, numbers and figures that show themselves."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from lemmata.core import Artefact, Claim, Runs, Scale, UserError, require
from lemmata.core.claim import Judgement
from lemmata.core.cli_hints import command_of
from lemmata.core.pluralize import pluralize
from lemmata.core.registry import Selection, select
from lemmata.core.scale import ScaleName
from lemmata.record import ExperimentResult, NotRun, Record
from lemmata.record.record_of import claim_facts
from lemmata.report.figure import draw, figure_bytes
from lemmata.report.html import claims_html, verdicts_html
from lemmata.report.page_entry import Footer, footer_of
from lemmata.report.statuses import protocol_word
from lemmata.report.values import margin, verdict_word
from lemmata.run import Store, change, evaluate, missing, possible

StoreLike = Store | Path | str | None


def default_store() -> Store:
    """Where runs are kept unless told otherwise: $LEMMATA_STORE, or `.lemmata` here."""
    return Store(Path(os.environ.get("LEMMATA_STORE", ".lemmata")))


def claims(*ids: str) -> "Claims":
    """The claims of papers, experiments or claim ids; of every paper if none is named."""
    _require_ids(ids)
    return Claims(tuple(claim for selection in select(ids) for claim in selection.claims))


def check(
    *ids: str,
    scale: ScaleName = "laptop",
    seeds: int | None = None,
    replication: int = 0,
    changes: Mapping[str, Any] | None = None,
    store: StoreLike = None,
    jobs: int = 1,
) -> "Checked":
    """Run what is missing, judge, and keep both. `changes` are assumptions to change, as `{"temperature": 0.1}`;
    another `replication` than 0 gives every run fresh randomness.

    Of a paper, or of all, what cannot be run here is left to `.not_run`; an experiment that is named is refused."""
    require(isinstance(jobs, int) and jobs >= 1, "jobs", jobs, "int, at least 1")
    texts, requested, place = _texts(changes), Scale(scale, seeds, replication), _store(store)
    selections, not_run = _selected(ids, requested, place, texts)
    found = evaluate(selections, requested, place, jobs=jobs, changes=texts)
    return Checked(tuple(found), tuple(not_run), texts)


def results(
    *ids: str,
    scale: ScaleName = "laptop",
    seeds: int | None = None,
    replication: int = 0,
    changes: Mapping[str, Any] | None = None,
    store: StoreLike = None,
) -> "Checked":
    """What is stored of experiments, under `changes` too, judged; nothing is computed, and what is missing is said."""
    texts, requested, place = _texts(changes), Scale(scale, seeds, replication), _store(store)
    selections, _ = _selected(ids, requested, place, texts)
    named = [
        change(one.experiment, requested, texts).after if texts else one.experiment.runs(requested)
        for one in selections
    ]
    wanted = [config for runs in named for config in runs.values()]
    if lacking := missing(wanted, place):
        options = {"scale": scale, "seeds": seeds, "replication": replication or None, "changes": changes or None}
        words = [*map(repr, ids), *(f"{name}={value!r}" for name, value in options.items() if value is not None)]
        raise UserError(
            f"{len(lacking)} of {pluralize(len(wanted), 'run is', 'runs are')} not in {str(place.root)!r}: "
            f"`lemmata.check({', '.join(words)})` computes them"
        )
    return check(*ids, scale=scale, seeds=seeds, replication=replication, changes=changes, store=place)


@dataclass(frozen=True)
class Claims(Sequence[Claim]):
    """Claims that show themselves as a table."""

    found: tuple[Claim, ...]

    def __getitem__(self, index: Any) -> Any:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        return "\n".join(f"{claim.id:42} {claim.locus}" for claim in self.found)

    def _repr_html_(self) -> str:
        return claims_html([claim_facts(one) for one in self.found])

    def table(self) -> pa.Table:
        return pa.Table.from_pylist([claim_facts(claim).to_json() for claim in self.found])


@dataclass(frozen=True)
class Checked(Mapping[str, Judgement]):
    """Experiments that were run and judged: verdicts by claim id; their numbers and figures."""

    results: tuple[ExperimentResult, ...]
    not_run: tuple[NotRun, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict)  # of the assumptions, as `--set` takes them

    def _judgements(self) -> dict[str, Judgement]:
        return {one.claim.id: one for item in self.results for one in item.judgements}

    def __getitem__(self, claim_id: str) -> Judgement:
        return self._judgements()[claim_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._judgements())

    def __len__(self) -> int:
        return len(self._judgements())

    def records(self) -> list[Record]:
        """A record a verdict; of what was not run, with the reason."""
        return [record for item in (*self.results, *self.not_run) for record in item.records()]

    def __repr__(self) -> str:
        lines = [f"{verdict_word(one):10} {one.id:42} {_beside(one)}" for one in self.records()]
        return "\n".join([*self._head(), *lines])

    def _repr_html_(self) -> str:
        return verdicts_html(self.records(), self._head())

    def _head(self) -> list[str]:
        """What was changed, and which claims are not judged: what follows is no verdict on the paper."""
        left_out = (f"not judged: {claim.id}: {why}" for item in self.results for claim, why in item.left_out)
        return [*(line for item in self.results for line in item.head), *left_out]

    @property
    def status(self) -> str:
        """Of the one claim that was asked for."""
        (one,) = self.values()
        return one.status

    @property
    def runs(self) -> Runs:
        """Of the one experiment that was asked for, by name."""
        return self._one().runs

    def table(self) -> pa.Table:
        """Every row that the runs recorded, with the run's name; `.to_pandas()` makes it a data frame."""
        tables = []
        for item in self.results:
            for name, run in item.runs.by_name.items():
                columns = {key: np.asarray(values) for key, values in run.metrics.items()}
                count = len(next(iter(columns.values()), ()))
                about = {"experiment": [item.experiment.id] * count, "run": [name] * count}
                tables.append(pa.table({**about, **columns}))
        return pa.concat_tables(tables, promote_options="permissive")

    def figure(self) -> "Drawing":
        """The drawing of the one experiment that was asked for."""
        item = self._one()
        return Drawing(draw(item), footer_of(item, command_of(item.experiment.id, item.runs.scale, self.changes)))

    def _one(self) -> ExperimentResult:
        if len(self.results) != 1:
            raise UserError(f"this holds {pluralize(len(self.results), 'experiment')}; ask for one")
        return self.results[0]


@dataclass(frozen=True)
class Drawing:
    """A figure with its table, caption and provenance."""

    artefact: Artefact
    footer: Footer

    @property
    def figure(self) -> Figure:
        if self.artefact.figure is None:
            raise UserError(f"there is no figure: {self.artefact.caption}")
        return self.artefact.figure

    @property
    def caption(self) -> str:
        return self.artefact.caption

    def table(self) -> pa.Table:
        """The numbers beneath the figure."""
        return pa.table({name: list(column) for name, column in self.artefact.table.items()})

    def _repr_png_(self) -> bytes | None:
        return None if self.artefact.figure is None else figure_bytes(self.artefact.figure, self.footer)["png"]

    def __repr__(self) -> str:
        return f"{self.caption}\n[{self.footer.line()}]"


def _require_ids(ids: Sequence[str]) -> None:
    for id in ids:
        require(isinstance(id, str), "id", id, 'the id of a paper, an experiment or a claim, as "lego/fig-1a"')


def _selected(
    ids: Sequence[str], scale: Scale, store: Store, changes: Mapping[str, str]
) -> tuple[Sequence[Selection], Sequence[NotRun]]:
    """What can be run of what was asked for, and what cannot; under changes all of it, or it is refused."""
    _require_ids(ids)
    return (select(ids), []) if changes else possible(ids, scale, store)


def _beside(one: Record) -> str:
    """A verdict's margin, or what stands in its place; and whose its settings are."""
    if one.proved:
        return f"on {one.proved}"
    unsure = not one.is_judged or (one.status == "undecided" and (one.changed or one.margin is None))
    return one.detail if unsure else f"margin {margin(one.margin)}, {protocol_word(one)}"


def _store(store: StoreLike) -> Store:
    if isinstance(store, Store):
        return store
    require(store is None or isinstance(store, str | Path), "store", store, "a path")
    return Store(Path(store)) if store is not None else default_store()


def _texts(changes: Mapping[str, Any] | None) -> dict[str, str]:
    require(changes is None or isinstance(changes, Mapping), "changes", changes, 'a dict, as {"temperature": 0.1}')
    return {key: value if isinstance(value, str) else _text(value) for key, value in (changes or {}).items()}


def _text(value: Any) -> str:
    """A value as `--set` takes it."""
    if isinstance(value, list | tuple):
        return ",".join(_text(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
