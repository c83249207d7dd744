"""Table 1: the five likeliest words after "Madrid is located in", before and after truncation."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, near
from lemmata.papers.association.claims._papers_models import (
    CHECKPOINTS,
    PYTHIA_1B,
    WHY_TWO,
    about_both,
    both_checkpoints,
)
from lemmata.report.plots import columns, legend, new_figure

WORDS = ("the", "Spain", "a", "southern", "northern")
FULL = (0.499, 0.079, 0.069, 0.023, 0.021)
TRUNCATED = (0.027, 0.300, 0.002, 0.044, 0.046)
CLOSE = 0.02  # the paper may have run in half precision, and its decomposition is a randomized one


def row(run: RunResult, edit: str) -> np.ndarray:
    """The words' probabilities; of random subspaces the mean."""
    return np.array([run.column(word, edit=edit).mean() for word in WORDS])


def table_1(runs: Runs, edit: str) -> np.ndarray:
    """Of the checkpoint whose whole model is nearer to the printed row."""
    run = min((runs[name] for name in CHECKPOINTS), key=lambda one: np.abs(row(one, "whole") - FULL).max())
    return row(run, edit)


def table_1_claim(edit: str) -> Claim:
    """The printed probabilities after the cut, or of the whole model."""
    cut = edit == "cut"
    part = Part(lambda values: values, near(TRUNCATED if cut else FULL, atol=CLOSE))
    model = "Pythia-1B, cut to rank 25 in the MLP input of its last layer," if cut else "the whole Pythia-1B"
    return Claim(
        id="tab-1" if cut else "tab-1-full",
        locus="Section 2.2, Table 1" if cut else "Section 2.2, Table 1, the full model",
        statement=f'After "Madrid is located in" {model} gives the five printed words the printed probabilities, at '
        "one of its two checkpoints.",
        needs=PYTHIA_1B,
        subject=lambda runs: table_1(runs, edit),
        wrong=lambda runs: table_1(runs, "random"),
        parts={"the, Spain, a, southern, northern": part} if cut else part,
        remark=about_both,
    )


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, len(CHECKPOINTS), width=9.5, height=3.4, sharey=True)
    places, rows = np.arange(len(WORDS)), []
    for ax, name in zip(axes, CHECKPOINTS, strict=True):
        kinds = (("whole", FULL, "C7"), ("cut", TRUNCATED, "C0"), ("random", (), "C1"))
        for i, (edit, printed, colour) in enumerate(kinds):
            values = row(runs[name], edit)
            ax.bar(places + (i - 1) * 0.27, values, 0.25, color=colour, label=edit)
            for place, value in enumerate(printed):
                ax.plot(place + (i - 1) * 0.27, value, "_", color="black", ms=9)
            rows += [
                {"checkpoint": name, "edit": edit, "word": word, "probability": float(value)}
                for word, value in zip(WORDS, values, strict=True)
            ]
        ax.set_xticks(places, WORDS, fontsize=8)
        ax.set_title(f"{runs[name].config.model}, {name}", fontsize=9)
    axes[0].set_ylabel("probability")
    legend(axes[0])
    return Artefact(figure, columns(rows), f'After "Madrid is located in"; black, as printed. {about_both(runs)}')


EXPERIMENT = Experiment(
    title="Table 1: Madrid is located in",
    runs=lambda scale: both_checkpoints(task="madrid", words=WORDS),
    claims=(table_1_claim("cut"), table_1_claim("whole")),
    draw=draw,
    extra="lm",
    notes=WHY_TWO,
)
