"""Figure 3: a decoder of GPT-2's shape on spelled facts, against multiplicity and the number of templates."""

from typing import NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    Protocol,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    at_least,
    falls,
    of_result,
    rises,
)
from lemmata.models.gpt2 import GPT2Config, gpt2_small
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.run.gpt2 import CellConfig, DecoderExtraction, PhaseConfig
from lemmata.papers.knowledge.run.training import FRESH
from lemmata.report.plots import COLOURS, band, ceiling, columns, legend, letter, new_figure

STORED = 0.95  # of the facts, at least, must have been learned in pre-training before extraction says anything
SMALL = 5  # |R| where K varies, and
FEW = 2  # K where |R| varies
MULTIPLICITIES, UNIVERSES = (1, FEW, SMALL), (SMALL, 20, 80)
SLACK = 0.1  # of extraction, against the trend between neighbours
CHANGE = 0.25  # of extraction, from one end to the other


def decoder_run(scale: Scale) -> DecoderExtraction:
    """K = 1, 2, 5 at |R| = 5, and |R| = 5, 20, 80 at K = 2. Sizes and schedules are ours: the paper's text does not
    give them."""
    pairs = [*((SMALL, k) for k in MULTIPLICITIES), *((r, FEW) for r in UNIVERSES[1:])]
    chosen = scale.pick(smoke=pairs[:2], laptop=pairs, paper=pairs)
    subjects = scale.pick(smoke=8, laptop=64, paper=1000)
    alphabet = scale.pick(smoke=16, laptop=64, paper=1000)  # as many letters as subjects: names share letters
    small = GPT2Config(vocab=alphabet + 3, length=16, width=scale.pick(smoke=8, laptop=48, paper=768), heads=2)
    few_steps = PhaseConfig(steps=2, every=2, batch=4, learning_rate=1e-3)
    return DecoderExtraction(
        cells=tuple(CellConfig(subjects=subjects, templates=r, multiplicity=k) for r, k in chosen),
        alphabet=alphabet,
        model=scale.pick(smoke=small, laptop=small, paper=gpt2_small("bfloat16")),
        pretraining=scale.pick(
            smoke=few_steps,
            laptop=PhaseConfig(steps=200, every=40, batch=48, learning_rate=4e-3, warmup=20),
            paper=PhaseConfig(steps=160, every=40, batch=512, learning_rate=6e-4, warmup=40, weight_decay=0.1),
        ),
        fine_tuning=scale.pick(
            smoke=few_steps,
            laptop=PhaseConfig(steps=30, every=10, batch=32, learning_rate=5e-4),
            paper=PhaseConfig(steps=30, every=10, batch=128, learning_rate=3e-4),
        ),
        seeds=tuple(FRESH + seed for seed in scale.seeds(smoke=1, laptop=3, paper=1)),
    )


def at_record(run: RunResult, stage: str, column: str, cell: tuple[int, int], record: int = -1) -> np.ndarray:
    """A value a seed, in a cell (|R|, K), at a record of one stage (the last unless told otherwise)."""
    where = {"stage": stage, "templates": cell[0], "multiplicity": cell[1]}
    if len(np.unique(run.column("subjects", **where))) > 1:
        raise Undecided(f"worlds of several N have |R| = {cell[0]}, K = {cell[1]}")
    return run.curve(column, **where)[1][:, record]


def sizes(run: RunResult) -> list[tuple[int, int]]:
    return [(cell.templates, cell.multiplicity) for cell in run.config.cells]


@of_result
def stored(run: RunResult) -> Undecided | None:
    lowest, (r, k) = min((at_record(run, "pretraining", "told", cell).mean(), cell) for cell in sizes(run))
    if lowest >= STORED:
        return None
    accuracy_reached = f"pre-training accuracy is {lowest:.2f} at |R| = {r}, K = {k}"
    return TooShort(f"{accuracy_reached}: under {STORED} the facts are not stored and extraction says nothing")


BY_MULTIPLICITY, BY_TEMPLATES = [(SMALL, k) for k in MULTIPLICITIES], [(r, FEW) for r in UNIVERSES]


class Extracted(NamedTuple):
    """Held-out exact match at a record of fine-tuning, the last or (0) the one before it."""

    run: RunResult
    record: int = -1

    def at(self, cells: list[tuple[int, int]]) -> np.ndarray:
        """[seed, cell]."""
        return np.stack([at_record(self.run, "fine-tuning", "held_out", cell, self.record) for cell in cells], axis=1)

    def rise(self, cells: list[tuple[int, int]]) -> np.ndarray:
        """From the first cell to the last, for each seed."""
        found = self.at(cells)
        return found[:, -1] - found[:, 0]

    def rise_from_few(self) -> np.ndarray:
        """From K = 2 to 5, where there is room for it."""
        first = float(self.at(BY_MULTIPLICITY[1:2]).mean())
        if first > 1 - CHANGE:
            raise Undecided(f"with K = 2 {first:.2f} come out already: less than {CHANGE:g} is left to rise")
        return self.rise(BY_MULTIPLICITY[1:])


def before_fine_tuning(runs: Runs) -> str:
    lines = []
    for record, when in ((0, "before"), (-1, "after")):
        found = Extracted(runs["main"], record)
        by_k, by_r = (", ".join(f"{v:.2f}" for v in found.at(c).mean(axis=0)) for c in (BY_MULTIPLICITY, BY_TEMPLATES))
        lines.append(f"{when} fine-tuning {by_k} by K and {by_r} by |R|")
    return (
        f"The prompt is a phrase the decoder has never seen, and yet facts come out: {'; '.join(lines)}. K = {FEW} was "
        "chosen after trials; that K varies at |R| = 5, and that the decoder before fine-tuning is the control, after "
        "a run at |R| = 20 in which the latter rose with K as well."
    )


FIGURE_3 = Claim(
    id="fig-3",
    locus="Figure 3 (its caption alone: GPT-2, 5-token data); the trends are the abstract's",
    statement="A GPT-2-shaped decoder that has read spelled facts and is fine-tuned on questions about half of the "
    "subjects answers questions about the others, better the more templates told each fact (K) and worse the more "
    "templates there are (|R|). Shown: held-out exact match for K = 1, 2, 5 at |R| = 5, and for |R| = 5, 20, 80 at "
    "K = 2, means over seeds.",
    subject=lambda runs: Extracted(runs["main"]),
    wrong=lambda runs: Extracted(runs["main"], 0),  # the same decoders before fine-tuning
    parts={
        "extraction at K = |R| = 5": share_over_seeds(lambda found: found.at(BY_MULTIPLICITY)[:, -1], at_least(0.5)),
        "extraction by K": share_over_seeds(
            lambda found: found.at(BY_MULTIPLICITY), rises(SLACK), {"K": MULTIPLICITIES}
        ),
        "rise from K = 2 to 5": over_seeds(Extracted.rise_from_few, at_least(CHANGE)),
        "extraction by |R|, K = 2": share_over_seeds(
            lambda found: found.at(BY_TEMPLATES), falls(SLACK), {"|R|": UNIVERSES}
        ),
        "fall from |R| = 5 to 80, K = 2": over_seeds(lambda found: -found.rise(BY_TEMPLATES), at_least(CHANGE)),
    },
    protocol=Protocol("the decoder, its data and both schedules", below_paper=True),
    remark=before_fine_tuning,
)


LINES = (
    ("fine-tuned", "fine-tuning", "held_out", -1, COLOURS["blue"], "-"),
    ("first letter alone", "fine-tuning", "held_out_first", -1, COLOURS["sky"], "--"),
    ("before fine-tuning", "fine-tuning", "held_out", 0, COLOURS["orange"], "-"),
    ("pre-training accuracy", "pretraining", "told", -1, COLOURS["green"], ":"),
)
COLUMNS = {
    "pre-training accuracy": ("pretraining", "told", -1),
    "before fine-tuning": ("fine-tuning", "held_out", 0),
    "extraction": ("fine-tuning", "held_out", -1),
    "extraction, first letter": ("fine-tuning", "held_out_first", -1),
    "asked in fine-tuning": ("fine-tuning", "asked", -1),
}


def draw(runs: Runs) -> Artefact:
    run = runs["main"]
    figure, axes = new_figure(1, 2, sharey=True)
    sweeps = (
        (f"|R| = {SMALL}", "templates that told a fact, K", [cell for cell in sizes(run) if cell[0] == SMALL], 1),
        (f"K = {FEW}", "number of templates, |R|", [cell for cell in sizes(run) if cell[1] == FEW], 0),
    )
    for ax, (title, xlabel, shown, axis) in zip(axes, sweeps, strict=True):
        places = [cell[axis] for cell in shown]
        for label, stage, column, record, colour, style in LINES if shown else ():
            values = np.stack([at_record(run, stage, column, cell, record) for cell in shown], axis=1)
            band(ax, places, values, label, color=colour, linestyle=style, marker="o", markersize=3.5)
        ceiling(ax, 1.0)
        if shown:
            ax.set_xscale("log")
            ax.set_xticks(places, [str(place) for place in places])
            ax.minorticks_off()
        ax.set(xlabel=xlabel, title=title, ylim=(-0.03, 1.05))
    letter(axes)
    axes[0].set_ylabel("exact match, held-out subjects")
    legend(axes[0], fontsize=7, loc="upper left", bbox_to_anchor=(0.0, 0.94))
    rows = [{"N": cell.subjects, "|R|": cell.templates, "K": cell.multiplicity} for cell in run.config.cells]
    for row, cell in zip(rows, sizes(run), strict=True):
        for name, (stage, column, record) in COLUMNS.items():
            values = at_record(run, stage, column, cell, record)
            row |= {name: float(values.mean()), f"{name}, std": float(values.std())}
    config, model, seeds = run.config, run.config.model, len(run.config.seeds)
    caption = (
        f"Share of held-out subjects whose answer, all {config.name_length} letters of it, follows the question. "
        f"{model.layers} layers of width {model.width}, N = {config.cells[0].subjects}, {config.pretraining.steps} "
        f"pre-training steps of {config.pretraining.batch} sentences, {config.fine_tuning.steps} fine-tuning steps of "
        f"{config.fine_tuning.batch} questions about the other half. Every answer has been told: the ceiling is 1; "
        f"naming a random answer would give {1 / config.cells[0].subjects:.3f}. "
        + (f"Mean and one standard deviation of {seeds} seeds." if seeds > 1 else "One seed.")
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="A GPT-2-shaped decoder reaches held-out facts",
    runs=lambda scale: {"main": decoder_run(scale)},
    needs={"main": stored},
    claims=(FIGURE_3,),
    draw=draw,
    notes="Names of five letters; our text does not say what 5-token data are.",
)
