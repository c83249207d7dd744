"""Stage 2 from the warm-up's saddle: where it ends at every temperature, and what the size of the push costs."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._temperature import below_log_two, with_global_optimum
from lemmata.papers.ic_recall.run.escape_times import EscapeTimes
from lemmata.papers.ic_recall.theory.pairwise_line import critical_points
from lemmata.papers.ic_recall.theory.saddle import curvature
from lemmata.report import plots

DELTAS = (0.2, 0.1, 0.05, 0.02)  # the failure probabilities that are read
FACTORS = (1.0, 1e-2, 1e-4)  # of Algorithm 1's radius


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    many = EscapeTimes(seeds=sizes.seeds(sizes.DELTA_SEEDS, scale), steps=250)
    pushes = replace(many, temperatures=(0.02, 0.03, 0.04), factors=FACTORS, steps=400)
    pushes = replace(pushes, seeds=sizes.seeds(sizes.PUSH_SEEDS, scale))
    ends = EscapeTimes(
        temperatures=sizes.END_TEMPERATURES.at(scale), seeds=pushes.seeds, steps=sizes.END_STEPS.at(scale)
    )
    slower = {"learning_rate": many.learning_rate / 2}
    return {
        "many pushes": many,
        "many pushes, half the rate": replace(many, seeds=many.seeds[:400], steps=500, **slower),
        "small pushes": pushes,
        "small pushes, half the rate": replace(pushes, steps=800, **slower),
        "to the end": ends,
    }


class Escapes(NamedTuple):
    run: core.RunResult

    def per_delta(self) -> np.ndarray:
        """Steps that 1 - delta of the seeds need, against log(1/delta): the slope, temperature by temperature."""
        return np.array([np.polyfit(np.log(1 / np.array(DELTAS)), self.quantiles(t), 1)[0] for t in self._temperatures])

    def quantiles(self, temperature: float) -> np.ndarray:
        steps = self.run.column("escape_steps", temperature=temperature)
        return np.quantile(np.nan_to_num(steps, nan=np.inf), 1 - np.array(DELTAS))

    def per_radius(self) -> np.ndarray:
        """Median steps against log(1/radius): the slope, temperature by temperature."""
        factors = sorted(self.run.config.factors, reverse=True)
        return np.array([np.polyfit(-np.log(factors), self.medians(t), 1)[0] for t in self._temperatures])

    def medians(self, temperature: float) -> np.ndarray:
        factors = sorted(self.run.config.factors, reverse=True)
        return np.array(
            [np.median(self.run.column("escape_steps", temperature=temperature, factor=f)) for f in factors]
        )

    @property
    def _temperatures(self) -> tuple[float, ...]:
        return self.run.config.temperatures


def _steps_an_e_fold(run: core.RunResult) -> np.ndarray:
    """What the saddle's curvature says."""
    return np.array([1 / run.config.growth(float(curvature(t)), t) for t in run.config.temperatures])


def _by_temperature(name: str) -> dict[str, object]:
    return {"T": lambda runs: runs[name].config.temperatures}


def _best_pairs(runs: core.Runs) -> np.ndarray:
    run = runs["to the end"].config
    return np.repeat([critical_points(t).minimum for t in run.temperatures], len(run.seeds))


def _other_temperatures(run: core.RunResult) -> np.ndarray:
    """The same ends, the highest temperature first."""
    return run.metrics["smaller_pair"].reshape(len(run.config.temperatures), -1)[::-1].ravel()


CLAIMS = (
    core.Claim(
        id="stage-2-end",
        locus="Theorem 4.2 and Theorem B.3, Stage 2",
        statement=r"With three subjects and $T < T_0$, Stage 2 of Algorithm 1 from where an infinite Stage 1 ends, "
        r"$v = (\frac14, \frac14, \frac14, \frac14, 0, 0)$, perturbed, converges to the global optimum $v^* = (a, a, "
        r"\frac12 - a, \frac12 - a, 0, 0)$. Judged from $T = 0.01$ to where that point stops being the global optimum.",
        needs={"to the end": with_global_optimum()},
        subject=lambda runs: runs["to the end"].metrics["smaller_pair"],
        wrong=lambda runs: _other_temperatures(runs["to the end"]),
        parts=core.Part(
            np.asarray,
            core.near(_best_pairs, atol=2e-5),
            along={"replica": lambda runs: core.rows_of(runs["to the end"], T="temperature", seed="seed")},
        ),
        remark="Every seed. The corrected line foretells $a$. The control takes the ends in the order of falling "
        "temperature.",
    ),
    core.Claim(
        id="stage-2-delta",
        locus="Appendix B, Lemma B.5",
        statement=r"With three subjects and $T < T_{\max}(\delta)$, with probability at least $1 - \delta$ the loss is "
        r"below $\log 2$ after the perturbation and $O(\text{poly}(\frac1T)\log\frac1\delta)$ steps. Judged as a law "
        r"of $\delta$, at one radius: the steps that $1 - \delta$ of the pushes need grow by $1/\log(1 + "
        r"\eta_2|\lambda|)$ for each e-fold of $\frac1\delta$, $\lambda$ the least eigenvalue at the saddle.",
        protocol=core.Protocol(ours="the law of delta", why="the lemma has an order alone"),
        needs={"many pushes": below_log_two()},
        subject=lambda runs: Escapes(runs["many pushes"]),
        wrong=lambda runs: Escapes(runs["many pushes, half the rate"]),
        parts=core.Part(
            Escapes.per_delta,
            core.near(lambda runs: _steps_an_e_fold(runs["many pushes"]), rtol=0.2),
            along=_by_temperature("many pushes"),
        ),
        remark=r"A push needs longer the smaller its part along $\tilde\epsilon$. That is below a small bound with a "
        r"probability proportional to the bound: hence $\log\frac1\delta$. The control has half the rate.",
    ),
    core.Claim(
        id="stage-2-radius",
        locus="Algorithm 1 against Lemma B.6: the radius of the perturbation",
        statement=r"Lemma B.6 asks for a radius with $\log^{-2}\frac{d\alpha}{\delta\gamma}$; Algorithm 1's has "
        r"$\log^{-2}\frac1\delta$. With three subjects a smaller radius costs steps alone: $1/\log(1 + "
        r"\eta_2|\lambda|)$ for each e-fold.",
        protocol=core.Protocol(ours="the radii", why="the algorithm has an order alone"),
        needs={"small pushes": below_log_two()},
        subject=lambda runs: Escapes(runs["small pushes"]),
        wrong=lambda runs: Escapes(runs["small pushes, half the rate"]),
        parts=core.Part(
            Escapes.per_radius,
            core.near(lambda runs: _steps_an_e_fold(runs["small pushes"]), rtol=0.03),
            along=_by_temperature("small pushes"),
        ),
        remark=r"So the two radii differ by a term of order $\log\log\frac1T$ in the steps. The control has half the "
        "rate.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, (left, middle, right) = plots.new_figure(1, 3)
    many, small, ends = Escapes(runs["many pushes"]), Escapes(runs["small pushes"]), runs["to the end"]
    for name, colour in (("many pushes", plots.CYCLE[0]), ("many pushes, half the rate", plots.GREY)):
        found = Escapes(runs[name])
        left.plot(
            1 / np.array(DELTAS), found.quantiles(many.run.config.temperatures[0]), "o-", color=colour, label=name
        )
    left.set(xscale="log", xlabel="1/δ", ylabel="steps that 1 − δ of the pushes need")
    for colour, t in zip(plots.CYCLE, small.run.config.temperatures, strict=False):
        middle.plot(sorted(FACTORS, reverse=True), small.medians(t), "o-", color=colour, label=f"T = {t:g}")
    middle.set(xscale="log", xlabel="radius over Algorithm 1's", ylabel="median steps to log 2")
    t = ends.config.temperatures
    right.plot(t, [critical_points(x).minimum for x in t], "-", color=plots.CYCLE[1], label="predicted")
    right.plot(ends.metrics["temperature"], ends.metrics["smaller_pair"], ".", color=plots.GREY, label="trained")
    right.set(xlabel="temperature T", ylabel="attention on a token of the lighter pair")
    for ax in (left, middle, right):
        plots.legend(ax)
    caption = (
        f"Stage 2 from the exact saddle, three subjects, eta = {many.run.config.learning_rate:g} T². Left: "
        f"{len(many.run.config.seeds)} pushes at T = {many.run.config.temperatures[0]:g}. Middle: the same pushes, "
        "smaller. Right: where it ends."
    )
    return core.Artefact(figure, dict(ends.metrics), caption)


EXPERIMENT = core.Experiment(
    title="Stage 2 from the saddle: every temperature, every δ, every radius", runs=_runs, claims=CLAIMS, draw=draw
)
