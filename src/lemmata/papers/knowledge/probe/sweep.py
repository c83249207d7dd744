"""Numbers of a sweep: along a line of cells, over all of them, and which cells have stored their facts."""

import numpy as np

from lemmata.core import RunResult
from lemmata.core.legacy import Results
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import setting

LEARNED = 0.95  # of the facts, in the mean over seeds: below it a cell says nothing about extraction


def along(run: RunResult, name: str, **fixed: int) -> tuple[np.ndarray, np.ndarray]:
    """The varied size in order, and a metric as (seed, size)."""
    (varied,) = {"subjects", "templates", "multiplicity"} - set(fixed)
    sizes = np.unique(run.column(varied, **fixed))
    values = [run.column(name, **fixed, **{varied: size}) for size in sizes]
    return sizes, np.stack(values, axis=1)


def over_subjects(results: Results, name: str) -> tuple[np.ndarray, np.ndarray]:
    base = setting(results.scale).facts
    return along(results.one(Sweep), name, templates=base.templates, multiplicity=base.multiplicity)


def over_templates(results: Results, name: str) -> tuple[np.ndarray, np.ndarray]:
    base = setting(results.scale).facts
    return along(results.one(Sweep), name, subjects=base.subjects, multiplicity=base.multiplicity)


def cube(run: RunResult, name: str) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The sizes in order, and a metric as (seed, N, |R|, K)."""
    sizes = tuple(np.unique(run.metrics[axis]) for axis in ("subjects", "templates", "multiplicity"))
    seeds = len(run.config.seeds)
    values = np.zeros((seeds, *(len(size) for size in sizes)))
    for index in np.ndindex(*values.shape[1:]):
        n, r, k = (size[i] for size, i in zip(sizes, index, strict=True))
        values[(slice(None), *index)] = run.column(name, subjects=n, templates=r, multiplicity=k)
    return sizes, values


def learned_cells(run: RunResult) -> np.ndarray:
    """(N, |R|, K): whether the cell has stored its facts."""
    return cube(run, "fact_accuracy")[1].mean(axis=0) >= LEARNED
