"""Lemma E.2: gradient descent on a smooth function cannot go far in a few steps."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most, rows_of
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._low_temperature import replicas
from lemmata.papers.ic_recall.run.low_temperature import Movement
from lemmata.papers.ic_recall.run.worst_cases import Bowls
from lemmata.papers.ic_recall.theory.movement_bound import movement_bound
from lemmata.papers.ic_recall.theory.numbers import Real
from lemmata.report import plots


def _steps_of(runs: Runs, too_long: bool) -> RunResult:
    run = runs["movement"]
    return replicas(run, (run.metrics["factor"] > 1) == too_long, "with such steps")


def _bound(run: RunResult) -> Real:
    """At every step of every trajectory (inf f >= 0)."""
    m = run.metrics
    return movement_bound(m["step"], run.config.smoothness / m["temperature"] ** 2, m["first_loss"])


def _bowls(runs: Runs, too_long: bool) -> RunResult:
    run = runs["bowls"]
    return replicas(run, (run.metrics["factor"] > 1) == too_long, "with such steps")


def _bound_in_bowls(runs: Runs) -> Real:
    m = _bowls(runs, too_long=False).metrics
    return movement_bound(m["step"], m["smoothness"], m["first_loss"])


def _both(runs: Runs, too_long: bool) -> dict[str, RunResult]:
    return {"warm-up": _steps_of(runs, too_long), "bowls": _bowls(runs, too_long)}


def _moved(run: RunResult) -> np.ndarray:
    return run.metrics["moved"]


EVERY = "every smooth f, eta <= 1/l and t >= 1"


def draw(runs: Runs) -> Artefact:
    figure, ax = plots.new_figure()
    for too_long, label, colour in ((False, "steps of 1/l", plots.CYCLE[0]), (True, "longer steps", plots.CYCLE[1])):
        run = _steps_of(runs, too_long)
        ax.plot(run.metrics["step"], _moved(run) / _bound(run), ".", markersize=2, color=colour, label=label)
    plots.ceiling(ax, 1.0, "the lemma's bound")
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="distance from the start / bound")
    plots.legend(ax)
    caption = "Distance from the start over the lemma's bound on the warm-up's loss, every trajectory and step."
    return Artefact(figure, dict(runs["movement"].metrics), caption)


EXPERIMENT = Experiment(
    title="How far gradient descent goes in a few steps",
    runs=lambda scale: {"movement": Movement(steps=sizes.MOVEMENT_STEPS.at(scale)), "bowls": Bowls()},
    claims=(
        Claim(
            id="lemma-e.2",
            locus="Appendix E, Lemma E.2",
            statement=r"Let $f$ be $\ell$-gradient Lipschitz smooth, $f^* = \inf_x f(x)$ and $\eta \le 1/\ell$. Then "
            r"for any $t \ge 1$ gradient descent has $\|x_t - x_0\| \le \sqrt{2t(f(x_0) - f^*)/\ell}$. Judged on the "
            r"warm-up's loss with $\eta = 1/\ell$ and on bowls $\ell x^2/2$.",
            subject=lambda runs: _both(runs, too_long=False),
            wrong=lambda runs: _both(runs, too_long=True),
            parts={
                "warm-up": Part(
                    lambda found: _moved(found["warm-up"]),
                    at_most(lambda runs: _bound(_steps_of(runs, too_long=False)), paper=EVERY),
                    along={
                        "step": lambda runs: rows_of(
                            _steps_of(runs, too_long=False), T="temperature", factor="factor", step="step"
                        )
                    },
                ),
                "bowls": Part(
                    lambda found: _moved(found["bowls"]),
                    at_most(_bound_in_bowls, slack=1e-12, paper=EVERY),
                    along={
                        "step": lambda runs: rows_of(
                            _bowls(runs, too_long=False), l="smoothness", start="start", step="step"
                        )
                    },
                ),
            },
            remark=r"With $\ell$ measured and rounded up, from $\theta = 0$ and from random $\theta$, $f^* = 0$. In a "
            r"bowl the first step of $1/\ell$ goes exactly as far as the lemma allows. The control's steps are longer "
            r"than $1/\ell$, many times.",
        ),
    ),
    draw=draw,
)
