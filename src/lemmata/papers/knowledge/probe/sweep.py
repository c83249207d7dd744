"""Numbers of a sweep: along a line of cells, over all of them, and which cells have stored their facts."""

import numpy as np

from lemmata.core import RunResult, Undecided

SIZES = ("subjects", "templates", "multiplicity")  # N, |R|, K
STORED = 0.95  # of the facts, in the mean over seeds: below it a cell says nothing about extraction


def along(run: RunResult, varied: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The varied size in order, and a metric as (seed, size); the cells differ in nothing else."""
    for size in SIZES:
        if (len(np.unique(run.column(size))) > 1) != (size == varied):
            raise Undecided(f"the cells {run.config.cells} do not differ in {varied} alone")
    sizes = np.unique(run.column(varied))
    return sizes, np.stack([run.column(name, **{varied: size}) for size in sizes], axis=1)


def cube(run: RunResult, name: str) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """The sizes in order, and a metric as (seed, N, |R|, K)."""
    sizes = tuple(np.unique(run.column(size)) for size in SIZES)
    values = np.zeros((len(run.config.seeds), *(len(size) for size in sizes)))
    for index in np.ndindex(*values.shape[1:]):
        cell = {axis: size[i] for axis, size, i in zip(SIZES, sizes, index, strict=True)}
        values[(slice(None), *index)] = run.column(name, **cell)
    return sizes, values


def stored_cells(run: RunResult) -> np.ndarray:
    """(N, |R|, K): whether the cell has stored its facts."""
    return cube(run, "fact_accuracy")[1].mean(axis=0) >= STORED
