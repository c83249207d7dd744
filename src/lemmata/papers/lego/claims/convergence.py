"""Section 6.2.1, stage 2.3, and appendix D.5: the attention that stage 2 ends in, and what neurons read meanwhile."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Correction, Experiment, Part, Rule, Runs, Seeds, at_least, at_most, log_slope
from lemmata.papers.lego.claims import _course as course
from lemmata.papers.lego.claims._course import AXES, CONSTANT, NEEDS, OURS, Cell, read
from lemmata.papers.lego.probe.two_steps import Weights, weights
from lemmata.papers.lego.theory import attention_convergence as theory
from lemmata.report.plots import CYCLE, band, columns, legend_beside, letter, new_figure

POWER = 0.25  # the least exponent that counts as a power of d
ENOUGH, SMALL_GAP = 0.25, 0.05  # what Omega(1) and o(1) come to here
EXACT = 1.0  # of delta: the paper's O(delta)
ERROR = -1.0  # the greatest exponent that counts as 1/poly(d)
HALF = 0.5

Change = Callable[[np.ndarray], np.ndarray]


def as_it_is(scores: np.ndarray) -> np.ndarray:
    return scores


def exchanged(scores: np.ndarray) -> np.ndarray:
    """Q_43 and Q_44 in each other's place."""
    return scores[:, [2, 3, 0, 1]]


def third_alone(scores: np.ndarray) -> np.ndarray:
    """As if Q_44 had stayed at 0."""
    return scores * np.array([1, 1, 0, 0])


def at_first(scores: np.ndarray) -> np.ndarray:
    """As stage 2.3 begins."""
    return scores[:1]


def look(cell: Cell, change: Change, step: int = 2) -> Weights:
    """From the end of stage 2.2 on."""
    return weights(change(cell.scores[cell.first(CONSTANT) :]), step)


def above_half(cell: Cell, change: Change) -> float:
    """C_B (Attn_{ans,1 -> pred,2} - 1/2), at its largest: Lemma D.44 asks 2 c C_B to stay below 1."""
    return float(2 * cell.config.clip * (look(cell, change).right.max() - HALF))


def to_the_answer(cell: Cell, change: Change) -> float:
    """The least attention to ans,0 at step 1."""
    return float(look(cell, change, 1).query.min())


def last_gap(cell: Cell, change: Change) -> float:
    found = look(cell, change)
    return float(np.abs(found.right - found.query)[-1])


def epsilon(cell: Cell, change: Change) -> float:
    found = look(cell, change)
    return float((found.other + found.first)[-1])


def diagonal(cell: Cell, change: Change) -> float:
    return float(change(cell.scores[cell.first(CONSTANT) :])[-1, [0, 2]].min())


def loss(cell: Cell, change: Change) -> float:
    """Sum of both steps' loss at the last record, beside the floor or not: -log p, with all its digits."""
    last = change(cell.scores[cell.first(CONSTANT) :])[-1:]
    steps = (replace(cell.step(number), scores=last) for number in (1, 2))
    return float(sum(-np.log1p(-one.but(one.right)).mean() for one in steps))


def exponent(reading: Callable[[Cell, Change], float], *, of_log: bool = True) -> Callable[[Runs, Change], Seeds]:
    """In d, at each C_B: of a reading, or of e to the reading."""

    def found(runs: Runs, change: Change) -> Seeds:
        values = np.asarray(read(runs, lambda cell: reading(cell, change)).values)
        values = values if of_log else np.exp(values)
        d = np.array(course.vocabularies(runs), float)
        return Seeds(np.array([[log_slope(d, one) for one in seed] for seed in values]))

    return found


def plain(reading: Callable[[Cell, Change], float]) -> Callable[[Runs, Change], Seeds]:
    return lambda runs, change: read(runs, lambda cell: reading(cell, change))


def part(reading: Callable[[Runs, Change], Seeds], rule: Rule, wrong: Change, powers: bool = False) -> Part:
    along = {"C_B": course.constants} if powers else AXES
    return Part(lambda found: found(reading), rule, wrong=lambda runs: lambda r: r(runs, wrong), along=along)


CONVERGENCE = Claim(
    id="convergence",
    locus="Section 6.2.1, stage 2.3; Induction D.3, Lemmas D.34, D.43, D.44 and D.45",
    uses=("balance", "convergence-gap-sign", "time-law"),
    statement=r"From the end of stage 2.2 until $\varepsilon^{2,2}$ is down to $\tilde\Omega(\sigma_0)$ the attention "
    r"to the predicate is never above $0.5 + \tilde c$ with $2 \tilde c C_B < 1$, that to the answer $\Omega(1)$; at "
    r"the end $\varepsilon^{2,2} = O(d^{-c^*})$, the gap is $o(1)$, both diagonals are $\Omega(\log d)$ and the loss "
    r"is $1/\mathrm{poly}(d)$. Judged at every record up to $T_2 = d^{C_B - 1 + 1/4}$; powers over three $d$ at each "
    r"$C_B$. Control: $Q_{4,4}$ held at 0 for the attention, the beginning of stage 2.3 for the powers.",
    protocol=OURS,
    subject=lambda runs: lambda reading: reading(runs, as_it_is),
    wrong=lambda runs: lambda reading: reading(runs, third_alone),
    parts={
        "D.44, 2 C_B times what exceeds a half": part(
            plain(above_half), at_most(1.0, over_seeds=True, paper="stage 2.3"), third_alone
        ),
        "D.34, attention to the answer at step 1": part(
            plain(to_the_answer), at_least(ENOUGH, over_seeds=True), third_alone
        ),
        "D.45, ε at the end, power of d": part(
            exponent(epsilon), at_most(-POWER, over_seeds=True), at_first, powers=True
        ),
        "D.45, gap at the end": part(plain(last_gap), at_most(SMALL_GAP, over_seeds=True), third_alone),
        "D.45, Q's diagonals over log d, slope": part(
            exponent(diagonal, of_log=False), at_least(POWER, over_seeds=True), at_first, powers=True
        ),
        "D.45, loss at the end, power of d": part(
            exponent(loss), at_most(ERROR, over_seeds=True), at_first, powers=True
        ),
    },
    needs=NEEDS,
    remark=lambda runs: course.left_out(runs),
)


def farthest(name: str, *, uniform: bool = False) -> Callable[[Cell], float]:
    """Of a reading from what Lemma D.36 says of it, in units of delta: the farthest sentence and moment.
    `uniform`: from what it says of uniform attention."""

    def reading(cell: Cell) -> float:
        number = 1 if "(1" in name else 2
        step = cell.step(number, cell.third_stage)
        attended = weights(0 * step.scores, number) if uniform else step.weights
        predicted = theory.read(*attended, number)[name]
        g1, g2, y0, y1 = step.sentences
        event = step.events()["E1" if number == 1 else "E2 bar"]
        acting, value, taken = (g1, y0, [y0]) if number == 1 else (g2, y1, [y0, y1])
        found = step.pre(acting, value)
        if "spurious" in name:
            rival = step.pre(g2, y0)
            found = found - rival if "less" in name else rival
        elif "other" in name:
            every = range(step.table.shape[1])
            free = [np.all([y != one for one in taken], axis=0) for y in every]
            off = [np.where(free[y], step.pre(acting, np.full_like(acting, y)), np.nan) for y in every]
            return far(np.stack(off), predicted, event, cell)
        return far(found[None], predicted, event, cell)

    return reading


def far(found: np.ndarray, predicted: np.ndarray, event: np.ndarray, cell: Cell) -> float:
    return float(np.nanmax(np.abs(found / cell.psi - predicted[None, :, None])[..., event]) / cell.delta)


IDENTITIES = (
    "(1a), right",
    "(1b), right less spurious",
    "(1c), other values",
    "(2a), right",
    "(2b), spurious",
    "(2b), right less spurious",
    "(2c), other values",
)

ACTIVATIONS = Claim(
    id="convergence-activations",
    locus="Lemma D.36",
    uses=("initial-activations",),
    statement=r"In stage 2.3 the attention alone says what neurons read: at step 1 on $\mathcal{E}_1$ the right answer "
    r"$(1 - 2 \mathrm{Attn}_{\mathrm{pred},2}) B$, which is $2 (\mathrm{Attn}_{\mathrm{pred},1} - "
    r"\mathrm{Attn}_{\mathrm{pred},2}) B$ more than the spurious one; at step 2 on $\tilde{\mathcal{E}}_2$ the right "
    r"one $(1 - 2 \varepsilon^{2,2}) B$ and the spurious one $\Delta^{2,2} B$; any other value of the right action "
    r"$(2 \mathrm{Attn}_{\mathrm{pred},\ell} - 1) B$; all up to $O(\delta)$. Judged: the largest error over "
    r"sentences and moments, in units of the $\delta$ of Lemma D.3, which is measured. Control: the same said of "
    "uniform attention.",
    protocol=OURS,
    subject=lambda runs: lambda name: read(runs, farthest(name)),
    wrong=lambda runs: lambda name: read(runs, farthest(name, uniform=True)),
    parts={
        f"D.36 {name}": Part(
            lambda found, n=f"D.36 {name}": found(n), at_most(EXACT, over_seeds=True, paper="stage 2.3"), along=AXES
        )
        for name in IDENTITIES
    },
    needs=NEEDS,
    remark="Our text of (1a) is garbled; at step 1 the attention elsewhere is that to the other predicate.",
)


def turned(cell: Cell, change: Change) -> float:
    """The largest eps^{2,2} at which the gap of step 1 or 2 is negative; 0 if it never is."""
    negative = np.any([w.right < w.query for w in (look(cell, change, step) for step in (1, 2))], axis=0)
    found = look(cell, change)
    return float(np.max((found.other + found.first) * negative))


def of_each(runs: Runs, reading: Callable[[Cell], float]) -> np.ndarray:
    """[seed, C_B, d], every seed by itself: what is said of the training is said of each."""
    return np.asarray(read(runs, reading).values)


GAP = Claim(
    id="convergence-gap-sign",
    locus="Induction D.3 (b), Lemma D.42",
    uses=("convergence-activations",),
    statement=r"From the end of stage 2.2 as long as $\varepsilon^{2,2} > \tilde\Omega(\sigma_0)$ the gap "
    r"$\Delta^{2,\ell} = \mathrm{Attn}_{\mathrm{ans},\ell-1 \to \mathrm{pred},\ell} - \mathrm{Attn}_{\mathrm{ans},"
    r"\ell-1 \to \mathrm{ans},\ell-1} \ge 0$ at both steps. Judged: the largest $\varepsilon^{2,2}$ at which it is "
    r"negative, in every seed, against $\sigma_0 \log d$. Control: the two blocks exchanged.",
    protocol=OURS,
    subject=lambda runs: of_each(runs, lambda cell: turned(cell, as_it_is)),
    wrong=lambda runs: of_each(runs, lambda cell: turned(cell, exchanged)),
    parts=Part(
        lambda found: found,
        at_most(lambda runs: of_each(runs, lambda cell: cell.config.model_config().sigma * cell.log_d)),
        corrected=lambda runs: of_each(runs, lambda cell: cell.delta),
        along={"seed": lambda runs: range(len(course.cells(runs)))} | AXES,
    ),
    correction=Correction(
        severity="step of a proof",
        printed=r"Delta^{2,l} >= 0 for all t with eps^{2,2} > \tilde Omega(sigma_0)",
        corrected=r"Delta^{2,l} >= 0 for all t with eps^{2,2} > Omega(delta), the delta of Lemma D.3",
        reason="The proof compares (1 - logit) times the pre-activations' distances of g_2 and y_1, which are 2 eps B "
        "plus or minus delta. Once eps B is below delta the sign of V(g) - V(y) decides, and with some seeds Q_44 "
        "ends above Q_43.",
        survives="The size of the gap at the end, D.45, and Theorem 4.1: they need it to be small, not positive.",
        source="a scan of the appendix; the hypothesis of Induction D.3 is partly garbled",
        latex=r"Given $\epsilon \ge \Omega(\delta)$ with $|V_{j,r_{g,y}}(g)-V_{j,r_{g,y}}(y)|\le O(\delta)$",
    ),
    needs=NEEDS,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=10.8, height=3.6)
    rows: list[dict[str, Any]] = []
    members = [cell for row in course.cells(runs)[0] for cell in row]
    for cell, colour in zip(members, CYCLE, strict=False):
        found = look(cell, as_it_is)
        times, label = cell.times[cell.first(CONSTANT) :], f"d = {cell.d}, C_B = {cell.config.clip:g}"
        elsewhere, gap = found.other + found.first, found.right - found.query
        band(axes[0], times, elsewhere[None], label, color=colour)
        band(axes[1], times, gap[None], label, color=colour)
        about = {"C_B": cell.config.clip, "d": cell.d}
        table = zip(times.tolist(), elsewhere.tolist(), gap.tolist(), strict=True)
        rows += [about | dict(zip(("time", "epsilon", "gap"), one, strict=True)) for one in table]
    for ax, words in zip(axes, ("ε on T²", "gap on T²"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel="time of the flow", ylabel=words)
    legend_beside(axes[0])
    letter(axes)
    return Artefact(figure, columns(rows), "Stage 2.3, one seed: (a) equation (19), (b) equation (20).")


EXPERIMENT = Experiment(
    title="How attention converges", runs=course.courses, claims=(CONVERGENCE, GAP, ACTIVATIONS), draw=draw
)
