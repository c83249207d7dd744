"""The more templates a fact was told through, the easier it is to reach (abstract)."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Undecided, at_least, rises
from lemmata.papers.knowledge.claims._tuned import ALL, WRONG, Lesson, cell_runs, cells, long_enough
from lemmata.papers.knowledge.claims._tuned_drawing import TAUGHT, described, long_table
from lemmata.report.plots import COLOURS, band, legend, new_figure, panel_label


def _multiplicity(lesson: Lesson) -> int:
    return lesson.of.run.config.facts.multiplicity


def _by_multiplicity(lessons: list[Lesson]) -> np.ndarray:
    """Mean extraction, in order of K, from K = 2 on."""
    several = [lesson for lesson in lessons if _multiplicity(lesson) >= 2]
    if len({_multiplicity(lesson) for lesson in several}) < 2:
        raise Undecided("under these settings there are no two multiplicities from 2 on")
    return np.array([lesson.extraction for lesson in several])


def _rise(lessons: list[Lesson]) -> float:
    means = _by_multiplicity(lessons)
    return float(means[-1] - means[0])


def _competition(runs: Runs) -> str:
    least, most = cells(runs)[0], cells(runs)[-1]
    ks = [one.run.config.facts.multiplicity for one in (least, most)]
    answer, relation = (
        [one.mean(ALL, f"{kind}_from_subject") for one in (least, most)] for kind in ("answer", "relation")
    )
    return (
        f"Covering is not the reason: at K = {ks[0]} extraction is {least.mean(ALL):.2f} with every subject asked "
        f"about. A subject's direction drives its answer and its relations in competition: from K = {ks[0]} to {ks[1]} "
        f"the answer's logit from it goes from {answer[0]:.0f} to {answer[1]:.0f} after fine-tuning, and a relation's "
        f"from {relation[0]:.0f} to {relation[1]:.0f}."
    )


MULTIPLICITY = Claim(
    id="multiplicity",
    locus="Abstract; core claim; consequence 2",
    statement="Extraction rises with the number K of templates through which pre-training tells a fact (|R| = 20, "
    "means over seeds), where every model has stored its facts.",
    subject=lambda runs: [Lesson(cell, ALL) for cell in cells(runs)],
    wrong=lambda runs: [Lesson(cell, WRONG) for cell in cells(runs)],  # fine-tuning on the answers of other subjects
    parts={
        "rise from K = 2 to the largest K": Part(_rise, at_least(0.25)),
        "extraction by K, from 2": Part(_by_multiplicity, rises(slack=0.05)),
        "least pre-training accuracy": Part(lambda lessons: min(one.of.accuracy for one in lessons), at_least(0.95)),
    },
    remark=_competition,
)


def draw(runs: Runs) -> Artefact:
    shown = cells(runs)
    ks = np.array([one.run.config.facts.multiplicity for one in shown])
    figure, axes = new_figure(1, 3, width=11.4)
    table = {}

    def line(ax: int, values: list[np.ndarray], name: str, label: str, colour: str) -> None:
        table[name] = (ks, np.stack(values, axis=1))
        band(axes[ax], ks, table[name][1], label, color=COLOURS[colour], marker="o")

    for answers, (label, colour) in TAUGHT.items():
        values = [one.after(f"{answers} all") for one in shown]
        line(0, values, f"extraction, taught {label}", f"taught {label}", colour)
    said = [one.after(ALL, "relation_fraction") for one in shown]
    line(0, said, "a relation is said", "a relation is said", "orange")
    for column, label, colour in (
        ("fact_accuracy", "accuracy", "green"),
        ("excess", "loss over the least (nats)", "purple"),
    ):
        values = [one.run.arrays[f"pretraining.{column}"][:, -1] for one in shown]
        line(1, values, f"pre-training, {label}", label, colour)
    for column, label, colour in (
        ("answer_from_subject", "its answer", "blue"),
        ("relation_from_subject", "each of its relations", "orange"),
    ):
        line(2, [one.after(ALL, column) for one in shown], f"logit from the subject, {label}", label, colour)
    axes[0].set(title="held-out questions", ylabel="share of held-out facts", ylim=(-0.02, 1.02))
    axes[1].set(title="pre-training", ylabel="accuracy; nats", ylim=(-0.02, 1.02))
    axes[2].set(title="what a subject's direction drives", ylabel="logit", ylim=(0, None))
    for letter, ax in zip("abc", axes, strict=True):
        ax.set(xlabel="multiplicity K", xscale="log")
        ax.set_xticks(ks, [str(k) for k in ks])
        ax.set_xticks([], minor=True)
        legend(ax)
        panel_label(ax, letter)
    caption = (
        "(a) Extraction against multiplicity; (b) what pre-training reached; (c) after fine-tuning, the logits that a "
        f"subject's embedding alone gives to its answer and to its relations. {described(*shown)}"
    )
    return Artefact(figure, long_table(table, "K", *shown), caption)


EXPERIMENT = Experiment(
    title="The more often told, the easier to reach",
    runs=cell_runs,
    needs={"K": long_enough},
    claims=(MULTIPLICITY,),
    draw=draw,
)
