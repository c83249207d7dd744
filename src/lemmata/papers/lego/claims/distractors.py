"""The algebra of the actions: order, orbits, stabilizers, fibres, solvability; how often a wrong clause is right."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, near
from lemmata.papers.lego import sizes
from lemmata.papers.lego.run.action_catalogue import INTRANSITIVE, ActionCatalogue
from lemmata.papers.lego.theory.distractors import context_probability, printed_count
from lemmata.report.plots import COLOURS, CYCLE, GREY, legend, letter, new_figure

EXACT = 1e-12


class Compared(NamedTuple):
    """The symmetric action S_n and another one on as many values."""

    catalogue: RunResult
    other: dict[int, str]  # by the number of values

    def of(self, name: str, column: str) -> float:
        return float(self.catalogue.column(column, action=name)[0])

    def by_another(self, name: str) -> float:
        """The probability that a wrong clause is a distractor whose action is another than the right one's."""
        return self.of(name, "another_action")


def parts(n: int) -> dict[str, Part]:
    count = printed_count(n)
    return {
        f"S{n}, by another action": Part(
            lambda both: both.by_another(f"S{n}"), near((count - 1) / math.factorial(n), EXACT)
        ),
        f"simply transitive on {n}, by another action": Part(
            lambda both: both.by_another(both.other[n]), near(0.0, EXACT)
        ),
    }


def fractions(runs: Runs) -> str:
    share = Compared(runs["catalogue"], {}).of
    return (
        "Distractors are other *clauses* in the paper's words, and a clause may repeat the right action. Counted so, "
        "they are as frequent for a simply transitive action: |fibre| / |G| = 1/n_y for every transitive one, "
        f"{share('C6', 'distractor'):.3f} of the wrong clauses in C₆ and {share('S5', 'distractor'):.3f} in S₅; among "
        f"5 predicates {share('C6', 'drawn_context'):.0%} and {share('S5', 'drawn_context'):.0%} of the steps see one. "
        "The difference is of kind: a simply transitive action's distractor is the right action again, right for "
        f"every value; in S₅ it is another action in {share('S5', 'another_action') / share('S5', 'distractor'):.1%} "
        "of the cases."
    )


DISTRACTORS = Claim(
    id="distractors",
    locus="Section 5, challenges of learning CoT for the symmetry task",
    statement="For $G = S_n$ on $n_y$ values, $(n_y - 1)!$ elements send one value to another, so other clauses of "
    "the context may give the right answer too; for a simply transitive action the element is unique and distractors "
    "can be ignored. Judged by enumeration for 3, 4 and 5 values: a wrong clause is right by another action with "
    "probability $((n_y - 1)! - 1)/n_y!$, against 0. Control: intransitive actions in the place of the simply "
    "transitive ones.",
    subject=lambda runs: Compared(runs["catalogue"], {n: f"C{n}" for n in INTRANSITIVE}),
    wrong=lambda runs: Compared(runs["catalogue"], INTRANSITIVE),
    parts={name: part for n in INTRANSITIVE for name, part in parts(n).items()},
    remark=fractions,
)


def draw(runs: Runs) -> Artefact:
    run = runs["catalogue"]
    names, values = run.metrics["action"], np.asarray(run.metrics["values"], float)
    frequency, other = run.metrics["distractor"], run.metrics["another_action"]
    transitive, free = (np.asarray(run.metrics[name], bool) for name in ("transitive", "free"))
    figure, (left, right) = new_figure(1, 2)
    grid, lengths = np.linspace(values.min(), values.max(), 200), np.arange(2, 41)
    left.plot(grid, 1 / grid, color=GREY, linewidth=1, label="1 / number of values", zorder=1)
    kinds = (  # the first two often coincide
        ("simply transitive", transitive & free, "o", 9, CYCLE[0]),
        ("transitive, not free", transitive & ~free, "s", 4, CYCLE[1]),
        ("intransitive", ~transitive, "x", 5, COLOURS["black"]),
    )
    for label, kept, marker, size, colour in kinds:
        style = {"color": colour, "markersize": size, "markerfacecolor": "none"}
        left.plot(values[kept], frequency[kept], marker, label=label, **style)
    left.set(xscale="log", yscale="log", xlabel="number of values", ylabel="distractors among wrong clauses")
    legend(left, fontsize=7)
    for name, colour in zip(run.config.sampled, CYCLE, strict=False):
        index = int(np.flatnonzero(names == name)[0])
        right.plot(lengths, _contexts(frequency[index], lengths), color=colour, label=f"{name}: any distractor")
        right.plot(lengths, _contexts(other[index], lengths), ":", color=colour, label=f"{name}: another action")
        right.plot(run.config.length, run.metrics["drawn_context"][index], "o", color=colour, markersize=5)
    right.set(xlabel="predicates in the sentence", ylabel="steps that see one", ylim=(-0.03, 1.05))
    if run.config.sampled:
        legend(right, fontsize=7)
    letter((left, right))
    caption = (
        "a: how often a wrong clause gives the right answer, exact, for every action of the catalogue; 1/|Y| whenever "
        "it is transitive, whatever its stabilizer. b: how often a step of a sentence sees a distractor, and one that "
        f"is another action (lines exact; points: {run.config.sentences} sentences of length {run.config.length})."
    )
    return Artefact(figure, dict(run.metrics), caption)


def _contexts(share: float, lengths: np.ndarray) -> np.ndarray:
    per_clause = Fraction(float(share)).limit_denominator(10**6)
    return np.array([float(context_probability(per_clause, int(length))) for length in lengths])


EXPERIMENT = Experiment(
    title="The algebra of the actions",
    runs=lambda scale: {"catalogue": ActionCatalogue(sentences=sizes.CATALOGUE_SENTENCES.at(scale))},
    claims=(DISTRACTORS,),
    draw=draw,
)
