"""Section 6.2.1 and appendices D.3 and D.4: how the two trained blocks of Q grow together, the third leading."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, Seeds, at_least, at_most, near
from lemmata.papers.lego.claims import _course as course
from lemmata.papers.lego.claims._course import AXES, CONSTANT, NEEDS, OURS, TAKEN_OVER, Cell, read
from lemmata.report.plots import COLOURS, band, columns, legend, letter, new_figure

# What Omega, O and Theta come to here: the paper prints no constants.
TAKES_OVER = (0.5, 0.3)  # of 1/log d: where step 2 takes over, and how far from it that may be
OWN = 0.5  # of Q_43: its lead before that
LEAD, LARGEST = 0.2, 1.0  # of 1/log d at least, of 1 at most
SPEED, ALIKE, SLOWEST = 0.5, 0.5, 2.0
OFF = 1.25


def stages_2_1_and_2_2(cell: Cell) -> tuple[np.ndarray, int, int]:
    """Slopes of both diagonals in units of log d, from Q = 0 to the end of stage 2.2: [record, 2]; the record at which
    step 2 has taken over; and that end."""
    last = cell.first(CONSTANT)
    steps = (2,) if cell.config.loss == "second" else (1, 2)
    found = cell.slopes(slice(0, last + 1), steps=steps)[:, [0, 2]] / cell.log_d
    return found, int(np.argmax(found[:, 1] >= TAKEN_OVER * found[:, 0])), last


def lead(cell: Cell) -> np.ndarray:
    return cell.scores[:, 0] - cell.scores[:, 2]


def takes_over(cell: Cell) -> float:
    return float(cell.scores[stages_2_1_and_2_2(cell)[1], 0] * cell.log_d)


def own_lead(cell: Cell) -> float:
    """The least share of Q_43 by which it leads before step 2 has taken over."""
    until = max(stages_2_1_and_2_2(cell)[1], 2)
    return float((lead(cell)[1:until] / cell.scores[1:until, 0]).min())


def kept_lead(cell: Cell) -> float:
    _, start, last = stages_2_1_and_2_2(cell)
    return float(lead(cell)[start : last + 1].min() * cell.log_d)


def largest_lead(cell: Cell) -> float:
    return float(np.abs(lead(cell)).max())


def as_if_alone(cell: Cell) -> float:
    """The largest lead, had Q_44 stayed where it was."""
    return float(cell.scores[:, 0].max())


def slowest(cell: Cell) -> float:
    return float(stages_2_1_and_2_2(cell)[0][:, 0].min())


def alike(cell: Cell) -> float:
    """Q_44's speed over Q_43's from Q_43 = 1/log d to the end of stage 2.2, the least."""
    found, _, last = stages_2_1_and_2_2(cell)
    start = min(cell.first(1 / cell.log_d), last)
    return float((found[start:, 1] / found[start:, 0]).min())


def at_first(cell: Cell) -> float:
    found = cell.slopes(slice(0, 1))[0]
    return float(found[2] / found[0])


def off_diagonal(cell: Cell) -> float:
    """The largest entry off the diagonals, times |X| over Q_43's diagonal, until the end of stage 2.2."""
    until = slice(1, cell.first(CONSTANT) + 1)
    entries = np.abs(cell.scores[until][:, [1, 3]]).max(axis=1)
    return float((entries * cell.config.variables / cell.scores[until, 0]).max())


def first_stage(cell: Cell) -> float:
    """eta T_{2,1} log^2 d / |X|: the time until Q_43 = 1/log d, between two records on log axes."""
    after = cell.first(1 / cell.log_d)
    entry, time = np.maximum(cell.scores[after - 1 : after + 1, 0], 1e-12), cell.times[after - 1 : after + 1]
    share = np.log(1 / cell.log_d / entry[0]) / np.log(entry[1] / entry[0])
    return float(time[0] * (time[1] / time[0]) ** share * cell.log_d**2)


def part(reading: Callable[[Cell], float], rule: object, wrong: Callable[[Cell], float] | None = None) -> Part:
    own = (lambda runs: lambda _: read(runs, wrong)) if wrong else None
    return Part(lambda found: found(reading), rule, wrong=own, along=AXES)  # pyright: ignore[reportArgumentType]


def of_course(runs: Runs, group: str) -> Callable[[Callable[[Cell], float]], Seeds]:
    return lambda reading: read(runs, reading, group)


BALANCE = Claim(
    id="balance",
    locus="Section 6.2.1, stages 2.1 and 2.2; Inductions D.1 and D.2, Lemmas D.17 to D.21, D.28 to D.33",
    uses=("initial-slopes",),
    statement=r"In stage 2.1, until $Q_{4,3} = \Theta(1/\log d)$, the loss of step 1 drives $Q_{4,3}$ alone at the "
    r"rate $\Theta(\log d / d)$, in $T_{2,1} = O(d / (\eta \log^2 d))$, so that it leads by $\Omega(1/\log d)$; in "
    r"stage 2.2 step 2 takes over, both diagonals grow at comparable rates $\Theta(\log d / d)$ up to a constant, and "
    r"their difference stays between $\Omega(1/\log d)$ and $O(1)$. Judged for the worst moment, at three $d$ and two "
    rf"$C_B$; stage 2.2 ends at $Q_{{4,3}} = {CONSTANT:g}$. Control: $\mathrm{{Loss}}_5^{{2,2}}$ alone, without the "
    r"loss of step 1; where that does the same, $Q_{4,4}$ held at 0, or the slopes at $Q = 0$.",
    protocol=OURS,
    subject=lambda runs: of_course(runs, "course"),
    wrong=lambda runs: of_course(runs, "second"),
    parts={
        "D.19, Q43 where step 2 takes over, times log d": part(
            takes_over, near(TAKES_OVER[0], atol=TAKES_OVER[1], over_seeds=True)
        ),
        "D.18, the lead before that, of Q43": part(own_lead, at_least(OWN, over_seeds=True)),
        "D.31, the lead in stage 2.2, times log d": part(kept_lead, at_least(LEAD, over_seeds=True)),
        "D.2b, the largest lead at any time": part(largest_lead, at_most(LARGEST, over_seeds=True), as_if_alone),
        "D.28, slowest Q43 over log d": part(slowest, at_least(SPEED, over_seeds=True)),
        "D.29, Q44's speed over Q43's in stage 2.2": part(alike, at_least(ALIKE, over_seeds=True), at_first),
        "D.21, the time of stage 2.1 times log² d": part(first_stage, at_most(SLOWEST, over_seeds=True)),
    },
    needs=NEEDS,
    remark=lambda runs: (
        rf"{course.left_out(runs)} The paper ends stage 2.2 at $Q_{{4,3}} = 0.0001$, which is below $1/\log d$, where "
        r"stage 2.1 ends, unless $d \ge e^{10000}$; we take a constant above it."
    ),
)

OFF_DIAGONAL = Claim(
    id="balance-off-diagonal",
    locus="Lemmas D.20, D.32 and D.41",
    uses=("initial-slopes",),
    statement=r"All other entries of $Q_{4,3}$ and $Q_{4,4}$ move at $O(1/d)$ of the diagonals' rate, and stay "
    r"$O([Q_{4,p}]_{s,s}/d)$. Judged: the largest of them until the end of stage 2.2, times $|\mathcal{X}|$ over "
    r"$Q_{4,3}$'s diagonal. Control: the diagonals in their place.",
    protocol=OURS,
    subject=lambda runs: read(runs, off_diagonal),
    wrong=lambda runs: read(runs, lambda cell: float(cell.config.variables)),
    parts=Part(lambda found: found, at_most(OFF, over_seeds=True, paper="stages 2.1 and 2.2"), along=AXES),
    needs=NEEDS,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6)
    rows = []
    for ax, place in zip(axes, range(len(course.constants(runs))), strict=False):
        some = [seed[place][0] for seed in course.cells(runs)]
        third, fourth = (np.array([cell.scores[:, k] for cell in some]) for k in (0, 2))
        times = some[0].times
        band(ax, times[1:], third[:, 1:], "Q₄₃", color=COLOURS["blue"])
        band(ax, times[1:], fourth[:, 1:], "Q₄₄", color=COLOURS["vermillion"])
        band(ax, times[1:], (third - fourth)[:, 1:], "difference", color="#555555", linestyle="--")
        title = f"d = {some[0].d}, C_B = {some[0].config.clip:g}"
        ax.set(xscale="log", xlabel="time of the flow", ylabel="the diagonal's entry", title=title)
        legend(ax, fontsize=7)
        for seed, cell in enumerate(some):
            about = {"C_B": cell.config.clip, "d": cell.d, "seed": seed}
            rows += [
                about | {"time": float(t), "Q43": float(s[0]), "Q44": float(s[2])}
                for t, s in zip(cell.times, cell.scores, strict=True)
            ]
    letter(axes)
    return Artefact(figure, columns(rows), "Diagonals of the two trained blocks of Q by Algorithm 1.")


EXPERIMENT = Experiment(
    title="The diagonals of Q grow in balance",
    runs=lambda scale: {**course.courses(scale), **course.second_alone(scale)},
    claims=(BALANCE, OFF_DIAGONAL),
    draw=draw,
)
