"""Lemma B.6, restated from Jin et al. (2017): perturbed gradient descent near a strict saddle."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Successes, at_least
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.run.perturbed_descent import PerturbedDescent
from lemmata.report import plots


def _kept_promise(run: RunResult) -> Successes:
    """At each temperature, how many perturbed starts left the saddle as promised."""
    config = run.config
    counts = [(run.column("least_drop", temperature=t) >= config.promise(t).drop).sum() for t in config.temperatures]
    return Successes(np.array(counts), len(config.seeds))


def _over_promised(run: RunResult) -> np.ndarray:
    """At each temperature the drop that all but a share delta of the starts surpass, over the promised one."""
    config = run.config
    drops = [np.quantile(run.column("least_drop", temperature=t), config.delta) for t in config.temperatures]
    return np.array(drops) / [config.promise(t).drop for t in config.temperatures]


BY_T = {"T": lambda runs: runs["pushed/saddle"].config.temperatures}


def draw(runs: Runs) -> Artefact:
    figure, ax = plots.new_figure()
    for colour, (name, run) in zip(plots.CYCLE, runs.items(), strict=False):
        t = run.metrics["temperature"]
        promised = np.array([run.config.promise(float(x)).drop for x in t])
        ax.plot(
            t,
            np.maximum(run.metrics["least_drop"] / promised, 1e-3),
            ".",
            color=colour,
            label=f"from the {name.rpartition('/')[2]}",
        )
    plots.ceiling(ax, 1.0, "the lemma's drop")
    ax.set(xscale="log", yscale="log", xlabel="temperature T", ylabel="least drop of the loss / promised drop")
    plots.legend(ax)
    caption = (
        "Drop of the warm-up's loss after the lemma's number of steps, over the promised one, seed by seed (no drop is "
        "drawn at the lower edge)."
    )
    return Artefact(figure, plots.joined([dict(run.metrics) for run in runs.values()]), caption)


def _runs(scale: Scale) -> dict[str, PerturbedDescent]:
    seeds = sizes.seeds(sizes.PERTURBED_SEEDS, scale)
    return {f"pushed/{start}": PerturbedDescent(start=start, seeds=seeds) for start in ("saddle", "minimum")}


EXPERIMENT = Experiment(
    title="Perturbed gradient descent leaves a strict saddle as Lemma B.6 promises",
    runs=_runs,
    claims=(
        Claim(
            id="lemma-b.6",
            locus="Appendix B, Lemma B.6 (Lemma 14 of Jin et al., 2017)",
            statement=r"Let $f$ be $\alpha$-gradient and $\rho$-Hessian Lipschitz on $\mathbb{R}^d$, $\chi = "
            r"\log\frac{d\alpha}{\delta\gamma}$, $\eta \le c/\alpha$, $\lambda_{\min}(\nabla^2 f(\tilde x)) \le "
            r"-\gamma$ and $\|\nabla f(\tilde x)\| \le \sqrt{\eta\alpha}\frac{\gamma^2}{\rho}\chi^{-2}$. From a start "
            r"perturbed within radius $\sqrt{\eta\alpha}\frac{\gamma^2}{\rho\alpha}\chi^{-2}$, with probability at "
            r"least $1 - \delta$, $f(x_t) - f(\tilde x) \le -\eta\alpha\frac{\gamma^3}{\rho^2}\chi^{-3}$ for every $t "
            r"\ge \chi/(c\eta\gamma)$. Judged on the warm-up's loss at its saddle.",
            subject=lambda runs: runs["pushed/saddle"],
            wrong=lambda runs: runs["pushed/minimum"],
            parts={
                "share that escaped": Part(
                    _kept_promise,
                    at_least(lambda runs: 1 - runs["pushed/saddle"].config.delta, over_seeds=True),
                    along=BY_T,
                ),
                "drop over promised": Part(
                    _over_promised, at_least(1.0, paper="every strict saddle, delta and t"), along=BY_T
                ),
            },
            remark=lambda runs: (
                r"With the warm-up's own $\alpha$, $\rho$ and $\gamma$ and $c$ = "
                f"{runs['pushed/saddle'].config.constant:g}. The control starts at the minimum instead, where the "
                "lemma does not apply."
            ),
        ),
    ),
    draw=draw,
)
