"""Appendix E's events and what the neurons read on each: the partition of T^2, and Lemmas E.13 to E.18 and E.25 to E.30
on trained features, over every sentence."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    at_most,
    near,
    of_result,
    precision,
    to_jax,
)
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._population import FINISHED
from lemmata.papers.lego.model.fast.four_scores import SCORES, attention
from lemmata.papers.lego.run.short_symmetric import ShortSymmetric
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import balanced_structure, magnitude
from lemmata.papers.lego.theory.logit_tables import EVENTS, LEMMAS, TABLE, Row, event, exact, membership, printed, ratio
from lemmata.papers.lego.theory.self_training import collision_shares
from lemmata.report.plots import CYCLE, legend, new_figure

WITHIN = 0.02  # of 2B: our reading of O(delta)
DELTA = 2 * WITHIN  # of 2B, of a feature: half of the attention at most goes to the clauses that it is read of
LOOKS = 6  # points of the path, evenly in its length
SYMMETRIC, TRANSITIVE = ("S3", "S4", "S5"), ("C3", "C4", "C5")


def short_runs(scale: Scale) -> dict[str, ShortSymmetric]:
    return {
        "main": ShortSymmetric(
            points=sizes.SHORT_POINTS.at(scale),
            vocabulary=sizes.SHORT_VOCABULARY.at(scale),
            seeds=sizes.seeds(sizes.SHORT_SEEDS, scale),
        )
    }


class Sentences(NamedTuple):
    """A trained model of T^2: what neuron r_{j,y} reads on each sentence (g_1, g_2, y_0), at points of the path.

    Of a lemma's row the least and the largest over the sentences of its event count, and over seeds.
    """

    run: RunResult
    shuffled: bool = False  # a wrong subject: the neurons of each class in the places of the next value's

    @property
    def table(self) -> np.ndarray:
        return action(self.run.config.action).table

    def seen(self, seed: int) -> np.ndarray:
        """[point, clause]: the attention on pred,2, pred,1, ans,1 and ans,0."""
        rows = np.flatnonzero(np.asarray(self.run.metrics["seed"]) == seed)
        kept = rows[np.linspace(0, len(rows) - 1, LOOKS).round().astype(int)]
        scores = np.stack([np.asarray(self.run.metrics[name])[kept] for name in SCORES], axis=1)
        with precision("float64"):
            found = attention(to_jax(scores), 2.0, 2.0)
        return np.stack(
            [np.asarray(x) for x in (found.predicate, found.other_predicate, found.answer, found.other_answer)], axis=1
        )

    def features(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """V(g) [class, value, action] and V(y') [class, value, value] over 2B, of each (j, y): the neuron with
        the largest V(y)."""
        config = self.run.config.model_config()
        size = 2 * magnitude(config.bound, float(self.run.arrays["bias"][number]), config.smoothing, config.power)
        actions, values = self.run.arrays["actions"][number] / size, self.run.arrays["values"][number] / size
        chosen = np.argmax(values, axis=0)  # [class, value]
        chosen = np.roll(chosen, 1, axis=1) if self.shuffled else chosen
        classes = np.arange(len(chosen))[:, None]
        return actions[chosen, classes], values[chosen, classes]

    def extremes(self, row: Row) -> np.ndarray:
        """[end, point]: the least and largest reading over sentences and seeds, over 2B."""
        config, table = self.run.config, self.table
        g1, g2, y0 = np.nonzero(event(table) == row.event)
        j, y = neuron(row, table, g1, g2, y0)
        kept = j >= 0
        if not kept.any():
            raise Undecided(f"{config.action} has no sentence of E_{row.event} with such a neuron")
        g1, g2, y0, j, y = (one[kept] for one in (g1, g2, y0, j, y))
        found = []
        for number, seed in enumerate(config.seeds):
            actions, values = self.features(number)
            read = np.stack([actions[j, y, g2], actions[j, y, g1], values[j, y, table[g1, y0]], values[j, y, y0]])
            reading = self.seen(seed) @ read
            found.append([reading.min(axis=1), reading.max(axis=1)])
        return np.array([np.min([one[0] for one in found], axis=0), np.max([one[1] for one in found], axis=0)])

    def printed(self, row: Row) -> np.ndarray:
        return self.predicted(row, lambda seen: printed(row, seen, self.run.config.points))

    def corrected(self, row: Row) -> np.ndarray:
        shares = ratio(self.run.config.points, len(self.table) // self.run.config.points)
        return self.predicted(row, lambda seen: exact(seen, *membership(row), shares))

    def predicted(self, row: Row, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The same ends, over seeds, for they end at points of their own."""
        each = [of(self.seen(seed)) for seed in self.run.config.seeds]
        return np.array([np.min(each, axis=0), np.max(each, axis=0)])


@of_result
def as_theorem_c1(run: RunResult) -> Undecided | None:
    """A need, the lemmas' own: stage 1 is at its floor and its features are those of Theorem C.1, within delta."""
    worst = float(np.max(run.metrics["one_step_excess"]))
    if not worst <= FINISHED:
        return TooShort(f"stage 1 ended {worst:.2g} above its floor")
    found, n = Sentences(run), run.config.points
    shape = balanced_structure(n, len(found.table) // n)
    in_fibre = found.table.T[None] == np.arange(n)[:, None, None]  # [class, value, action]
    actions = np.where(in_fibre, shape.action, shape.other_action) / 2
    values = np.where(np.eye(n, dtype=bool), shape.value, shape.other_value)[None] / 2
    each = [found.features(number) for number in range(len(run.config.seeds))]
    delta = max(max(np.abs(a - actions).max(), np.abs(v - values).max()) for a, v in each)
    off = f"features are {delta:.3f} of 2B from those of Theorem C.1, {DELTA:g} is allowed"
    return None if delta <= DELTA else TooShort(off)


def neuron(
    row: Row, table: np.ndarray, g1: np.ndarray, g2: np.ndarray, y0: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The class and value of a row's neuron in each sentence; -1 where there is none. Where a row names several (a
    third value on which g_1 and g_2 agree, a class that neither reaches), the first."""
    y1 = table[g1, y0]
    which, _, value = row.neuron.partition(".")
    if which == "shared":
        agree = table[g1] == table[g2]
        places = np.arange(len(y0))
        agree[places, y0] = agree[places, y1] = False
        y = np.where(agree.any(axis=1), agree.argmax(axis=1), -1)
        return np.where(y >= 0, table[g1, y], -1), y
    y = y0 if value == "y0" else y1
    if which == "neither":
        free = np.ones((len(y0), table.shape[1]), bool)
        free[np.arange(len(y0)), table[g1, y]] = free[np.arange(len(y0)), table[g2, y]] = False
        return np.where(free.any(axis=1), free.argmax(axis=1), -1), y
    return table[g1 if which == "g1" else g2, y], y


def rows_of(number: int) -> list[Row]:
    return [row for row in TABLE if row.event == number]


def of_event(read: str, number: int) -> Callable[[Any], np.ndarray]:
    """[row, end, point] of one lemma."""
    return lambda found: np.array([getattr(found, read)(row) for row in rows_of(number)])


def lemma(number: int) -> Part:
    return Part(
        of_event("extremes", number),
        near(lambda runs: of_event("printed", number)(Sentences(runs["main"])), atol=WITHIN),
        corrected=lambda runs: of_event("corrected", number)(Sentences(runs["main"])),
        along={"neuron": [row.neuron for row in rows_of(number)], "end": ("least", "largest"), "point": range(LOOKS)},
    )


def later(number: int) -> str:
    """The same lemma of stage 1.2.2."""
    return {1: "E.25", 2: "E.26", 3: "E.27", 4: "E.28", 5: "E.29", 6: "E.30"}[number]


TABLES = Claim(
    id="logits-tables",
    locus="Appendix E, Lemmas E.13 to E.18 and E.25 to E.30",
    uses=("feature-structure-symmetric", "logits-events"),
    statement=r"On a sentence of the event $\mathcal{E}_m$ each neuron that is not silent reads what the lemma of "
    r"that event lists, up to $O(\delta)$: for example $\Lambda_{5,j_2,r_{g_2 \cdot y_1}} = "
    r"(\mathrm{Attn}_{\mathrm{pred},2} - \mathrm{Attn}_{\mathrm{ans},0}) 2B + (\mathrm{Attn}_{\mathrm{ans},1} - "
    r"\mathrm{Attn}_{\mathrm{pred},1}) 2B / n_y$ on $\mathcal{E}_1$. Judged on trained features over all sentences of "
    r"$\mathcal{T}^2$, the least and the largest, at six "
    rf"points of stage 1.2, over $2B$ within {WITHIN:g}. Control: each class's neurons exchanged in a circle.",
    subject=lambda runs: Sentences(runs["main"]),
    wrong=lambda runs: Sentences(runs["main"], shuffled=True),
    parts={f"{LEMMAS[number]}, {later(number)}": lemma(number) for number in EVENTS},
    needs={"main": as_theorem_c1},
    protocol=Protocol(ours="S₅ at d = 404", why="n_y is to grow with d"),
    correction=Correction(
        severity="constant",
        printed="2B for V(g) and 2B / n_y for V(y), most terms with V(y) left out, up to O(delta)",
        corrected="2B C_alpha / (1 + C_alpha) for V(g) and 2B / (1 + C_alpha) for V(y), no term left out",
        reason="Theorem C.1 gives V(g) + V(y) = 2B and V(g) = C_alpha V(y) with C_alpha of order n_y. The tables keep "
        "the leading order in n_y, but state an error O(delta), which does not depend on n_y.",
        survives="Every order in the appendix, for n_y to infinity; corridor-lower's bound changes for fixed n_y.",
        source="a scan of the arXiv text",
        latex=r"\Lambda_{5,j_2,r_{g_2\cdot y_1}}=\tfrac{2B}{1+C_\alpha}\bigl[C_\alpha(\mathrm{Attn}_{\mathrm{pred},2}-"
        r"\mathrm{Attn}_{\mathrm{ans},0})+\mathrm{Attn}_{\mathrm{ans},1}-\mathrm{Attn}_{\mathrm{pred},1}\bigr]",
    ),
)


def counts(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """By the number of values: of n^2 sentences, how many are in E_1, ..., E_6."""
    found = {}
    for name in names:
        table = action(name).table
        events = event(table)
        found[str(table.shape[1])] = np.array([(events == number).mean() for number in EVENTS]) * table.shape[1] ** 2
    return found


PARTITION = Claim(
    id="logits-events",
    locus="Appendix E, equations (103) to (108); Section E.2",
    statement=r"The events $\mathcal{E}_1, \ldots, \mathcal{E}_6$ of a sentence of $\mathcal{T}^2$ partition the "
    r"sample space: $\mathcal{E}_1$ has probability $1 - O(1/n_y)$, $\mathcal{E}_2$, $\mathcal{E}_3$ and "
    r"$\mathcal{E}_5$ have $\Theta(1/n_y)$, $\mathcal{E}_4$ and $\mathcal{E}_6$ have $\Theta(1/n_y^2)$. Judged by "
    r"enumeration of $S_3$, $S_4$ and $S_5$: of $n_y^2$ sentences $n_y^2 - 3 n_y + 3$, $n_y - 2$, $n_y - 1$, 1, $n_y "
    r"- 2$ and 1. Control: the simply transitive $C_3$, $C_4$ and $C_5$.",
    subject=lambda runs: counts(SYMMETRIC),
    wrong=lambda runs: counts(TRANSITIVE),
    parts={
        f"S{n}": Part(
            lambda found, n=n: found[str(n)],
            near(np.array(collision_shares(n)) * n**2, atol=1e-9),
            along={"event": EVENTS},
        )
        for n in (3, 4, 5)
    }
    | {
        "sentences in none or several": Part(
            lambda found: max(abs(shares.sum() - int(n) ** 2) for n, shares in found.items()),
            at_most(1e-9),
            carries=False,
        )
    },
)


def draw(runs: Runs) -> Artefact:
    found = Sentences(runs["main"])
    figure, ax = new_figure(width=5, height=4)
    table: dict[str, list[Any]] = {name: [] for name in ("lemma", "neuron", "measured", "printed", "with C_alpha")}
    for number, colour in zip(EVENTS, CYCLE, strict=False):
        for row in rows_of(number):
            ends, plain, full = found.extremes(row), found.printed(row), found.corrected(row)
            ax.plot(plain.ravel(), ends.ravel(), "x", color=colour, markersize=4, alpha=0.6)
            ax.plot(
                full.ravel(),
                ends.ravel(),
                "o",
                color=colour,
                markersize=3,
                label=LEMMAS[number] if row is rows_of(number)[0] else None,
            )
            for values in zip(ends.ravel(), plain.ravel(), full.ravel(), strict=True):
                for name, value in zip(table, (LEMMAS[number], row.neuron, *map(float, values)), strict=True):
                    table[name].append(value)
    ax.axline((0, 0), slope=1, color="#999999", linewidth=0.8)
    ax.set(xlabel="Λ over 2B, by the lemma", ylabel="Λ over 2B, least and largest", title="what neurons read")
    legend(ax, fontsize=7)
    config = runs["main"].config
    caption = (
        f"Every neuron that the lemmas name, on every sentence of T² for {config.action}, d = {config.vocabulary}: "
        f"crosses "
        "by the printed tables, dots with the features' C_alpha."
    )
    return Artefact(figure, table, caption)


EXPERIMENT = Experiment(
    title="What neurons read on the sentences of T²", runs=short_runs, claims=(PARTITION, TABLES), draw=draw
)
