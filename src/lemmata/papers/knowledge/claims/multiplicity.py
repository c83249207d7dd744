"""The more templates a fact was told through, the easier it is to reach (abstract)."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Undecided, at_least, rises
from lemmata.papers.knowledge.claims._tuned import ALL, WRONG, Lesson, cell_runs, cells, long_enough
from lemmata.papers.knowledge.claims._tuned_drawing import TAUGHT, curve_table, described
from lemmata.report.plots import COLOURS, band, legend, letter, new_figure


def by_k(lessons: list[Lesson]) -> np.ndarray:
    """Mean extraction, in order of K, from K = 2 on."""
    several = [one for one in lessons if one.of.multiplicity >= 2]
    if len({one.of.multiplicity for one in several}) < 2:
        raise Undecided("under these settings there are no two multiplicities from 2 on")
    return np.array([one.extraction for one in several])


def _competition(runs: Runs) -> str:
    least, *_, most = cells(runs)

    def change(column: str) -> str:
        return f"from {least.mean(ALL, column):.0f} to {most.mean(ALL, column):.0f}"

    return (
        f"Covering is not the reason: at K = {least.multiplicity} extraction is {least.mean(ALL):.2f} with every "
        "subject asked about. A subject's direction drives its answer and its relations in competition: from "
        f"K = {least.multiplicity} to {most.multiplicity} the answer's logit from it goes "
        f"{change('answer_from_subject')} after fine-tuning, and a relation's {change('relation_from_subject')}."
    )


MULTIPLICITY = Claim(
    id="multiplicity",
    locus="Abstract; core claim; consequence 2",
    statement="Extraction rises with the number K of templates through which pre-training tells a fact (|R| = 20, "
    "means over seeds), where every model has stored its facts.",
    subject=lambda runs: [Lesson(cell, ALL) for cell in cells(runs)],
    wrong=lambda runs: [Lesson(cell, WRONG) for cell in cells(runs)],  # fine-tuning on the answers of other subjects
    parts={
        "rise from K = 2 to the largest K": Part(lambda found: float(by_k(found)[-1] - by_k(found)[0]), at_least(0.25)),
        "extraction by K, from 2": Part(by_k, rises(slack=0.05)),
        "least pre-training accuracy": Part(lambda lessons: min(one.of.accuracy for one in lessons), at_least(0.95)),
    },
    remark=_competition,
)


def draw(runs: Runs) -> Artefact:
    shown = cells(runs)
    ks = [one.multiplicity for one in shown]
    figure, axes = new_figure(1, 3, width=11.4)
    lines = [
        (0, f"extraction, taught {label}", f"taught {label}", colour, [one.after(f"{answers} all") for one in shown])
        for answers, (label, colour) in TAUGHT.items()
    ]
    said = [one.after(ALL, "relation_fraction") for one in shown]
    lines.append((0, "a relation is said", "a relation is said", "orange", said))
    for column, label, colour in (
        ("fact_accuracy", "accuracy", "green"),
        ("excess", "loss over the least (nats)", "purple"),
    ):
        values = [one.run.arrays[f"pretraining.{column}"][:, -1] for one in shown]
        lines.append((1, f"pre-training, {label}", label, colour, values))
    for kind, label, colour in (("answer", "its answer", "blue"), ("relation", "each of its relations", "orange")):
        values = [one.after(ALL, f"{kind}_from_subject") for one in shown]
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
        legend(ax)
    letter(axes)
    caption = (
        "(a) Extraction against multiplicity; (b) what pre-training reached; (c) after fine-tuning, the logits that a "
        f"subject's embedding alone gives to its answer and to its relations. {described(*shown)}"
    )
    return Artefact(figure, curve_table(table, "K", *shown), caption)


EXPERIMENT = Experiment(
    title="The more often told, the easier to reach",
    runs=cell_runs,
    needs={"K": long_enough},
    claims=(MULTIPLICITY,),
    draw=draw,
)
