"""Appendix C trained: one large step, the push, a short second stage, at temperatures far below 1/(40 log n)."""

from dataclasses import replace

import numpy as np

from lemmata.core import Artefact, RunConfig, RunResult, Scale
from lemmata.core.legacy import AtLeast, AtMost, Claim, Close, Correction, Each, Experiment, Monotone, Results, Slope
from lemmata.papers.ic_recall.run.low_temperature import LowTemperature, Movement
from lemmata.papers.ic_recall.theory import descent, low_temperature
from lemmata.report import plots


def _with_samples(results: Results, enough: bool) -> RunResult:
    """The replicas trained on as many sequences as the lemma asks for, or on a single one."""
    run = results.one(LowTemperature)
    keep = (run.metrics["sample_constant"] > 0) == enough
    return replace(run, metrics={name: values[keep] for name, values in run.metrics.items()})


def _main(results: Results) -> RunResult:
    return _with_samples(results, True)


def _one_sequence(results: Results) -> RunResult:
    return _with_samples(results, False)


def _by_temperature(run: RunResult, name: str, reduce=np.median) -> np.ndarray:
    """One value a temperature, highest first; NaN (not reached) counts as never."""
    values = np.nan_to_num(run.metrics[name].astype(float), nan=np.inf)
    return np.array([reduce(values[run.metrics["temperature"] == t]) for t in run.config.temperatures])


def _after_one_step(run: RunResult) -> dict[str, object]:
    metrics, t = run.metrics, np.array(run.config.temperatures)
    v = np.stack([metrics[f"v{i}"] for i in range(1, 7)], axis=-1)
    alpha = (v[:, 0] + v[:, 2]) / 2 - 1 / 6
    off = np.abs(v - low_temperature.after_stage_1(-(v[:, 4] - 1 / 6) / 2)).max(axis=-1)
    step = metrics["eta1"] / metrics["temperature"]
    decay = -_by_temperature(run, "log_wrong_plain", np.max) * np.sqrt(t)
    half = np.abs(np.exp(metrics["log_wrong_confusing"]) - 0.5)
    return {
        "shift against eta_1/T": (step, alpha),
        "rest against eta_1/T": (step, off),
        "|v1 - v3| / T^2": np.abs(v[:, 0] - v[:, 2]) / metrics["temperature"] ** 2,
        "|v2 - v4|": np.abs(v[:, 1] - v[:, 3]),
        "-sqrt(T) log(1 - p), non-confusing": decay,
        "|p - 1/2|, confusing": half,
    }


def _one_step_limits(results: Results) -> dict[str, object]:
    t = _main(results).metrics["temperature"]
    return {
        "shift against eta_1/T": 1.0,
        "rest against eta_1/T": 2.0,
        "|v1 - v3| / T^2": 1.0,
        "|v2 - v4|": np.exp(-1 / (40 * t)),
        "-sqrt(T) log(1 - p), non-confusing": "increasing",
        "|p - 1/2|, confusing": np.exp(-1 / np.sqrt(t)),
    }


def _exponents(run: RunResult, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Temperatures and median steps over log(1/T)."""
    t = np.array(run.config.temperatures)
    return t, _by_temperature(run, name) / np.log(1 / t)


def _escape(run: RunResult) -> dict[str, object]:
    t, steps = _exponents(run, "escape_steps")
    share = np.isfinite(run.metrics["escape_steps"]).mean()
    return {"share that escaped": share, "steps T / log(1/T)": steps * t}


def _accurate(run: RunResult) -> dict[str, object]:
    share = np.isfinite(run.metrics["accurate_steps"]).mean()
    return {
        "share that reached 0.999": share,
        "steps over log(1/T)": _exponents(run, "accurate_steps"),
        "growth of g": run.metrics["slowest_growth"],
    }


def _movement(results: Results, factor: float) -> np.ndarray:
    """Distance from the start over the lemma's bound, every step of every trajectory (inf f >= 0)."""
    run = results.one(Movement)
    keep = (run.metrics["factor"] > 1) == (factor > 1)
    m = {name: values[keep] for name, values in run.metrics.items()}
    bound = descent.movement_bound(m["step"], run.config.smoothness / m["temperature"] ** 2, m["first_loss"])
    return m["moved"] / bound


CLAIMS = (
    Claim(
        id="ic-recall/lemma-c.1",
        locus="Appendix C, Lemma C.1",
        statement="One step of size eta_1 gives v = (1/6 + a, 1/6, 1/6 + a, 1/6, 1/6 - 2a, 1/6) up to "
        "O(eta_1^2/T^2) with a "
        "proportional to eta_1/T, |v1 - v3| = o(T^2), |v2 - v4| = o(exp(-1/(40T))); accuracy on non-confusing "
        "sequences "
        "1 - o(exp(-1/sqrt T)), on confusing ones 1/2 - o(exp(-1/sqrt T)).",
        predict=_one_step_limits,
        measure=lambda results: _after_one_step(_main(results)),
        control=lambda results: (
            _after_one_step(_main(results))
            | {"|v1 - v3| / T^2": _after_one_step(_one_sequence(results))["|v1 - v3| / T^2"]}
        ),
        check=Each(
            {
                "shift against eta_1/T": Slope(0.1),
                "rest against eta_1/T": Slope(0.3),
                "|v1 - v3| / T^2": AtMost(),
                "|v2 - v4|": AtMost(slack=1e-16),
                "-sqrt(T) log(1 - p), non-confusing": Monotone(),
                "|p - 1/2|, confusing": AtMost(slack=5e-12),
            }
        ),
        remark="eta_1 = 100 T sqrt(T) log(1/T) on |D| = log(1/T)^3/T^3 sequences; the control trains on one sequence. "
        "Slack is rounding: logits/T reach 5000. 'o(exp(-1/sqrt T))' shows as -sqrt(T) log(1 - p) growing as T falls.",
    ),
    Claim(
        id="ic-recall/lemma-c.2",
        locus="Appendix C, Lemma C.2",
        statement="With probability at least 1 - delta/3, after O(1/T) steps (up to logarithms) of Stage 2 the loss on "
        "confusing sequences is at most log 2 - c T^3.",
        predict=lambda results: {"share that escaped": 1 - 0.1 / 3, "steps T / log(1/T)": 0.05},
        measure=lambda results: _escape(_main(results)),
        control=lambda results: _escape(_one_sequence(results)),
        check=Each({"share that escaped": AtLeast(), "steps T / log(1/T)": AtMost()}),
        remark="c = 1, eta_2 = 1000 T^2, p_conf = 1. With growth eta_2/(18T) a step and a push of T^3, 5 log(1/T) "
        "e-folds "
        "would take 0.09 log(1/T)/T steps; reaching log 2 - T^3 takes fewer.",
    ),
    Claim(
        id="ic-recall/lemma-c.2-curvature",
        locus="Appendix C, proof of Lemma C.2",
        statement="T times the curvature along (1, 1, -1, -1, 0, 0)/2 at v = 1/6 with r_1 and r_2 alone, p_2 = 1/2.",
        predict=lambda results: low_temperature.printed_confusing_curvature(1.0),
        measure=lambda results: _main(results).metrics["curvature_uniform"] * _main(results).metrics["temperature"],
        control=lambda results: _main(results).metrics["curvature_uniform"],
        check=Close(rtol=1e-8),
        correction=Correction(
            predict=lambda results: low_temperature.confusing_curvature(1.0),
            printed="-1/24 (term I = p_1 p_2 / (12T))",
            corrected="-1/18 (term I = p_1 p_2 / (9T))",
            reason="l_1'' - l_2'' = 1/9. At the point Stage 1 really reaches it is -2 v_1 v_2 / T, which tends to "
            "this.",
        ),
    ),
    Claim(
        id="ic-recall/lemma-c.3",
        locus="Appendix C, Lemma C.3",
        statement="After O(T/(eta_2 p_conf) log(1/T)) steps p(r_1) >= 0.999 on confusing sequences; from the escape "
        "until "
        "0.9991 the gap g grows by a factor 1 + eta_2 p_conf/(10000 T) or more a step.",
        predict=lambda results: {
            "share that reached 0.999": 1 - 0.1 / 3,
            "steps over log(1/T)": -1.0,
            "growth of g": 1e-4,
        },
        measure=lambda results: _accurate(_main(results)),
        control=lambda results: _accurate(_one_sequence(results)),
        check=Each(
            {"share that reached 0.999": AtLeast(), "steps over log(1/T)": Slope(0.2), "growth of g": AtLeast()}
        ),
        remark="eta_2 = 1000 T^2, so the promise is steps proportional to log(1/T)/T; growth in units of eta_2/T.",
    ),
    Claim(
        id="ic-recall/lemma-e.2",
        locus="Appendix E, Lemma E.2",
        statement="Gradient descent with step 1/l on an l-smooth function moves at most sqrt(2 t (f(x_0) - inf "
        "f)/l) in t steps.",
        predict=lambda results: 1.0,
        measure=lambda results: _movement(results, 1.0),
        control=lambda results: _movement(results, 40.0),
        check=AtMost(),
        remark="On the warm-up's loss with l = 0.032/T^2 (measured, rounded up) from theta = 0 and from random "
        "theta; shown "
        "is distance over bound with inf f = 0. The control steps 40/l.",
    ),
)


def _render(results: Results) -> Artefact:
    run = _main(results)
    t, step = np.array(run.config.temperatures), run.arrays["step"]
    figure, (left, middle, right) = plots.new_figure(1, 3)
    for colour, temperature, gap, wrong in zip(
        plots.CYCLE, t, run.arrays["gap"], run.arrays["log_wrong"], strict=False
    ):
        scaled = step * temperature / np.log(1 / temperature)
        left.plot(scaled, np.maximum(np.abs(gap), 1e-30), color=colour, label=f"T = {temperature:g}")
        middle.plot(scaled, np.exp(wrong), color=colour)
    left.set(yscale="log", xlabel="steps × T / log(1/T)", ylabel="g = (v₁ − v₃)(v₂ − v₄)", xlim=(0, 0.2))
    middle.set(yscale="log", xlabel="steps × T / log(1/T)", ylabel="1 − p(r₁), confusing", xlim=(0, 0.5))
    plots.ceiling(middle, 1e-3, "0.001")
    plots.legend(left)
    plots.legend(middle)
    metrics = run.metrics
    right.plot(metrics["temperature"], metrics["temperature"] * metrics["curvature_after"], "o", label="after Stage 1")
    right.plot(metrics["temperature"], -2 * metrics["v1"] * metrics["v2"], color=plots.GREY, label="−2 v₁ v₂")
    plots.ceiling(right, -1 / 18, "corrected limit −1/18", color=plots.CYCLE[0])
    plots.ceiling(right, -1 / 24, "printed limit −1/24", color=plots.CYCLE[1])
    right.set(xscale="log", xlabel="temperature T", ylabel="T × curvature")
    plots.legend(right)
    caption = (
        f"The short schedule on the affine world of {run.config.n} subjects, index {run.config.index} "
        f"({len(run.config.seeds)} seeds a temperature; one shown left and middle): the gap between r₁ and r₂ grows "
        "exponentially, the error on confusing sequences passes 0.001, both at a number of steps proportional to "
        "log(1/T)/T. Right: curvature along the escaping direction after Stage 1."
    )
    return Artefact(figure, metrics, caption)


def _grid(scale: Scale) -> tuple[RunConfig, ...]:
    seeds = scale.seeds(smoke=2, laptop=6, paper=30)
    temperatures = scale.pick(
        smoke=(1e-3, 5e-4, 2.5e-4), laptop=LowTemperature.temperatures, paper=(*LowTemperature.temperatures, 3e-5)
    )
    steps = scale.pick(smoke=5_000, laptop=20_000, paper=40_000)
    return (
        LowTemperature(temperatures=temperatures, seeds=seeds, steps=steps),
        Movement(steps=scale.pick(smoke=200, laptop=2000, paper=20_000)),
    )


EXPERIMENTS = (
    Experiment(
        id="ic-recall/low-temperature",
        title="One large step and a short second stage: Lemmas C.1 to C.3 and E.2 on real trajectories",
        grid=_grid,
        claims=CLAIMS,
        render=_render,
    ),
)
