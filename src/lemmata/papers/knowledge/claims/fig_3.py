"""Figure 3: a decoder of GPT-2's shape on facts of five tokens, against multiplicity and the number of templates."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._drawing import Curves
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.model.gpt2 import GPT2Config, gpt2_small
from lemmata.papers.knowledge.run.decoder_extraction import CellConfig, DecoderExtraction, PhaseConfig
from lemmata.report.plots import COLOURS, ceiling, joined, legend_below, letter, long_table, new_figure

STORED = 0.95  # of the facts, at least, must have been learned in pre-training before extraction says anything
SMALL = 20  # |R| where K varies, and
FEW = 2  # K where |R| varies
PHRASE = 3  # tokens of a template: with s and a five
MULTIPLICITIES, UNIVERSES = (1, FEW, 5), (SMALL, 40, 80)
BY_MULTIPLICITY, BY_TEMPLATES = [(SMALL, k) for k in MULTIPLICITIES], [(r, FEW) for r in UNIVERSES]
SLACK = 0.1  # of extraction, against the trend between neighbours
CHANGE = 0.25  # of extraction, from one end to the other
Cell = tuple[int, int]  # (|R|, K)


def decoder_run(scale: core.Scale) -> DecoderExtraction:
    """K = 1, 2, 5 at |R| = 20, and |R| = 20, 40, 80 at K = 2."""
    cells = [*BY_MULTIPLICITY, *BY_TEMPLATES[1:]][: sizes.DECODER_CELLS.at(scale)]
    subjects, vocab = (
        sizes.DECODER_SUBJECTS.at(scale),
        3 + PHRASE * UNIVERSES[-1] + 2 * sizes.DECODER_SUBJECTS.at(scale),
    )
    small = GPT2Config(vocab=vocab, length=8, width=sizes.DECODER_WIDTH.at(scale), heads=2)
    return DecoderExtraction(
        cells=tuple(CellConfig(subjects=subjects, templates=r, multiplicity=k) for r, k in cells),
        name_length=1,
        phrase=PHRASE,
        asked=sizes.DECODER_ASKED.at(scale),
        model=gpt2_small("bfloat16") if scale.name == "paper" else small,
        pretraining=PhaseConfig(**sizes.DECODER_PRETRAINING.at(scale)),
        fine_tuning=PhaseConfig(**sizes.DECODER_TUNING.at(scale)),
        seeds=sizes.seeds(scale, sizes.DECODER_SEEDS, sizes.PIPELINE_FIRST_SEED),
    )


def at_record(run: core.RunResult, stage: str, column: str, cell: Cell, record: int = -1) -> np.ndarray:
    """A value a seed, in a cell, at a record of one stage (the last unless it says otherwise)."""
    where = {"stage": stage, "templates": cell[0], "multiplicity": cell[1]}
    if len(np.unique(run.column("subjects", **where))) > 1:
        raise core.Undecided(f"worlds of several N have |R| = {cell[0]}, K = {cell[1]}")
    return run.curve(column, **where)[1][:, record]


def cells_of(run: core.RunResult) -> list[Cell]:
    return [(cell.templates, cell.multiplicity) for cell in run.config.cells]


@core.of_result
def decoder_stored(run: core.RunResult) -> core.Undecided | None:
    lowest, (r, k) = min((at_record(run, "pretraining", "told", cell).mean(), cell) for cell in cells_of(run))
    if lowest >= STORED:
        return None
    reached = f"pre-training accuracy is {lowest:.2f} at |R| = {r}, K = {k}"
    return core.TooShort(f"{reached}: under {STORED} the facts are not stored and extraction says nothing")


class Extracted(NamedTuple):
    """Held-out exact match at a record of fine-tuning, the last or (0) the one before it."""

    run: core.RunResult
    record: int = -1

    def at(self, cells: list[Cell]) -> np.ndarray:
        """[seed, cell]."""
        return np.stack([at_record(self.run, "fine-tuning", "held_out", cell, self.record) for cell in cells], axis=1)

    def rise(self, cells: list[Cell]) -> np.ndarray:
        """From the first cell to the last, for each seed."""
        found = self.at(cells)
        return found[:, -1] - found[:, 0]


def before_fine_tuning(runs: core.Runs) -> str:
    lines = []
    for record, when in ((0, "Before"), (-1, "After")):
        found = Extracted(runs["main"], record)
        by_k, by_r = (", ".join(f"{v:.2f}" for v in found.at(c).mean(axis=0)) for c in (BY_MULTIPLICITY, BY_TEMPLATES))
        lines.append(f"{when} fine-tuning: {by_k} by K and {by_r} by |R|.")
    return (
        f"{' '.join(lines)} F, |R| and K were chosen after trials. With |R| = 5 fewer facts came out than with 20: "
        "where the same few phrases follow nearly every subject, the decoder goes on to say them."
    )


FIGURE_3 = core.Claim(
    id="fig-3",
    locus="Figure 3 (its caption alone: GPT-2, 5-token data); the trends are the abstract's",
    statement="A GPT-2-shaped decoder that has stored sentences of a subject, a phrase of three tokens and an answer, "
    "and is fine-tuned on questions about $F$ subjects, answers questions about the others, better the more templates "
    r"$K$ a subject and worse the more templates $|\mathcal{R}|$ in all. Judged: held-out exact match for K = 1, 2, 5 "
    "at |R| = 20, and for |R| = 20, 40, 80 at K = 2, means over seeds. Our text has the caption alone; the trends are "
    "the abstract's.",
    subject=lambda runs: Extracted(runs["main"]),
    wrong=lambda runs: Extracted(runs["main"], 0),  # the same decoders before fine-tuning
    parts={
        "extraction at K = 5": share_over_seeds(lambda found: found.at(BY_MULTIPLICITY)[:, -1], core.at_least(0.5)),
        # Where nothing comes out at all, nothing falls or rises by more than the slack.
        "extraction by K": replace(
            share_over_seeds(lambda found: found.at(BY_MULTIPLICITY), core.rises(SLACK), {"K": MULTIPLICITIES}),
            carries=False,
        ),
        "rise from K = 1 to 5": over_seeds(lambda found: found.rise(BY_MULTIPLICITY), core.at_least(CHANGE)),
        "extraction by |R|, K = 2": replace(
            share_over_seeds(lambda found: found.at(BY_TEMPLATES), core.falls(SLACK), {"|R|": UNIVERSES}), carries=False
        ),
        "fall from |R| = 20 to 80, K = 2": over_seeds(lambda found: -found.rise(BY_TEMPLATES), core.at_least(CHANGE)),
    },
    protocol=core.Protocol("the decoder, its data and both schedules", below_paper=True),
    remark=before_fine_tuning,
)


SHOWN = {  # curve -> stage, column, record; colour and line
    "extraction": ("fine-tuning", "held_out", -1, "blue", "-"),
    "before fine-tuning": ("fine-tuning", "held_out", 0, "orange", "-"),
    "pre-training accuracy": ("pretraining", "told", -1, "green", ":"),
    "asked in fine-tuning": ("fine-tuning", "asked", -1, "black", ":"),
}


def draw(runs: core.Runs) -> core.Artefact:
    run = runs["main"]
    figure, axes = new_figure(1, 2, sharey=True)
    tables = []
    for ax, xlabel, fixed, place in (
        (axes[0], "templates a subject, K", f"|R| = {SMALL}", 1),
        (axes[1], "number of templates, |R|", f"K = {FEW}", 0),
    ):
        shown = [cell for cell in cells_of(run) if cell[1 - place] == (SMALL, FEW)[1 - place]]
        places, curves = [cell[place] for cell in shown], Curves()
        for name, (stage, column, record, colour, style) in SHOWN.items() if shown else ():
            values = np.stack([at_record(run, stage, column, cell, record) for cell in shown], axis=1)
            curves.add(ax, name, (places, values), color=COLOURS[colour], linestyle=style, marker="o", markersize=3.5)
        tables.append(long_table(curves, xlabel))
        ceiling(ax, 1.0)
        if shown:
            ax.set_xscale("log")
            ax.set_xticks(places, [str(at) for at in places])
            ax.minorticks_off()
        ax.set(xlabel=xlabel, title=fixed, ylim=(-0.03, 1.05))
    letter(axes)
    axes[0].set_ylabel("exact match, held-out subjects")
    legend_below(axes[0], ncols=2)
    config, model = run.config, run.config.model
    asked, tuning = config.asked, config.fine_tuning
    caption = (
        "Share of held-out subjects whose answer follows the question; templates are phrases of "
        f"{config.phrase} tokens. {model.layers} layers of width {model.width}, N = {config.cells[0].subjects}, "
        f"{config.pretraining.steps} pre-training steps of {config.pretraining.batch} sentences, {tuning.steps} "
        f"fine-tuning steps of {tuning.batch} questions about {asked} other subjects. Every answer stood in "
        f"pre-training: the ceiling is 1; a random answer would give {1 / config.cells[0].subjects:.3f}. Mean and one "
        f"standard deviation over {len(config.seeds)} seeds."
    )
    return core.Artefact(figure, joined(tables), caption)


EXPERIMENT = core.Experiment(
    title="A GPT-2-shaped decoder reaches held-out facts",
    runs=lambda scale: {"main": decoder_run(scale)},
    needs={"main": decoder_stored},
    claims=(FIGURE_3,),
    draw=draw,
    notes="A subject, a phrase of three tokens, an answer; our text does not say what 5-token data are.",
)
