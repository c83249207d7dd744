"""Equation (23): the signs of the first gradient of W_V."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, OutsideSetting, Part, RunResult, Runs, near
from lemmata.papers.association.claims._first_gradients import ROW_NAMES, asymptotic, exact_run
from lemmata.papers.association.theory.one_step import TABLE_3
from lemmata.report.plots import DIVERGING, heatmap, new_figure

LARGEST_ALPHA = 1.5 - 5**0.5 / 2  # Assumption F.1


def sign_table(run: RunResult, alphas: list[float]) -> np.ndarray:
    """Of -∇W_V at each row of Table 3, [alpha, row]."""
    return -np.sign([run.column("mean", alpha=alpha) for alpha in alphas]).astype(int)


def admitted(runs: Runs, within: bool) -> list[float]:
    alphas = runs["exact"].config.alphas
    found = [alpha for alpha in alphas if (alpha <= LARGEST_ALPHA) == within]
    if not found:
        raise OutsideSetting(f"α = {alphas}: none is {'up to' if within else 'above'} {LARGEST_ALPHA:.3f}")
    return found


def printed_signs() -> np.ndarray:
    """Positive for j = N+1, for j = k and for (q, N+1)."""
    positive = {("trigger", "noise"), ("trigger", "trigger"), ("token", "same")}
    return np.array([1 if e.output == "noise" or (e.output, e.input) in positive else -1 for e in TABLE_3])


def draw(runs: Runs) -> Artefact:
    alphas = list(runs["exact"].config.alphas)
    signs = sign_table(runs["exact"], alphas)
    figure, ax = new_figure(width=7.0, height=1.2 + 0.5 * len(alphas))
    heatmap(ax, signs, ROW_NAMES, [f"α = {alpha:g}" for alpha in alphas], "+.0f", cmap=DIVERGING, vmin=-2, vmax=2)
    ax.tick_params(axis="x", labelrotation=30)
    config = runs["exact"].config
    caption = (
        f"Signs of -∇W_V at zero weights by row of Table 3, by the exact chain at N = {config.num_tokens:g}; "
        f"Assumption F.1 admits α up to {LARGEST_ALPHA:.3f}."
    )
    return Artefact(figure, {"row": ROW_NAMES} | {f"α = {a:g}": s for a, s in zip(alphas, signs, strict=True)}, caption)


EXPERIMENT = Experiment(
    title="The signs of the first gradient of W_V",
    runs=exact_run,
    claims=(
        Claim(
            id="eq-23",
            locus="Appendix F, equations (22) and (23)",
            uses=("table-3",),
            statement=r"Under Assumption F.1, with $\alpha \le 1.5 - \sqrt{5}/2$, $W_U(j)^\top (-\nabla_{W_V} L) "
            "W_E(k)$ at zero weights is positive if $j = N+1$, or $j = k$, or $j = q$ and $k = N+1$, and negative "
            "otherwise.",
            needs={"exact": asymptotic},
            subject=lambda runs: sign_table(runs["exact"], admitted(runs, within=True)),
            wrong=lambda runs: sign_table(runs["exact"], admitted(runs, within=False)),  # α that F.1 leaves out
            parts=Part(
                lambda signs: signs,
                near(printed_signs()),
                along={"α": lambda runs: admitted(runs, within=True), "row": ROW_NAMES},
            ),
        ),
    ),
    draw=draw,
)
