"""Appendix C trained: one large step, the push, a short second stage, at temperatures far below 1/(40 log n)."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Correction,
    Experiment,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    Undecided,
    at_least,
    at_most,
    near,
    rises,
    slope_near,
)
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature, Movement
from lemmata.papers.ic_recall.theory import low_temperature
from lemmata.papers.ic_recall.theory.descent import movement_bound
from lemmata.report import plots


def _replicas(run: RunResult, keep: np.ndarray, which: str) -> RunResult:
    """The run with the chosen rows of its table."""
    if not keep.any():
        raise Undecided(f"the run has no replica {which}")
    return replace(run, metrics={name: values[keep] for name, values in run.metrics.items()})


def _enough(runs: Runs) -> RunResult:
    """The replicas trained on as many sequences as the lemma asks for."""
    run = runs["short schedule"]
    return _replicas(run, run.metrics["sample_constant"] > 0, "with a sample of the lemma's size")


def _one_sequence(runs: Runs) -> RunResult:
    run = runs["short schedule"]
    return _replicas(run, run.metrics["sample_constant"] == 0, "trained on one sequence")


def _coldest_last(run: RunResult) -> np.ndarray:
    return np.array(sorted(set(run.config.temperatures), reverse=True))


def _by_temperature(run: RunResult, name: str, reduce: Callable = np.median) -> np.ndarray:
    """One value a temperature, highest first; NaN (not reached) counts as never."""
    values = np.nan_to_num(run.metrics[name].astype(float), nan=np.inf)
    return np.array([reduce(values[run.metrics["temperature"] == t]) for t in _coldest_last(run)])


def _against_step(run: RunResult, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not (moved > 0).all():
        raise Undecided("some replica did not move that way: there is no power law")
    return run.metrics["eta1"] / run.metrics["temperature"], moved


def _rest(run: RunResult) -> tuple[np.ndarray, np.ndarray]:
    v = np.stack([run.metrics[f"v{i}"] for i in range(1, 7)], axis=-1)
    expected = low_temperature.after_stage_1(-(v[:, 4] - 1 / 6) / 2)
    return _against_step(run, np.abs(v - expected).max(axis=-1))


def _apart(run: RunResult, i: int, j: int) -> np.ndarray:
    return np.abs(run.metrics[f"v{i}"] - run.metrics[f"v{j}"])


def _decay(run: RunResult) -> np.ndarray:
    return -_by_temperature(run, "log_wrong_plain", np.max) * np.sqrt(_coldest_last(run))


def _steps_over_log(run: RunResult, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Temperatures and median steps over log(1/T)."""
    t = _coldest_last(run)
    return t, _by_temperature(run, name) / np.log(1 / t)


def _share_that(name: str) -> Callable[[RunResult], float]:
    return lambda run: float(np.isfinite(run.metrics[name]).mean())


def _promised_share(runs: Runs) -> float:
    return 1 - runs["short schedule"].config.delta / 3


def _curvature(runs: Runs, name: str) -> np.ndarray:
    """T times the second derivative along (1, 1, -1, -1, 0, 0)/2, replica by replica."""
    metrics = _enough(runs).metrics
    return metrics[name] * metrics["temperature"]


def _steps_of(runs: Runs, too_long: bool) -> RunResult:
    run = runs["movement"]
    return _replicas(run, (run.metrics["factor"] > 1) == too_long, "with such steps")


def _distance_over_bound(run: RunResult) -> np.ndarray:
    """Distance from the start over the lemma's bound, every step of every trajectory (inf f >= 0)."""
    m = run.metrics
    return m["moved"] / movement_bound(m["step"], run.config.smoothness / m["temperature"] ** 2, m["first_loss"])


def _expected_escape(runs: Runs) -> str:
    c2 = runs["short schedule"].config.c2
    return (
        f"c = 1, p_conf = 1. With eta_2 = {c2:g} T^2, growth eta_2/(18T) a step and a push of T^3, 5 log(1/T) e-folds "
        f"would take {5 * 18 / c2:g} log(1/T)/T steps; reaching log 2 - T^3 takes fewer."
    )


CLAIMS = (
    Claim(
        id="lemma-c.1",
        locus="Appendix C, Lemma C.1",
        statement="One step of size eta_1 gives v = (1/6 + a, 1/6, 1/6 + a, 1/6, 1/6 - 2a, 1/6) up to O(eta_1^2/T^2) "
        "with a proportional to eta_1/T, |v1 - v3| = o(T^2), |v2 - v4| = o(exp(-1/(40T))); accuracy on non-confusing "
        "sequences 1 - o(exp(-1/sqrt T)), on confusing ones 1/2 - o(exp(-1/sqrt T)).",
        subject=_enough,
        wrong=_one_sequence,
        parts={
            "shift against eta_1/T": Part(
                lambda run: _against_step(run, (run.metrics["v1"] + run.metrics["v3"]) / 2 - 1 / 6),
                slope_near(1.0, 0.1),
            ),
            "rest against eta_1/T": Part(_rest, slope_near(2.0, 0.3)),
            "|v1 - v3| / T^2": Part(lambda run: _apart(run, 1, 3) / run.metrics["temperature"] ** 2, at_most(1.0)),
            "|v2 - v4|": Part(
                lambda run: _apart(run, 2, 4),
                at_most(lambda runs: np.exp(-1 / (40 * _enough(runs).metrics["temperature"])), slack=1e-16),
            ),
            "-sqrt(T) log(1 - p), non-confusing": Part(_decay, rises()),
            "|p - 1/2|, confusing": Part(
                lambda run: np.abs(np.exp(run.metrics["log_wrong_confusing"]) - 0.5),
                at_most(lambda runs: np.exp(-1 / np.sqrt(_enough(runs).metrics["temperature"])), slack=5e-12),
            ),
        },
        remark="On |D| = log(1/T)^3/T^3 sequences; the control trains on one sequence. Slack is rounding: logits/T are "
        "in the thousands. 'o(exp(-1/sqrt T))' shows as -sqrt(T) log(1 - p) growing as T falls.",
    ),
    Claim(
        id="lemma-c.2",
        locus="Appendix C, Lemma C.2",
        statement="With probability at least 1 - delta/3, after O(1/T) steps (up to logarithms) of Stage 2 the loss on "
        "confusing sequences is at most log 2 - c T^3.",
        subject=_enough,
        wrong=_one_sequence,
        parts={
            "share that escaped": Part(_share_that("escape_steps"), at_least(_promised_share)),
            "steps T / log(1/T)": Part(lambda run: np.multiply(*_steps_over_log(run, "escape_steps")), at_most(0.05)),
        },
        remark=_expected_escape,
    ),
    Claim(
        id="lemma-c.2-curvature",
        locus="Appendix C, proof of Lemma C.2",
        statement="T times the curvature along (1, 1, -1, -1, 0, 0)/2 at v = 1/6 with r_1 and r_2 alone, p_2 = 1/2.",
        subject=lambda runs: _curvature(runs, "curvature_uniform"),
        wrong=lambda runs: _curvature(runs, "curvature_after"),
        parts=Part(
            lambda curvature: curvature,
            near(low_temperature.printed_confusing_curvature(1.0), rtol=1e-8),
            corrected=low_temperature.confusing_curvature(1.0),
        ),
        correction=Correction(
            printed="-1/24 (term I = p_1 p_2 / (12T))",
            corrected="-1/18 (term I = p_1 p_2 / (9T))",
            reason="l_1'' - l_2'' = 1/9. At the point Stage 1 really reaches it is -2 v_1 v_2 / T, which tends to "
            "this.",
        ),
        remark="The control is the point that Stage 1 really reaches: near the limit, not on it.",
    ),
    Claim(
        id="lemma-c.3",
        locus="Appendix C, Lemma C.3",
        statement="After O(T/(eta_2 p_conf) log(1/T)) steps p(r_1) >= 0.999 on confusing sequences; from the escape "
        "until 0.9991 the gap g grows by a factor 1 + eta_2 p_conf/(10000 T) or more a step.",
        subject=_enough,
        wrong=_one_sequence,
        parts={
            "share that reached 0.999": Part(_share_that("accurate_steps"), at_least(_promised_share)),
            "steps over log(1/T)": Part(lambda run: _steps_over_log(run, "accurate_steps"), slope_near(-1.0, 0.2)),
            "growth of g": Part(lambda run: run.metrics["slowest_growth"], at_least(1e-4)),
        },
        remark="eta_2 is proportional to T^2, so the promise is steps proportional to log(1/T)/T; growth in units of "
        "eta_2/T.",
    ),
    Claim(
        id="lemma-e.2",
        locus="Appendix E, Lemma E.2",
        statement="Gradient descent with step 1/l on an l-smooth function moves at most sqrt(2 t (f(x_0) - inf f)/l) "
        "in t steps.",
        subject=lambda runs: _steps_of(runs, too_long=False),
        wrong=lambda runs: _steps_of(runs, too_long=True),
        parts=Part(_distance_over_bound, at_most(1.0)),
        remark="On the warm-up's loss, with l measured and rounded up, from theta = 0 and from random theta; shown is "
        "distance over bound with inf f = 0. The control's steps are longer than 1/l, many times.",
    ),
)


def draw(runs: Runs) -> Artefact:
    run = runs["short schedule"]
    figure, (left, middle, right) = plots.new_figure(1, 3)
    shown = zip(plots.CYCLE, run.config.temperatures, run.arrays["gap"], run.arrays["log_wrong"], strict=False)
    for colour, temperature, gap, wrong in shown:
        scaled = run.arrays["step"] * temperature / np.log(1 / temperature)
        left.plot(scaled, np.maximum(np.abs(gap), 1e-30), color=colour, label=f"T = {temperature:g}")
        middle.plot(scaled, np.exp(wrong), color=colour)
    left.set(yscale="log", xlabel="steps × T / log(1/T)", ylabel="g = (v₁ − v₃)(v₂ − v₄)", xlim=(0, 0.2))
    middle.set(yscale="log", xlabel="steps × T / log(1/T)", ylabel="1 − p(r₁), confusing", xlim=(0, 0.5))
    plots.ceiling(middle, 1e-3, "0.001")
    metrics = _enough(runs).metrics
    right.plot(metrics["temperature"], metrics["temperature"] * metrics["curvature_after"], "o", label="after Stage 1")
    right.plot(metrics["temperature"], -2 * metrics["v1"] * metrics["v2"], color=plots.GREY, label="−2 v₁ v₂")
    plots.ceiling(right, -1 / 18, "corrected limit −1/18", color=plots.CYCLE[0])
    plots.ceiling(right, -1 / 24, "printed limit −1/24", color=plots.CYCLE[1])
    right.set(xscale="log", xlabel="temperature T", ylabel="T × curvature")
    for ax in (left, middle, right):
        plots.legend(ax)
    caption = (
        f"The short schedule on the affine world of {run.config.n} subjects, index {run.config.index} "
        f"({len(run.config.seeds)} seeds a temperature; one shown left and middle): the gap between r₁ and r₂ grows "
        "exponentially, the error on confusing sequences passes 0.001, both at a number of steps proportional to "
        "log(1/T)/T. Right: curvature along the escaping direction after Stage 1."
    )
    return Artefact(figure, metrics, caption)


def _runs(scale: Scale) -> dict[str, RunConfig]:
    temperatures = scale.pick(
        smoke=(1e-3, 5e-4, 2.5e-4), laptop=LowTemperature.temperatures, paper=(*LowTemperature.temperatures, 3e-5)
    )
    return {
        "short schedule": LowTemperature(
            temperatures=temperatures,
            seeds=scale.seeds(smoke=2, laptop=6, paper=30),
            steps=scale.pick(smoke=5_000, laptop=20_000, paper=40_000),
        ),
        "movement": Movement(steps=scale.pick(smoke=200, laptop=2000, paper=20_000)),
    }


EXPERIMENT = Experiment(
    title="One large step and a short second stage: Lemmas C.1 to C.3 and E.2 on real trajectories",
    runs=_runs,
    claims=CLAIMS,
    draw=draw,
)
