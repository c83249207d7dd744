"""The saddle of Lemma B.4: a direction along which the loss falls and one along which it rises."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, exactly
from lemmata.papers.ic_recall.claims._algebra import saddle_algebra
from lemmata.report import plots


def _bends(run: RunResult, falling: str, rising: str) -> tuple[float, float]:
    return float(np.sign(run.metrics[falling]).max()), float(np.sign(run.metrics[rising]).min())


def draw(runs: Runs) -> Artefact:
    metrics = runs["main"].metrics
    t = metrics["temperature"]
    figure, ax = plots.new_figure()
    for colour, (name, label) in zip(
        plots.CYCLE,
        {
            "curvature": "saddle, (1, 1, −1, −1, 0, 0)",
            "ascending": "saddle, (1, −1, −1, 1, 0, 0)",
            "tilted_curvature": "(1/6, 1/6, 1/3, 1/3, 0, 0), first direction",
        }.items(),
        strict=False,
    ):
        ax.plot(t, t * metrics[name], color=colour, label=label)
    plots.ceiling(ax, 0.0)
    ax.set(xscale="log", xlabel="temperature T", ylabel="T × curvature")
    plots.legend_below(ax)
    caption = "T times the second derivative of the warm-up's loss, by autodiff (float64); no seeds."
    return Artefact(figure, dict(metrics), caption)


EXPERIMENT = Experiment(
    title="The saddle of Lemma B.4 falls one way and rises another",
    runs=saddle_algebra,
    claims=(
        Claim(
            id="lemma-b.4-saddle",
            locus="Appendix B, proof of Lemma B.4",
            statement=r"With three subjects $\tilde v = (\frac14, \frac14, \frac14, \frac14, 0, 0)$ is a saddle of "
            r"$L_1$: $(1, 1, -1, -1, 0, 0)/2$ is a descending and $(1, -1, -1, 1, 0, 0)/2$ an ascending direction.",
            subject=lambda runs: _bends(runs["main"], "curvature", "ascending"),
            wrong=lambda runs: _bends(runs["main"], "tilted_curvature", "tilted_ascending"),
            parts=Part(tuple, exactly((-1.0, 1.0)), along={"direction": ("falling", "rising")}),
            remark=lambda runs: (
                f"At every temperature from {runs['main'].config.lowest:g} to {runs['main'].config.highest:g}, not "
                r"only at low ones. The control is $(\frac16, \frac16, \frac13, \frac13, 0, 0)$, the low-temperature "
                "optimum."
            ),
        ),
    ),
    draw=draw,
)
