"""Lemma C.1 and eqs. (17) to (19) in larger worlds: three numbers of subjects, two shares of mismatched sequences."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims import _exact_first_step as exact
from lemmata.papers.ic_recall.run.exact_first_step import ExactFirstStep
from lemmata.papers.ic_recall.task import RandomSlopes
from lemmata.report import plots

WORLDS = tuple((n, share) for n in (31, 101, 251) for share in (0.2, 0.8))


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    temperatures, seeds = sizes.EXACT_TEMPERATURES.at(scale)[:4], sizes.seeds(sizes.WORLD_STEP_SEEDS, scale)
    return {
        f"world/{n}, {share:g}": ExactFirstStep(
            world=RandomSlopes(n=n, mismatched=share), temperatures=temperatures, seeds=seeds
        )
        for n, share in WORLDS
    }


def _p_mis(run: core.RunResult) -> float:
    """The share of mismatched sequences in the run's world."""
    share = run.arrays["kind_share"]
    return float(share[run.arrays["start_mismatched"][: len(share)]].sum())


def _points(run: core.RunResult) -> tuple[np.ndarray, np.ndarray]:
    """As T falls: eta_1 / T, and v seed by seed, as [temperature, seed, 6]."""
    falling = exact.falling(run.config.temperatures)
    v = [np.stack([run.column(f"v{i}", temperature=t) for i in range(1, 7)], axis=-1) for t in falling]
    return np.array([run.config.schedule.learning_rates(t)[0] / t for t in falling]), np.stack(v)


def _slope_of_a(run: core.RunResult) -> float:
    """alpha over eta_1 / T to first order: a line and a parabola in eta_1 / T through what v has of the form."""
    step, v = _points(run)
    a = np.mean(v[..., 0] + v[..., 2] - 2 * v[..., 4], axis=1) / 6
    return float(np.linalg.lstsq(np.stack([step, step**2], axis=1), a, rcond=None)[0][0])


def _left_over(run: core.RunResult, slope: float) -> tuple[np.ndarray, np.ndarray]:
    """eta_1 / T, and the largest distance from the form with alpha = slope eta_1 / T, the mean over seeds."""
    step, v = _points(run)
    form = 1 / 6 + slope * step[:, None, None] * np.array([1, 0, 1, 0, -2, 0])
    return step, np.mean(np.abs(v - form).max(axis=-1), axis=1)


class AfterStep(NamedTuple):
    """The worlds after Stage 1, read with alpha and p_mis of their own, or of the world with the other share."""

    runs: list[core.RunResult]
    own: bool = True

    def _of_world(self, read: Callable[[core.RunResult], float]) -> np.ndarray:
        values = np.array([read(run) for run in self.runs])
        return values if self.own else values.reshape(-1, 2)[:, ::-1].ravel()

    def powers(self) -> np.ndarray:
        """Of eta_1 / T in what is left over, world by world."""
        slopes = self._of_world(_slope_of_a)
        return np.array([core.log_slope(*_left_over(run, x)) for run, x in zip(self.runs, slopes, strict=True)])

    def constants(self) -> np.ndarray:
        """c of alpha = c p_mis eta_1 / T, world by world."""
        return np.array([_slope_of_a(run) for run in self.runs]) / self._of_world(_p_mis)


class AtStart(NamedTuple):
    """Kinds of sequence at v = 1/6 of every world, mismatched ones or the others, and whose derivatives are read."""

    runs: list[core.RunResult]
    mismatched: bool = True
    answers: bool = True

    def _leads(self, run: core.RunResult) -> tuple[np.ndarray, np.ndarray]:
        keep = run.arrays["start_mismatched"] == self.mismatched
        slope = run.arrays["start_slope"][keep]
        return slope[:, [4]] - np.delete(slope, 4, axis=1), run.arrays["start_p"][keep]

    def least(self) -> np.ndarray:
        """T (dl/dv_5 - dl/dv_i) over p(r_1)/3."""
        found = [self._leads(run) for run in self.runs]
        return np.array([(lead.min(axis=1) * 3 / p).min() for lead, p in found])

    def most(self) -> np.ndarray:
        return np.array([self._leads(run)[0].max() for run in self.runs])

    def largest_rise(self, together: bool) -> np.ndarray:
        """Of log T|...| + 1/(36T), the worst over kinds, from a temperature to the next lower one."""
        return np.array([np.diff(self._bounded(run, together)).max() for run in self.runs])

    def _bounded(self, run: core.RunResult, together: bool) -> np.ndarray:
        t = run.arrays["start_temperature"]
        if together:
            values = run.arrays["start_log_sum"][:, None] if self.answers else run.arrays["start_log_slope"][:, [4]]
        else:
            values = run.arrays["start_log_slope"][:, [1, 3] if self.answers else [0, 2]]
        worst = values.max(axis=1) + 1 / (36 * t)
        cold = [x for x in exact.falling(t) if x < 1 / (40 * np.log(run.config.world.n))]
        return np.array([worst[t == x].max() for x in cold])


def _every(runs: core.Runs) -> list[core.RunResult]:
    return list(runs.group("world").values())


BY_WORLD = {"world": [{"n": n, "mismatched": share} for n, share in WORLDS]}
OURS = core.Protocol(ours="the worlds", why="the lemma speaks of every world")

CLAIMS = (
    core.Claim(
        id="first-step-worlds",
        locus="Appendix C, Lemma C.1, in larger worlds",
        uses=("lemma-c.1",),
        statement=r"Stage 1 ends at $v = (\frac16 + \alpha, \frac16, \frac16 + \alpha, \frac16, \frac16 - 2\alpha, "
        r"\frac16)$ up to $O(\eta_1^2/T^2)$, with $\alpha = c\,p_{\text{mis}}\eta_1/T$ for some constant $c$, under "
        r"the lemma's hypotheses. Judged at three $n$ and two $p_{\text{mis}}$, with $\alpha$ fitted to $v$. "
        r"By eq. (17) $c$ is from $\frac{1}{1296}$ to $\frac{1}{162}$ in any world.",
        subject=lambda runs: AfterStep(_every(runs)),
        wrong=lambda runs: AfterStep(_every(runs), own=False),
        parts={
            "power of eta_1/T in the rest": core.Part(AfterStep.powers, core.near(2.0, atol=0.3), along=BY_WORLD),
            "c over its lower bound": core.Part(
                lambda after: after.constants().min() * 1296, core.at_least(1.0, paper="every world")
            ),
            "c over its upper bound": core.Part(
                lambda after: after.constants().max() * 162, core.at_most(1.0, paper="every world")
            ),
        },
        remark=lambda runs: (
            "c by world, times 1000: "
            + ", ".join(f"{1000 * c:.2f}" for c in AfterStep(_every(runs)).constants())
            + r". The control takes $\alpha$ and $p_{\text{mis}}$ of the world with the other share."
        ),
    ),
    core.Claim(
        id="first-step-worlds-eq-17",
        locus="Appendix C, eq. (17), in larger worlds",
        uses=("eq-17",),
        statement=r"On a mismatched sequence at $v = (\frac16, \ldots, \frac16)$, $\frac{p_1(r_1)}{3T} \le "
        r"\frac{\partial \ell_1}{\partial v_5} - \frac{\partial \ell_1}{\partial v_i} < \frac{2}{3T}$ for all $i "
        r"\ne 5$. Judged at three $n$ and two $p_{\text{mis}}$, on every kind of sequence.",
        subject=lambda runs: AtStart(_every(runs)),
        wrong=lambda runs: AtStart(_every(runs), mismatched=False),
        parts={
            "least lead, times 3T/p": core.Part(
                AtStart.least, core.at_least(1.0, slack=1e-12, paper="every T and n"), along=BY_WORLD
            ),
            "largest lead, times T": core.Part(
                AtStart.most, core.at_most(2 / 3, slack=1e-12, paper="every T and n"), along=BY_WORLD, carries=False
            ),
        },
        remark="Both bounds are attained up to rounding. The control is sequences that are not mismatched.",
    ),
    core.Claim(
        id="first-step-worlds-eq-18-19",
        locus="Appendix C, eqs. (18) and (19), in larger worlds",
        uses=("eq-18-19",),
        statement=r"Under Assumption 2.2 and $T < \frac{1}{40\log n}$, at $v = (\frac16, \ldots, \frac16)$ "
        r"$|\frac{\partial L_1}{\partial v_i}|$ for $i = 2, 4$ and $|\frac{\partial L_1}{\partial v_1} + "
        r"\frac{\partial L_1}{\partial v_3} + \frac{\partial L_1}{\partial v_5}|$ are $O(\exp(-\frac{1}{36T})/T)$. "
        r"Judged at three $n$ and two $p_{\text{mis}}$, on every kind of sequence.",
        subject=lambda runs: AtStart(_every(runs)),
        wrong=lambda runs: AtStart(_every(runs), answers=False),
        parts={
            "largest rise, answers": core.Part(
                lambda start: start.largest_rise(together=False), core.at_most(0.0), along=BY_WORLD
            ),
            "largest rise, subjects and query together": core.Part(
                lambda start: start.largest_rise(together=True), core.at_most(0.0), along=BY_WORLD
            ),
        },
        remark=r"The logarithm of $T$ times the derivative, plus $\frac{1}{36T}$, must not rise as $T$ falls. The "
        "control reads subjects, and the query alone, which do not vanish.",
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, (left, right) = plots.new_figure(1, 2)
    for colour, run in zip(plots.CYCLE, _every(runs), strict=False):
        step, v = _points(run)
        a = np.mean(v[..., 0] + v[..., 2] - 2 * v[..., 4], axis=1) / 6
        label = f"n = {run.config.world.n}, p_mis = {_p_mis(run):.2f}"
        left.plot(step, a / step / _p_mis(run), "o-", color=colour, label=label)
        right.plot(*_left_over(run, _slope_of_a(run)), "o-", color=colour)
    step, rest = _left_over(_every(runs)[0], _slope_of_a(_every(runs)[0]))
    right.plot(step, rest[-1] * (step / step[-1]) ** 2, "--", color=plots.GREY)
    left.set(xscale="log", xlabel="η₁/T", ylabel="c", ylim=(0, 1 / 162))
    right.set(xscale="log", yscale="log", xlabel="η₁/T", ylabel="left over; dashed: (η₁/T)²")
    plots.legend(left)
    rows = [
        {"n": n, "share": share, "p_mis": _p_mis(run)} for (n, share), run in zip(WORLDS, _every(runs), strict=True)
    ]
    caption = (
        "One large step in worlds of drawn slopes, in as many digits as it takes. Left: α over p_mis η₁/T. Right: how "
        "far the point is from its form."
    )
    return core.Artefact(figure, plots.columns(rows), caption)


EXPERIMENT = core.Experiment(title="One large step in larger worlds", runs=_runs, claims=CLAIMS, draw=draw)
