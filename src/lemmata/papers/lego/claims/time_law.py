"""How long stage 2 takes (Lemma D.40): the rate at which Q_44 grows while attention converges."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, near
from lemmata.papers.lego.claims import _course as course
from lemmata.papers.lego.claims._course import AXES, NEEDS, OURS, Cell, read
from lemmata.papers.lego.probe.two_steps import weights
from lemmata.report.plots import CYCLE, columns, legend, new_figure

LEARNING = 1.5  # of (1 - 2 eps) C_B: below 1 the loss of step 2 has not begun to fall, and the bound is not tight
FACTOR = 0.5  # of C_B: how far the constant of the lemma's order may be from it, either way


def rates(cell: Cell, steps: tuple[int, ...] = (1, 2)) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In stage 2.3, where the lemma's bound is tight: eps^{2,2}, |X| times minus the gradient in Q_44's diagonal over
    log d, and that of the lemma without its constant."""
    records = cell.third_stage
    found = weights(cell.scores[records], 2)
    epsilon = found.other + found.first
    tight = (1 - 2 * epsilon) * cell.config.clip >= LEARNING
    slope = cell.slopes(records[tight], steps=steps)[:, 2] / cell.log_d
    printed = epsilon * np.exp((1 - (1 - 2 * epsilon) * cell.config.clip) * cell.log_d)
    return epsilon[tight], slope, printed[tight]


def extremes(cell: Cell, *, uniform: bool = False) -> np.ndarray:
    """The least and the largest constant, over C_B."""
    epsilon, slope, printed = rates(cell)
    if uniform:
        slope = np.full_like(epsilon, cell.slopes(slice(0, 1))[0, 2] / cell.log_d)
    found = slope / printed / cell.config.clip
    return np.array([found.min(), found.max()])


TIME_LAW = Claim(
    id="time-law",
    locus="Lemma D.40",
    uses=("converging-logits",),
    statement=r"While $\varepsilon^{2,2} > \varepsilon$ minus the gradient of $\sum_\ell \mathrm{Loss}_5^{2,\ell}$ "
    r"in the diagonal of $Q_{4,4}$ is at least $\Omega(\varepsilon \log d / d^{(1 - 2 \varepsilon) C_B})$. Judged "
    r"where it is tight, at $\varepsilon = \varepsilon^{2,2}$ once the loss of step 2 falls, "
    rf"$(1 - 2 \varepsilon) C_B \ge {LEARNING:g}$: the constant, the least and the largest over moments in units of "
    r"$C_B$, which is its leading order. Control: the slope at $Q = 0$.",
    protocol=OURS,
    subject=lambda runs: read(runs, extremes),
    wrong=lambda runs: read(runs, lambda cell: extremes(cell, uniform=True)),
    parts=Part(
        lambda found: found,
        near(1.0, atol=FACTOR, over_seeds=True),
        along=AXES | {"over moments": ("least", "largest")},
    ),
    needs=NEEDS,
    remark=r"So $\varepsilon^{2,2}$ falls to $d^{-c}$ in about $d^{C_B - 1 + c}$.",
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(width=4.8, height=3.6)
    rows = []
    members = [cell for row in course.cells(runs)[0] for cell in row]
    for cell, colour in zip(members, CYCLE, strict=False):
        epsilon, slope, printed = rates(cell)
        label = f"d = {cell.d}, C_B = {cell.config.clip:g}"
        ax.plot(epsilon, slope / printed / cell.config.clip, "-", color=colour, label=label)
        about = {"C_B": cell.config.clip, "d": cell.d}
        table = zip(epsilon.tolist(), slope.tolist(), printed.tolist(), strict=True)
        rows += [about | dict(zip(("epsilon", "slope", "printed"), one, strict=True)) for one in table]
    ax.set(xscale="log", xlabel="ε on T²", ylabel="the constant of Lemma D.40 over C_B", ylim=(0, None))
    legend(ax, fontsize=7)
    return Artefact(
        figure, columns(rows), "How fast the diagonal of Q₄₄ grows, over ε log d / d^((1 - 2ε) C_B); one seed."
    )


EXPERIMENT = Experiment(title="How long attention takes", runs=course.courses, claims=(TIME_LAW,), draw=draw)
