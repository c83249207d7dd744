"""How sharply the warm-up's loss bends as the temperature falls (Propositions B.2 and E.1)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most, slope_near
from lemmata.papers.ic_recall.claims._formula import backwards
from lemmata.papers.ic_recall.run.landscape import Smoothness
from lemmata.papers.ic_recall.theory import smoothness
from lemmata.report import plots


class Lipschitz(NamedTuple):
    """The largest second and third derivatives over temperatures: constants of the gradient and of the Hessian."""

    temperature: np.ndarray
    of_gradient: np.ndarray
    of_hessian: np.ndarray


def _constants(run: RunResult, of_gradient: str, of_hessian: str) -> Lipschitz:
    return Lipschitz(*(run.metrics[name] for name in ("temperature", of_gradient, of_hessian)))


def _second_bound(runs: Runs) -> np.ndarray:
    _, largest = smoothness.logit_constants()
    return np.array([smoothness.hessian_bound(t) + largest / t for t in runs["main"].metrics["temperature"]])


def _third_bound(runs: Runs) -> np.ndarray:
    return np.array([smoothness.third_bound(t) for t in runs["main"].metrics["temperature"]])


def _scaling_remark(runs: Runs) -> str:
    found = _constants(runs["main"], "hessian", "third")
    scaled = found.of_gradient * found.temperature**2
    return (
        "Largest norms over a sample of attention vectors, half of them where l(r_1) and l(r_2) are within a few T: "
        f"lower bounds on the constants. The gradient's constant is about {np.median(scaled):.2f} / T^2. The control "
        "takes each constant for the other."
    )


CLAIMS = (
    Claim(
        id="prop-b.2",
        locus="Appendix B, Proposition B.2",
        statement="The gradient of L_1 in theta has Lipschitz constant of order 1/T^2, its Hessian of order 1/T^3.",
        subject=lambda runs: _constants(runs["main"], "hessian", "third"),
        wrong=lambda runs: _constants(runs["main"], "third", "hessian"),
        parts={
            "gradient": Part(lambda found: (found.temperature, found.of_gradient), slope_near(-2.0, 0.2)),
            "Hessian": Part(lambda found: (found.temperature, found.of_hessian), slope_near(-3.0, 0.2)),
        },
        remark=_scaling_remark,
    ),
    Claim(
        id="prop-e.1",
        locus="Appendix E, proof of Proposition E.1",
        statement="In v, second derivatives of the loss are at most 2H/T + 2G^2/T^2 and third ones at most 6HG/T^2 + "
        "8G^3/T^3, with G = 2 sqrt(2) and H = 4 bounding every logit's gradient and Hessian on the simplex.",
        subject=lambda runs: runs["main"],
        wrong=lambda runs: backwards(runs["main"]),
        parts={
            "second derivative": Part(lambda run: run.metrics["hessian_v"], at_most(_second_bound)),
            "third derivative": Part(lambda run: run.metrics["third_v"], at_most(_third_bound)),
        },
        remark="The control reads the derivatives at other temperatures, the lowest where the highest belongs.",
    ),
)


def _draw(runs: Runs) -> Artefact:
    metrics = runs["main"].metrics
    t = metrics["temperature"]
    bounds = {"second derivative": _second_bound(runs), "third derivative": _third_bound(runs)}
    figure, axes = plots.new_figure(1, 2)
    for ax, power, names, bound in zip(
        axes, (2, 3), (("hessian", "hessian_v"), ("third", "third_v")), bounds.values(), strict=True
    ):
        for name, label, colour in zip(names, ("in theta", "in v"), plots.CYCLE, strict=False):
            ax.plot(t, metrics[name] * t**power, "o-", color=colour, label=f"measured, {label}")
        ax.plot(t, bound * t**power, "--", color=plots.GREY, label="Proposition E.1's bound, in v")
        ax.set(xscale="log", yscale="log", xlabel="temperature T", ylabel=f"T^{power} × largest norm")
        plots.legend(ax)
    axes[0].set_title("second derivatives: flat means 1/T²")
    axes[1].set_title("third derivatives: flat means 1/T³")
    caption = (
        f"Largest norms of second and third derivatives of L_1 over {runs['main'].config.points} attention vectors "
        "(autodiff, float64), scaled by the power of T that Proposition B.2 gives. Third derivatives are taken along "
        "the sharpest direction of the Hessian."
    )
    return Artefact(figure, {**metrics, **{f"bound {name}": bound for name, bound in bounds.items()}}, caption)


EXPERIMENT = Experiment(
    title="How sharply the loss bends as the temperature falls",
    runs=lambda scale: {"main": Smoothness(points=scale.pick(smoke=600, laptop=3000, paper=40_000))},
    claims=CLAIMS,
    draw=_draw,
)
