"""The algebra of the actions: order, orbits, stabilizers, fibres, solvability; how often a wrong clause is right."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from lemmata.core import Artefact, RunConfig, RunContext, RunOutput, RunResult, Undecided, named_key, require
from lemmata.core.legacy import Claim, Close, Correction, Each, Experiment, Results
from lemmata.papers.lego.task import Action, Lego, LegoConfig, action
from lemmata.papers.lego.theory.distractors import (
    context_probability,
    distractor_probability,
    fibre_sizes,
    other_element_probability,
    printed_count,
)
from lemmata.report.plots import COLOURS, CYCLE, GREY, legend, new_figure, panel_label

CATALOGUE = (
    *("C2", "C3", "C4", "C5", "C6", "C2xC3", "S3:self"),  # simply transitive
    *("S3", "S4", "S5", "A4", "A5", "D4", "D5", "D6", "F5", "S4:pairs", "S5:pairs"),
    "S5:self",  # simply transitive and not solvable
)
INTRANSITIVE = {  # controls: two orbits on 3, 4 and 5 values
    3: "C2:[[0,1,2],[1,0,2]]",
    4: "C2:[[0,1,2,3],[1,0,3,2]]",
    5: "C6:[[0,1,2,3,4],[1,0,3,4,2],[0,1,4,2,3],[1,0,2,3,4],[0,1,3,4,2],[1,0,4,2,3]]",
}
EXACT = 1e-12


@dataclass(frozen=True, kw_only=True)
class ActionCatalogue(RunConfig):
    """Every number by brute force over all (action, value, other action), and two worlds sampled."""

    kind = "lego/actions"
    version = 1

    actions: tuple[str, ...] = (*CATALOGUE, *INTRANSITIVE.values())
    sampled: tuple[str, ...] = ("C6", "S5")  # of these, also the share among drawn sentences
    variables: int = 41
    length: int = 5
    sentences: int = 4000

    def __post_init__(self) -> None:
        require(len(self.actions) >= 1, "actions", self.actions, "at least one action")
        for name in (*self.actions, *self.sampled):
            _ = self.task(name)  # refuses what is not an action, and lengths that do not fit
        require(set(self.sampled) <= set(self.actions), "sampled", self.sampled, "some of the actions")
        require(self.sentences >= 1, "sentences", self.sentences, "at least 1")

    def task(self, name: str) -> LegoConfig:
        return LegoConfig(action=name, variables=self.variables, length=self.length)

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for done, name in enumerate(self.actions):
            context.progress("actions", done, len(self.actions))
            drawn = self.draw_shares(name) if name in self.sampled else (np.nan, np.nan)
            rows.append({**describe(action(name)), "drawn": drawn[0], "drawn_context": drawn[1]})
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]})

    def draw_shares(self, name: str) -> tuple[float, float]:
        """Among drawn sentences: wrong clauses that are distractors of a step, and steps that have one."""
        task = Lego.create(self.task(name))
        clauses = np.asarray(task.draw(self.sentences, key=named_key(0, "sentences", name)))
        found = distractors_of(clauses, action(name).table, task.vocabulary.first_action, task.vocabulary.first_value)
        wrong = ~np.eye(self.length, dtype=bool)
        return float(found[:, wrong].mean()), float((found & wrong).any(axis=2).mean())


def distractors_of(
    clauses: Int[np.ndarray, "num clauses 5"], table: np.ndarray, first_action: int, first_value: int
) -> np.ndarray:
    """[sentence, step l, clause k]: whether predicate k sends y_{l-1} to y_l."""
    length = (clauses.shape[1] - 1) // 2
    acting = clauses[:, :length, 1] - first_action
    values = clauses[:, length:, 4] - first_value
    moved = table[acting[:, None, :], values[:, :-1, None]]
    return moved == values[:, 1:, None]


def describe(acting: Action) -> dict[str, Any]:
    table = acting.table
    same = table[:, None, :] == table[None, :, :]  # [g, g', y]
    other = ~np.eye(acting.num_actions, dtype=bool)
    return {
        "action": acting.name,
        "order": acting.group.order,
        "values": acting.num_values,
        "transitive": acting.transitive,
        "free": acting.free,
        "stabilizer": acting.stabilizer_size,
        "fibre": int(fibre_sizes(table).max()),
        "abelian": acting.group.abelian,
        "solvable": acting.solvable,
        "derived_series": " > ".join(map(str, acting.group.derived_series)),
        "distractor": float(same.mean()),  # by brute force
        "distractor_counted": float(distractor_probability(table)),  # from fibres
        "another_action": float(same[other].sum() / same.size),
        "another_action_counted": float(other_element_probability(table)),
    }


def _of(run: RunResult, name: str, column: str) -> Any:
    values = run.column(column, action=name)
    return values[0] if len(values) else None


def _sizes(results: Results) -> RunResult | Undecided:
    run = results.one(ActionCatalogue)
    needed = [f"{kind}{n}" for kind in "CS" for n in INTRANSITIVE] + list(INTRANSITIVE.values())
    missing = sorted(set(needed) - set(run.config.actions))
    return Undecided(f"the catalogue lacks {', '.join(missing)}") if missing else run


def _measured(results: Results, simple: dict[int, str]) -> Any:
    """Ratios of brute-force frequencies, symmetric over the other, at equal numbers of values."""
    run = _sizes(results)
    if isinstance(run, Undecided):
        return dict.fromkeys(_parts(), run)
    found = {}
    for n, other in simple.items():
        found[f"S{n} over the simply transitive, frequency"] = _of(run, f"S{n}", "distractor") / _of(
            run, other, "distractor"
        )
        for name, label in ((other, "simply transitive"), (f"S{n}", f"S{n}")):
            share = _of(run, name, "another_action") / _of(run, name, "distractor")
            found[f"{label} on {n}, share that is another action"] = share
    return found


def _predicted(ratio: Any) -> dict[str, float]:
    found = {}
    for n in INTRANSITIVE:
        found[f"S{n} over the simply transitive, frequency"] = float(ratio(n))
        found[f"simply transitive on {n}, share that is another action"] = 0.0
        found[f"S{n} on {n}, share that is another action"] = 1 - 1 / printed_count(n, simply_transitive=False)
    return found


def _parts() -> tuple[str, ...]:
    return tuple(_predicted(lambda n: 1))


DISTRACTORS = Claim(
    id="lego/distractors",
    locus="Section 5, challenges of learning CoT for the symmetry task",
    statement="Other clauses of the context may also send the current value to the right answer. (n_y - 1)! elements "
    "of S_n do so, and one of a simply transitive group; so such distractors are said to be a substantial fraction in "
    "the first case, and unlikely in the second. Rule, by brute force over all (action, value, other action) with 3, 4 "
    "and 5 values: the ratio of the two frequencies, and the share of distractors that are another action. Control: an "
    "intransitive action in the place of the simply transitive one.",
    predict=lambda results: _predicted(lambda n: printed_count(n, False) / printed_count(n, True)),
    measure=lambda results: _measured(results, {n: f"C{n}" for n in INTRANSITIVE}),
    control=lambda results: _measured(results, INTRANSITIVE),
    check=Each({name: Close(atol=EXACT) for name in _parts()}),
    correction=Correction(
        predict=lambda results: _predicted(lambda n: 1),
        printed="each pair admits (n_y - 1)! elements against one, so distractors are substantial for the symmetry "
        "action and unlikely for a simply transitive one (their counts, read as frequencies: a ratio of (n_y - 1)!)",
        corrected="a wrong clause is a distractor with probability |fibre| / |G| = 1 / n_y for every transitive "
        "action: the ratio is 1. What differs: a simply transitive action's distractor is the same action again",
        reason="A fraction is a count over the order of the group: (n - 1)!/n! = 1/n. In C6 one wrong clause of six is "
        "a distractor, in S5 one of five; among 5 predicates, 52% and 59% of the steps see one. In C6 it repeats the "
        "right action, so attending to it is right for every value; in S5 it is another action in 23 of 24 cases.",
    ),
)


def draw(results: Results) -> Artefact:
    run = results.one(ActionCatalogue)
    names, values = run.metrics["action"], np.asarray(run.metrics["values"], float)
    frequency, other = run.metrics["distractor"], run.metrics["another_action"]
    simple = np.asarray(run.metrics["transitive"]) & np.asarray(run.metrics["free"])
    whole = np.asarray(run.metrics["transitive"])
    figure, (left, right) = new_figure(1, 2)
    grid = np.linspace(values.min(), values.max(), 200)
    left.plot(grid, 1 / grid, color=GREY, linewidth=1, label="1 / number of values", zorder=1)
    kinds = (("simply transitive", simple), ("transitive, not free", whole & ~simple), ("intransitive", ~whole))
    marks = (("o", 9, CYCLE[0]), ("s", 4, CYCLE[1]), ("x", 5, COLOURS["black"]))  # the first two often coincide
    for (label, kept), (marker, size, colour) in zip(kinds, marks, strict=True):
        left.plot(
            values[kept], frequency[kept], marker, color=colour, label=label, markersize=size, markerfacecolor="none"
        )
    left.set(xscale="log", yscale="log", xlabel="number of values", ylabel="distractors among wrong clauses")
    legend(left, fontsize=7)
    lengths = np.arange(2, 41)
    for name, colour in zip(run.config.sampled, CYCLE, strict=False):
        index = int(np.flatnonzero(names == name)[0])
        right.plot(lengths, _contexts(frequency[index], lengths), color=colour, label=f"{name}: any distractor")
        right.plot(lengths, _contexts(other[index], lengths), ":", color=colour, label=f"{name}: another action")
        right.plot(run.config.length, run.metrics["drawn_context"][index], "o", color=colour, markersize=5)
    right.set(xlabel="predicates in the sentence", ylabel="steps that see one", ylim=(-0.03, 1.05))
    legend(right, fontsize=7)
    panel_label(left, "a")
    panel_label(right, "b")
    caption = (
        "a: how often a wrong clause gives the right answer, exact, for every action of the catalogue; 1/|Y| whenever "
        "it is transitive, whatever its stabilizer. b: how often a step of a sentence sees a distractor, and one that "
        f"is another action (lines exact; points: {run.config.sentences} sentences of length {run.config.length})."
    )
    return Artefact(figure, dict(run.metrics), caption)


def _contexts(share: float, lengths: np.ndarray) -> Float[np.ndarray, " lengths"]:
    chance = Fraction(float(share)).limit_denominator(10**6)
    return np.array([float(context_probability(chance, int(length))) for length in lengths])


EXPERIMENTS = (
    Experiment(
        id="lego/actions",
        title="The algebra of the actions",
        grid=lambda scale: (ActionCatalogue(sentences=scale.pick(smoke=500, laptop=4000, paper=40000)),),
        claims=(DISTRACTORS,),
        render=draw,
    ),
)
