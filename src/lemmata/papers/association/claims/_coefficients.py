"""Appendix G's coefficients of the linear memory: their rates by autodiff, and a drawing of them."""

import numpy as np

from lemmata.core import Artefact, Runs, Scale
from lemmata.papers.association.run.memory import CoefficientRates
from lemmata.papers.association.theory import memory
from lemmata.report.plots import new_figure


def rates_run(scale: Scale) -> dict[str, CoefficientRates]:
    return {"rates": CoefficientRates()}


def predicted_rates(form):
    def predict(runs: Runs) -> np.ndarray:
        run = runs["rates"]
        pairs = zip(run.column("beta_1"), run.column("beta_2"), strict=True)
        return np.array([form(first, second, run.config.alpha) for first, second in pairs])

    return predict


def draw(runs: Runs) -> Artefact:
    run = runs["rates"]
    figure, ax = new_figure()
    for mark, (label, form) in zip(
        "x+", {"printed": memory.printed_coefficient_rates, "corrected": memory.coefficient_rates}.items(), strict=True
    ):
        for colour, (i, name) in zip(("C0", "C1"), enumerate(("rate_1", "rate_2")), strict=True):
            shown = f"β_{i + 1}, {label}"
            ax.plot(predicted_rates(form)(runs)[:, i], run.column(name), mark, color=colour, label=shown)
    ax.axline((0, 0), slope=1, color="grey", lw=0.8)
    ax.set(xlabel="rate by (42)", ylabel="rate by autodiff")
    ax.legend(fontsize=7)
    outside = f"the velocity outside of (41)'s matrices is at most {run.column('outside').max():.1g}"
    caption = f"At random β and α = {run.config.alpha:g}: {outside} for W of the form (41)."
    return Artefact(figure, dict(run.metrics), caption)
