"""The more templates a fact was told through, the easier it is to reach (abstract)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, OutsideSetting, Part, Runs, at_least, rises, word
from lemmata.papers.knowledge.claims._trends import halvings, over_seeds, share_over_seeds, side_by_side
from lemmata.papers.knowledge.claims._tuned import OPTIMIZERS, Optimizer, Tuned, cell_runs, cells, long_enough, on_all
from lemmata.papers.knowledge.claims._tuned_drawing import curve_table, described
from lemmata.report.plots import COLOURS, band, legend, letter, new_figure


class Line(NamedTuple):
    """Extraction in cells that differ in multiplicity, [seed, K]."""

    cells: list[Tuned]
    extraction: np.ndarray

    @property
    def halvings(self) -> np.ndarray:
        """Of the failures, from K = 2 to the largest K, for each seed."""
        several = [place for place, cell in enumerate(self.cells) if cell.multiplicity >= 2]
        if len(several) < 2:
            raise OutsideSetting("under these settings there are no two multiplicities from 2 on")
        first, last = self.extraction[:, several[0]], self.extraction[:, several[-1]]
        return halvings(first, last, self.cells[0].held_out)


def line(runs: Runs, reading: Optimizer | None) -> Line:
    """After fine-tuning, where it has learned its own questions, or (None) before it."""
    found = cells(runs)
    return Line(found, side_by_side([cell.before() if reading is None else cell.reached(reading) for cell in found]))


BY_K = {"K": lambda runs: [cell.multiplicity for cell in cells(runs)]}
PARTS = {
    "halvings of the failures from K = 2 to the largest K": over_seeds(lambda found: found.halvings, at_least(1.5)),
    "extraction by K": share_over_seeds(lambda found: found.extraction, rises(slack=0.05), BY_K),
    "least pre-training accuracy": Part(lambda found: min(one.accuracy for one in found.cells), at_least(0.95)),
}


def _competition(runs: Runs) -> str:
    least, *_, most = cells(runs)
    name = on_all("descent")

    def change(column: str) -> str:
        return f"from {least.mean(name, column):.0f} to {most.mean(name, column):.0f}"

    return (
        "The paper says that repetition strengthens the feature directions. A subject's direction drives its answer "
        f"and its relations in competition: from K = {least.multiplicity} to {most.multiplicity} the answer's logit "
        f"from it goes {change('answer_from_subject')} after fine-tuning, and a relation's "
        f"{change('relation_from_subject')}. Before fine-tuning extraction rises with K too, by "
        f"{line(runs, None).halvings.mean():.2f} halvings."
    )


DESCENT = Claim(
    id="multiplicity",
    locus="Abstract; core claim; consequence 2",
    statement="Facts that pre-training tells through more templates K are easier to reach (|R| = 20, means over seeds; "
    "gradient descent), where every model has stored its facts. Shown: how many times the share of held-out facts that "
    "stay inside halves, in seeds in which fine-tuning has learned its own questions.",
    wording={"|R| = 20": word("|R| = {}", "K.facts.templates")},
    subject=lambda runs: line(runs, "descent"),
    wrong=lambda runs: line(runs, None),  # the same models before fine-tuning
    parts=PARTS,
    remark=_competition,
)

ADAMW = Claim(
    id="multiplicity-adamw",
    locus="Abstract; core claim; consequence 2, read with AdamW in fine-tuning",
    statement="The same, fine-tuned with AdamW.",
    subject=lambda runs: line(runs, "AdamW"),
    wrong=lambda runs: line(runs, None),
    parts=PARTS,
    remark=lambda runs: (
        f"Extraction by K: {', '.join(f'{v:.2f}' for v in line(runs, 'AdamW').extraction.mean(axis=0))}."
    ),
)


def draw(runs: Runs) -> Artefact:
    shown, descent = cells(runs), on_all("descent")
    ks = [one.multiplicity for one in shown]
    figure, axes = new_figure(1, 3, width=11.4)
    lines = [
        (0, f"extraction, {reading}", reading, colour, [one.after(on_all(reading)) for one in shown])
        for reading, colour in zip(OPTIMIZERS, ("blue", "vermillion"), strict=True)
    ]
    lines.append((0, "extraction, before", "before fine-tuning", "sky", [one.before() for one in shown]))
    said = [one.after(descent, "relation_fraction") for one in shown]
    lines.append((0, "a relation is said", "a relation is said (descent)", "orange", said))
    for column, label, colour in (
        ("fact_accuracy", "accuracy", "green"),
        ("excess", "loss over the least (nats)", "purple"),
    ):
        values = [one.run.arrays[f"pretraining.{column}"][:, -1] for one in shown]
        lines.append((1, f"pre-training, {label}", label, colour, values))
    for kind, label, colour in (("answer", "its answer", "blue"), ("relation", "each of its relations", "orange")):
        values = [one.after(descent, f"{kind}_from_subject") for one in shown]
        lines.append((2, f"logit from the subject, {label}", label, colour, values))
    table = {}
    for panel, name, label, colour, values in lines:
        table[name] = (ks, np.stack(values, axis=1))
        band(axes[panel], *table[name], label=label, color=COLOURS[colour], marker="o")
    axes[0].set(title="held-out questions", ylabel="share of held-out facts", ylim=(-0.02, 1.02))
    axes[1].set(title="pre-training", ylabel="accuracy; nats", ylim=(-0.02, 1.02))
    axes[2].set(title="what a subject's direction drives", ylabel="logit", ylim=(0, None))
    for ax in axes:
        ax.set(xlabel="multiplicity K", xscale="log")
        ax.set_xticks(ks, [str(k) for k in ks])
        ax.set_xticks([], minor=True)
        legend(ax, fontsize=7.5)
    letter(axes)
    caption = (
        "(a) Extraction against multiplicity; (b) what pre-training reached; (c) after gradient descent, the logits "
        f"that a subject's embedding alone gives to its answer and to its relations. {described(*shown)}"
    )
    return Artefact(figure, curve_table(table, "K", *shown), caption)


EXPERIMENT = Experiment(
    title="The more often told, the easier to reach",
    runs=cell_runs,
    needs={"K": long_enough},
    claims=(DESCENT, ADAMW),
    draw=draw,
)
