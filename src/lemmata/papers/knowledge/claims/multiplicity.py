"""The more templates a fact was trained through, the easier it is to reach (abstract)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, OutsideSetting, Part, Runs, at_least, rises, word
from lemmata.papers.knowledge.claims._drawing import SHARE, Curves, described, finish
from lemmata.papers.knowledge.claims._extraction_runs import Optimizer, cell_runs, long_enough, on_all
from lemmata.papers.knowledge.claims._trends import halvings, over_seeds, share_over_seeds, side_by_side
from lemmata.papers.knowledge.claims._tuned import BY, COLOUR, Tuned, cells, under_both
from lemmata.report.plots import COLOURS, new_figure


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


def after(runs: Runs, optimizer: Optimizer) -> Line:
    """In the seeds in which fine-tuning has learned its own questions."""
    found = cells(runs)
    return Line(found, side_by_side([cell.reached(optimizer) for cell in found]))


def before(runs: Runs) -> Line:
    found = cells(runs)
    return Line(found, side_by_side([cell.before() for cell in found]))


PARTS = {
    "halvings of the failures from K = 2 to the largest K": over_seeds(lambda found: found.halvings, at_least(1.5)),
    "extraction by K": share_over_seeds(
        lambda found: found.extraction,
        rises(slack=0.05),
        {"K": lambda runs: [cell.multiplicity for cell in cells(runs)]},
    ),
    "least pre-training accuracy": Part(lambda found: min(one.accuracy for one in found.cells), at_least(0.95)),
}


def _seeds(runs: Runs, optimizer: Optimizer) -> str:
    judged = ", ".join(str(len(cell.learned_seeds(optimizer))) for cell in cells(runs))
    ks = ", ".join(str(cell.multiplicity) for cell in cells(runs))
    return f"Of {len(cells(runs)[0].run.config.seeds)} seeds {judged} have learned their questions at K = {ks}."


def _competition(runs: Runs) -> str:
    least, *_, most = cells(runs)
    name = on_all("descent")

    def change(column: str) -> str:
        return f"from {least.mean(name, column):.0f} to {most.mean(name, column):.0f}"

    return (
        f"{_seeds(runs, 'descent')} The paper says that repetition strengthens the feature directions. A subject's "
        f"direction drives its answer and its relations in competition: from K = {least.multiplicity} to "
        f"{most.multiplicity} the answer's logit from it goes {change('answer_from_subject')} after fine-tuning, and a "
        f"relation's {change('relation_from_subject')}. Before fine-tuning extraction rises with K too, by "
        f"{before(runs).halvings.mean():.2f} halvings."
    )


def claim(optimizer: Optimizer) -> Claim:
    return Claim(
        id="multiplicity",
        locus="Abstract; core claim; consequence 2",
        statement="Extraction improves with pre-training multiplicity: with more templates $K$ a subject facts are "
        rf"easier to reach by fine-tuning {BY[optimizer]} ($|R| = 20$, every model having stored its facts). Judged: "
        "how many times the share of held-out facts that stay inside halves, over the seeds in which fine-tuning has "
        "learned its own questions.",
        wording={"|R| = 20": word("|R| = {}", "K.facts.templates")},
        subject=lambda runs: after(runs, optimizer),
        wrong=before,  # the same models before fine-tuning
        parts=PARTS,
        remark=_competition if optimizer == "descent" else lambda runs: _seeds(runs, optimizer),
    )


def draw(runs: Runs) -> Artefact:
    shown, descent = cells(runs), on_all("descent")
    ks = [one.multiplicity for one in shown]
    figure, axes = new_figure(1, 3, width=11.4)
    curves = Curves()

    def add(panel: int, name: str, label: str, colour: str, values: list[np.ndarray]) -> None:
        curves.add(axes[panel], name, (ks, side_by_side(values)), label, color=COLOURS[colour], marker="o")

    for optimizer, colour in COLOUR.items():
        values = [one.after(on_all(optimizer))[one.shown_seeds(optimizer)] for one in shown]
        add(0, f"extraction, {optimizer}", optimizer, colour, values)
    add(0, "extraction, before", "before fine-tuning", "sky", [one.before() for one in shown])
    of_descent = [(one, one.shown_seeds("descent")) for one in shown]
    said = [one.after(descent, "relation_fraction")[seeds] for one, seeds in of_descent]
    add(0, "a relation is said", "a relation is said (descent)", "orange", said)
    for column, label, colour in (
        ("fact_accuracy", "accuracy", "green"),
        ("excess", "loss over the least (nats)", "purple"),
    ):
        ends = [one.run.arrays[f"pretraining.{column}"][:, -1] for one in shown]
        add(1, f"pre-training, {label}", label, colour, ends)
    for kind, label, colour in (("answer", "its answer", "blue"), ("relation", "each of its relations", "orange")):
        values = [one.after(descent, f"{kind}_from_subject")[seeds] for one, seeds in of_descent]
        add(2, f"logit from the subject, {label}", label, colour, values)
    axes[0].set(title="held-out questions", ylabel="share of held-out facts", ylim=SHARE)
    axes[1].set(title="pre-training", ylabel="accuracy; nats", ylim=SHARE)
    axes[2].set(title="what a subject's direction drives", ylabel="logit", ylim=(0, None))
    for ax in axes:
        ax.set(xlabel="multiplicity K", xscale="log")
        ax.set_xticks(ks, [str(k) for k in ks])
        ax.set_xticks([], minor=True)
    finish(axes)
    caption = (
        "(a) Extraction against multiplicity, in as many seeds at each K as the verdict counts. (b) What pre-training "
        "reached. (c) After gradient descent, the logits that a subject's embedding alone gives to its answer and to "
        f"its relations. {described(*shown)}"
    )
    return Artefact(figure, curves.table("K", *shown), caption)


EXPERIMENT = Experiment(
    title="Extraction rises with multiplicity",
    runs=cell_runs,
    needs={"K": long_enough},
    claims=under_both(claim),
    draw=draw,
)
