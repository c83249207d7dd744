"""Proposition B.2, and Proposition E.1, which restates and proves it: how sharply the warm-up's loss bends."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most, slope_near
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._formula import backwards
from lemmata.papers.ic_recall.run.landscape import Smoothness
from lemmata.papers.ic_recall.run.worst_cases import TwoLogits
from lemmata.papers.ic_recall.theory import smoothness
from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.report import plots


def _constants(run: RunResult, of_gradient: str, of_hessian: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Lipschitz constants over temperatures: the largest second and third derivatives."""
    t = run.metrics["temperature"]
    return {"gradient": (t, run.metrics[of_gradient]), "Hessian": (t, run.metrics[of_hessian])}


def _bounds(runs: Runs) -> np.ndarray:
    """Proposition E.1's bounds on second and on third derivatives, at each temperature."""
    constants, t = smoothness.logit_constants(), runs["main"].metrics["temperature"]
    return np.array([smoothness.second_bound(*constants, t), smoothness.third_bound(*constants, t)])


def _of_two(runs: Runs, bound: Callable[[float, float, Real], Real]) -> Real:
    config = runs["two logits"].config
    return bound(config.slope, config.bend, runs["two logits"].metrics["temperature"])


ANY = "every T > 0 and all logits with these G and H"


def _scaling_remark(runs: Runs) -> str:
    scaled = runs["main"].metrics["hessian"] * runs["main"].metrics["temperature"] ** 2
    return (
        "Largest norms over a sample of attention vectors, half of them where $l(r_1)$ and $l(r_2)$ are within a few "
        f"$T$: lower bounds on the constants. The gradient's is about {np.median(scaled):.2f} / $T^2$. The control "
        "takes each constant for the other."
    )


TWO_BY_T = {"T": lambda runs: runs["two logits"].metrics["temperature"]}
BY_T = {"T": lambda runs: runs["main"].metrics["temperature"]}

CLAIMS = (
    Claim(
        id="prop-b.2",
        locus="Appendix B, Proposition B.2",
        statement=r"With three subjects $L_1(\theta; T)$ has gradient Lipschitz constant $\Theta(1/T^2)$ and Hessian "
        r"Lipschitz constant $\Theta(1/T^3)$. Judged: the powers of $T$ in the largest norms over a sample of "
        r"$\theta$.",
        subject=lambda runs: _constants(runs["main"], "hessian", "third"),
        wrong=lambda runs: _constants(runs["main"], "third", "hessian"),
        parts={
            "gradient": Part(lambda constants: constants["gradient"], slope_near(-2.0, 0.2)),
            "Hessian": Part(lambda constants: constants["Hessian"], slope_near(-3.0, 0.2)),
        },
        remark=_scaling_remark,
    ),
    Claim(
        id="prop-e.1",
        locus="Appendix E, proof of Proposition E.1",
        statement=r"Let $\|\nabla_v l_j\| \le G$ and $\|\nabla_v^2 l_j\| \le H$ on the simplex for every logit. Then "
        r"second derivatives of $\ell_1(v, Z, T)$ along unit vectors are at most $\frac{2H}{T} + \frac{2G^2}{T^2}$ and "
        r"third ones at most $\frac{6HG}{T^2} + \frac{8G^3}{T^3}$. Judged with $G = 2\sqrt 2$ and $H = 4$, with three "
        "subjects and for two logits that bend and part as fast as they may.",
        subject=lambda runs: {"main": runs["main"], "two": runs["two logits"]},
        wrong=lambda runs: {"main": backwards(runs["main"]), "two": backwards(runs["two logits"])},
        parts={
            "second derivative": Part(
                lambda found: found["main"].metrics["hessian_v"], at_most(lambda runs: _bounds(runs)[0]), along=BY_T
            ),
            "third derivative": Part(
                lambda found: found["main"].metrics["third_v"], at_most(lambda runs: _bounds(runs)[1]), along=BY_T
            ),
            "second derivative, two logits": Part(
                lambda found: found["two"].metrics["second"],
                at_most(lambda runs: _of_two(runs, smoothness.second_bound), paper=ANY),
                along=TWO_BY_T,
            ),
            "third derivative, two logits": Part(
                lambda found: found["two"].metrics["third"],
                at_most(lambda runs: _of_two(runs, smoothness.third_bound), paper=ANY),
                along=TWO_BY_T,
            ),
        },
        remark="Three subjects are far inside the bounds at every temperature: no two of their logits part that fast. "
        r"For two logits the terms in $H$ of the second derivative are reached as $T$ grows, while $2G^2/T^2$ and "
        r"$8G^3/T^3$ are larger than is needed. The control reads the derivatives at other temperatures, the lowest "
        "where the highest belongs.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    metrics = runs["main"].metrics
    t = metrics["temperature"]
    figure, axes = plots.new_figure(1, 2)
    for ax, power, name, bound in zip(axes, (2, 3), ("hessian", "third"), _bounds(runs), strict=True):
        ax.plot(t, metrics[name] * t**power, "o-", color=plots.CYCLE[0], label="measured, in theta")
        ax.plot(t, metrics[f"{name}_v"] * t**power, "o-", color=plots.CYCLE[1], label="measured, in v")
        ax.plot(t, bound * t**power, "--", color=plots.GREY, label="Proposition E.1's bound, in v")
        ax.set(xscale="log", yscale="log", xlabel="temperature T", ylabel=f"T^{power} × largest norm")
        plots.legend_below(ax)
    axes[0].set_title("second derivatives: flat means 1/T²")
    axes[1].set_title("third derivatives: flat means 1/T³")
    caption = (
        f"Largest norms of second and third derivatives of L_1 over {runs['main'].config.points} attention vectors "
        "(autodiff, float64), scaled by the power of T that Proposition B.2 gives. Third derivatives are taken along "
        "the sharpest direction of the Hessian."
    )
    bounds = dict(zip(("bound second derivative", "bound third derivative"), _bounds(runs), strict=True))
    return Artefact(figure, {**metrics, **bounds}, caption)


EXPERIMENT = Experiment(
    title="How sharply the loss bends as the temperature falls",
    runs=lambda scale: {"main": Smoothness(points=sizes.SMOOTHNESS_POINTS.at(scale)), "two logits": TwoLogits()},
    claims=CLAIMS,
    draw=_draw,
)
