"""Figure 3: a decoder of GPT-2's shape on spelled facts, against multiplicity and the number of templates."""

from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.knowledge import sizes
from lemmata.papers.knowledge.claims._drawing import Curves
from lemmata.papers.knowledge.claims._trends import over_seeds, share_over_seeds
from lemmata.papers.knowledge.model.gpt2 import GPT2Config, gpt2_small
from lemmata.papers.knowledge.run.decoder_extraction import CellConfig, DecoderExtraction, PhaseConfig
from lemmata.report.plots import COLOURS, ceiling, joined, legend, letter, long_table, new_figure

STORED = 0.95  # of the facts, at least, must have been learned in pre-training before extraction says anything
SMALL = 5  # |R| where K varies, and
FEW = 2  # K where |R| varies
MULTIPLICITIES, UNIVERSES = (1, FEW, SMALL), (SMALL, 20, 80)
BY_MULTIPLICITY, BY_TEMPLATES = [(SMALL, k) for k in MULTIPLICITIES], [(r, FEW) for r in UNIVERSES]
SLACK = 0.1  # of extraction, against the trend between neighbours
CHANGE = 0.25  # of extraction, from one end to the other
Cell = tuple[int, int]  # (|R|, K)


def decoder_run(scale: core.Scale) -> DecoderExtraction:
    """K = 1, 2, 5 at |R| = 5, and |R| = 5, 20, 80 at K = 2."""
    cells = [*BY_MULTIPLICITY, *BY_TEMPLATES[1:]][: sizes.DECODER_CELLS.at(scale)]
    subjects, alphabet = sizes.DECODER_SUBJECTS.at(scale), sizes.DECODER_ALPHABET.at(scale)
    small = GPT2Config(vocab=alphabet + 3, length=16, width=sizes.DECODER_WIDTH.at(scale), heads=2)
    return DecoderExtraction(
        cells=tuple(CellConfig(subjects=subjects, templates=r, multiplicity=k) for r, k in cells),
        alphabet=alphabet,
        model=gpt2_small("bfloat16") if scale.name == "paper" else small,
        pretraining=PhaseConfig(**sizes.DECODER_PRETRAINING.at(scale)),
        fine_tuning=PhaseConfig(**sizes.DECODER_TUNING.at(scale)),
        seeds=sizes.seeds(scale, sizes.DECODER_SEEDS),
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

    def rise_from_few(self) -> np.ndarray:
        """From K = 2 to 5, where there is room for it."""
        first = float(self.at(BY_MULTIPLICITY[1:2]).mean())
        if first > 1 - CHANGE:
            raise core.Undecided(f"with K = 2 {first:.2f} come out already: less than {CHANGE:g} is left to rise")
        return self.rise(BY_MULTIPLICITY[1:])


def before_fine_tuning(runs: core.Runs) -> str:
    lines = []
    for record, when in ((0, "Before"), (-1, "After")):
        found = Extracted(runs["main"], record)
        by_k, by_r = (", ".join(f"{v:.2f}" for v in found.at(c).mean(axis=0)) for c in (BY_MULTIPLICITY, BY_TEMPLATES))
        lines.append(f"{when} fine-tuning: {by_k} by K and {by_r} by |R|.")
    return (
        f"The prompt is a phrase the decoder has never seen, and yet facts come out. {' '.join(lines)} K = {FEW} was "
        "chosen after trials. That K varies at |R| = 5, and that the decoder before fine-tuning is the control, was "
        "chosen after a run at |R| = 20 in which the control rose with K as well."
    )


FIGURE_3 = core.Claim(
    id="fig-3",
    locus="Figure 3 (its caption alone: GPT-2, 5-token data); the trends are the abstract's",
    statement="A GPT-2-shaped decoder that has stored spelled facts and is fine-tuned on questions about half of the "
    "subjects answers questions about the others, better the more templates $K$ a subject and worse the more "
    "templates "
    r"$|\mathcal{R}|$ in all. Judged: held-out exact match for K = 1, 2, 5 at |R| = 5, and for |R| = 5, 20, 80 at K = "
    "2, "
    "means over seeds. Our text has the caption alone; the trends are the abstract's.",
    subject=lambda runs: Extracted(runs["main"]),
    wrong=lambda runs: Extracted(runs["main"], 0),  # the same decoders before fine-tuning
    parts={
        "extraction at K = |R| = 5": share_over_seeds(
            lambda found: found.at(BY_MULTIPLICITY)[:, -1], core.at_least(0.5)
        ),
        "extraction by K": share_over_seeds(
            lambda found: found.at(BY_MULTIPLICITY), core.rises(SLACK), {"K": MULTIPLICITIES}
        ),
        "rise from K = 2 to 5": over_seeds(Extracted.rise_from_few, core.at_least(CHANGE)),
        "extraction by |R|, K = 2": share_over_seeds(
            lambda found: found.at(BY_TEMPLATES), core.falls(SLACK), {"|R|": UNIVERSES}
        ),
        "fall from |R| = 5 to 80, K = 2": over_seeds(lambda found: -found.rise(BY_TEMPLATES), core.at_least(CHANGE)),
    },
    protocol=core.Protocol("the decoder, its data and both schedules", below_paper=True),
    remark=before_fine_tuning,
)


SHOWN = {  # curve -> stage, column, record; colour and line
    "extraction": ("fine-tuning", "held_out", -1, "blue", "-"),
    "extraction, first letter": ("fine-tuning", "held_out_first", -1, "sky", "--"),
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
    legend(axes[0], fontsize=7, loc="upper left", bbox_to_anchor=(0.0, 0.94))
    config, model = run.config, run.config.model
    caption = (
        f"Share of held-out subjects whose answer, all {config.name_length} letters of it, follows the question. "
        f"{model.layers} layers of width {model.width}, N = {config.cells[0].subjects}, {config.pretraining.steps} "
        f"pre-training steps of {config.pretraining.batch} sentences, {config.fine_tuning.steps} fine-tuning steps of "
        f"{config.fine_tuning.batch} questions about the other half. Every answer stood in pre-training: the ceiling "
        f"is 1; a random answer would give {1 / config.cells[0].subjects:.3f}. Mean and one standard deviation over "
        f"{len(config.seeds)} seeds."
    )
    return core.Artefact(figure, joined(tables), caption)


EXPERIMENT = core.Experiment(
    title="A GPT-2-shaped decoder reaches held-out facts",
    runs=lambda scale: {"main": decoder_run(scale)},
    needs={"main": decoder_stored},
    claims=(FIGURE_3,),
    draw=draw,
    notes="Names of five letters; our text does not say what 5-token data are.",
)
