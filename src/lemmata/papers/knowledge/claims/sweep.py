"""Extraction over the product of the three sizes: subjects N, templates |R|, multiplicity K."""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, of_result
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._resampled import Resampled
from lemmata.papers.knowledge.claims._sweeps import BEFORE, sweep
from lemmata.papers.knowledge.claims._trends import failing
from lemmata.papers.knowledge.claims._tuned import LEARNED
from lemmata.papers.knowledge.probe.sweep import STORED, cube, stored_cells
from lemmata.papers.knowledge.run.sweep import Sweep
from lemmata.papers.knowledge.run.training import base_cell, lighter
from lemmata.report.plots import heatmap, new_figure

FEWEST_PAIRS = 3  # of neighbouring cells along K, and along |R|
FEWEST_FACTS = 10  # held out, for a share of them to mean anything


def plane(scale: Scale) -> Sweep:
    """The product of the three sizes; K is at most the smallest |R|, so every cell exists.

    N stays where a batch of 128 stores the facts also at the scale `paper`, which here means more cells.
    """
    laptop = Scale("laptop") if scale.name == "paper" else scale
    base = base_cell(laptop)
    if scale.name == "paper":
        base = replace(base, facts=replace(base.facts, pad_multiplicity=None))
    return sweep(
        base if scale.name == "paper" else replace(base, pretraining=lighter(scale)),
        steps=sizes.SWEEP_STEPS.at(scale),
        cells=tuple(product(*sizes.SWEEP_SIZES.at(scale))),
        shapes=sizes.SWEEP_SHAPES.at(scale),
        adamw=scale.name == "paper",  # a third of the time, and no claim reads it
        seeds=sizes.seeds(scale, sizes.SWEEP_SEEDS),
    )


def fewest_held_out(run: RunResult) -> int:
    return min(world.num_held_out for shape in run.config.shapes for world in run.config.worlds(shape))


@of_result
def enough_facts(run: RunResult) -> str | None:
    fewest = fewest_held_out(run)
    return None if fewest >= FEWEST_FACTS else f"a cell holds out {fewest} facts: too few for a share of them"


class Cells(NamedTuple):
    """By (N, |R|, K)."""

    each: tuple[np.ndarray, ...]  # extraction in the seeds in which gradient descent has learned its own questions
    stored: np.ndarray  # whether the cell has stored its facts
    held_out: int  # facts behind each mean, at least

    def halvings(self, axis: int) -> Resampled:
        """How many times the failures of all cells with one size halve from that size to the next along an axis, mean
        over the sizes: failures together, for those of a cell in which nearly all facts come out are a few, and their
        logarithm is luck. Cells that have not stored their facts are in no pair."""
        stored = np.moveaxis(self.stored, axis, 0)
        pairs = stored[1:] & stored[:-1]
        if pairs.sum() < FEWEST_PAIRS:
            raise Undecided(f"fewer than {FEWEST_PAIRS} pairs of neighbouring cells store {STORED:g} of their facts")

        def along(means: list[np.ndarray]) -> np.ndarray:
            extraction = np.moveaxis(np.hstack(means).reshape(-1, *self.stored.shape), axis + 1, 1)
            failed = failing(extraction, self.held_out)
            there = [(failed[:, size], failed[:, size + 1], pairs[size]) for size in range(len(pairs))]
            moves = [np.log2(a[:, of].sum(axis=1) / b[:, of].sum(axis=1)) for a, b, of in there if of.any()]
            return np.mean(moves, axis=0)

        return Resampled(self.each, along)

    def doublings(self, axis: int) -> Resampled:
        halved = self.halvings(axis)
        return Resampled(self.each, lambda means: -halved.read(means))


def by_cell(runs: Runs, name: str) -> Cells:
    run = runs["main"]
    behind = fewest_held_out(run) * len(run.config.seeds)
    learned = cube(run, "asked_accuracy")[1] >= LEARNED  # by gradient descent
    if np.any(learned.sum(axis=0) == 0):
        raise Undecided("in some cell gradient descent has learned its own questions in no seed")
    extraction = cube(run, name)[1]
    cells = [(slice(None), *cell) for cell in np.ndindex(extraction.shape[1:])]
    return Cells(tuple(extraction[cell][learned[cell]][:, None] for cell in cells), stored_cells(run), behind)


PLANE = Claim(
    id="sweep",
    locus="Abstract: extraction improves with multiplicity and becomes harder with more templates",
    statement="Extraction improves with multiplicity and becomes harder with more templates: between neighbouring "
    "cells "
    r"of $N \times |\mathcal{R}| \times K$ the held-out facts that stay inside grow fewer with $K$, by $\sqrt{2}$ at "
    r"least, and more with $|\mathcal{R}|$, by $2^{1/4}$. Judged by gradient descent: how often those of all cells "
    "with one $K$ "
    rf"halve, with one $|\mathcal{{R}}|$ double, mean over the steps, cells that store less than {STORED:g} of their "
    "facts "
    "left out.",
    subject=lambda runs: by_cell(runs, "extraction"),
    wrong=lambda runs: by_cell(runs, BEFORE),  # the same models before fine-tuning
    parts={
        "halvings with K": Part(lambda found: found.halvings(2), at_least(0.5, over_seeds=True)),
        "doublings with |R|": Part(lambda found: found.doublings(1), at_least(0.25, over_seeds=True)),
    },
)


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    (numbers, universes, multiplicities), values = cube(run, "extraction")
    figure, axes = new_figure(1, len(numbers), width=3.3 * len(numbers) + 0.6, height=3.2, squeeze=False)
    for ax, number, panel in zip(axes[0], numbers, values.mean(axis=0), strict=True):
        heatmap(ax, panel, xlabels=list(multiplicities), ylabels=list(universes), vmin=0, vmax=1)
        ax.set(title=f"N = {number}", xlabel="K, templates a subject", ylabel="|R|, templates in all")
    stored = cube(run, "fact_accuracy")[1].mean(axis=0)
    caption = (
        f"Share of held-out facts extracted, mean of {len(run.config.seeds)} seeds, over N, |R| and K "
        f"(d = {run.config.model.width}, {run.config.pretraining.steps} steps of pre-training at batch "
        f"{run.config.pretraining.batch}). The least share of facts stored in any cell is {stored.min():.2f}; "
        f"{int((~stored_cells(run)).sum())} of {stored.size} cells store less than {STORED:g} and are not judged."
    )
    return Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = Experiment(
    title="Extraction over N, |R| and K",
    runs=lambda scale: {"main": plane(scale)},
    needs={"main": enough_facts},
    claims=(PLANE,),
    draw=draw,
)
