"""The algebra of the actions: order, orbits, stabilizers, fibres, solvability; how often a wrong clause is right."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, RunResult, Runs, near
from lemmata.papers.lego.run.action_catalogue import INTRANSITIVE, ActionCatalogue
from lemmata.papers.lego.theory.distractors import context_probability, printed_count
from lemmata.report.plots import COLOURS, CYCLE, GREY, legend, letter, new_figure

EXACT = 1e-12


class Compared(NamedTuple):
    """The symmetric action S_n and another one on as many values."""

    catalogue: RunResult
    other: dict[int, str]  # by the number of values

    def frequency(self, name: str, column: str = "distractor") -> float:
        return self.catalogue.column(column, action=name)[0]

    def ratio(self, values: int) -> float:
        return self.frequency(f"S{values}") / self.frequency(self.other[values])

    def another(self, name: str) -> float:
        """The share of distractors that are another action than the right one."""
        return self.frequency(name, "another_action") / self.frequency(name)


def parts(n: int) -> dict[str, Part]:
    count = printed_count(n, simply_transitive=False)
    printed = near(count / printed_count(n, simply_transitive=True), EXACT)
    return {
        f"S{n} over the simply transitive, frequency": Part(lambda both: both.ratio(n), printed, corrected=1.0),
        f"simply transitive on {n}, share that is another action": Part(
            lambda both: both.another(both.other[n]), near(0.0, EXACT)
        ),
        f"S{n} on {n}, share that is another action": Part(
            lambda both: both.another(f"S{n}"), near(1 - 1 / count, EXACT)
        ),
    }


DISTRACTORS = Claim(
    id="distractors",
    locus="Section 5, challenges of learning CoT for the symmetry task",
    statement="Other clauses of the context may also send the current value to the right answer. (n_y - 1)! elements "
    "of S_n do so, and one of a simply transitive group; so such distractors are said to be a substantial fraction in "
    "the first case, and unlikely in the second. (Here by brute force over all actions, values and other actions.)",
    subject=lambda runs: Compared(runs["catalogue"], {n: f"C{n}" for n in INTRANSITIVE}),
    wrong=lambda runs: Compared(runs["catalogue"], INTRANSITIVE),  # in the place of the simply transitive action
    parts={name: part for n in INTRANSITIVE for name, part in parts(n).items()},
    correction=Correction(
        printed="each pair admits (n_y - 1)! elements against one, so distractors are substantial for the symmetry "
        "action and unlikely for a simply transitive one (their counts, read as frequencies: a ratio of (n_y - 1)!)",
        corrected="a wrong clause is a distractor with probability |fibre| / |G| = 1 / n_y for every transitive "
        "action: the ratio is 1. What differs: a simply transitive action's distractor is the same action again",
        reason="A fraction is a count over the order of the group: (n - 1)!/n! = 1/n. In C6 one wrong clause of six is "
        "a distractor, in S5 one of five; among 5 predicates, 1 - (5/6)^4 = 52% and 1 - (4/5)^4 = 59% of the steps see "
        "one. In C6 it repeats the right action, so attending to it is right for every value; in S5 it is another "
        "action in 23 of 24 cases.",
    ),
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
    chance = Fraction(float(share)).limit_denominator(10**6)
    return np.array([float(context_probability(chance, int(length))) for length in lengths])


EXPERIMENT = Experiment(
    title="The algebra of the actions",
    runs=lambda scale: {"catalogue": ActionCatalogue(sentences=scale.pick(smoke=500, laptop=4000, paper=40000))},
    claims=(DISTRACTORS,),
    draw=draw,
)
