"""The warm-up trained: Stage 1 to the saddle, the push, Stage 2 to the pairwise optimum (Theorem 4.2)."""

import numpy as np

from lemmata.core import Artefact, RunConfig, RunResult, Scale, log_slope
from lemmata.core.legacy import AtLeast, AtMost, Claim, Close, Each, Experiment, Results
from lemmata.papers.ic_recall.run.algebra import WarmupAlgebra
from lemmata.papers.ic_recall.run.dynamics import WarmupEscape, WarmupStages
from lemmata.papers.ic_recall.run.landscape import LowestPoint
from lemmata.papers.ic_recall.theory import pairing, pairwise_line, saddle
from lemmata.report import plots


def _limit(run: RunResult) -> np.ndarray:
    """Stage 1's limit: what is left on s_3 and EoS decays like 1/t, so 2 v(t) - v(t/2) is closer than v(t)."""
    v = run.arrays["stage1_v"]
    return 2 * v[:, -1] - v[:, (v.shape[1] - 1) // 2]


def _one_seed_each(results: Results) -> np.ndarray:
    run = results.one(WarmupStages)
    return run.arrays["stage2_v"][:: len(run.config.seeds)]


def _escapes(results: Results) -> dict[str, float]:
    run = results.one(WarmupEscape)
    t = np.array(run.config.temperatures)
    escaped = [float(run.column("escaped", temperature=x).mean()) for x in t]
    steps = [
        float(np.nanmedian(run.column("steps", temperature=x))) if e else np.inf
        for x, e in zip(t, escaped, strict=True)
    ]
    exponent = log_slope(1 / t, np.maximum(steps, 1)) if np.isfinite(steps).all() else float("inf")
    return {"share that escaped": min(escaped), "exponent of 1/T in the steps": exponent}


def _without_push(results: Results) -> dict[str, float]:
    """Stage 1 is the same descent, never pushed: it comes as near to the saddle as it likes and stays above log 2."""
    below = (results.one(WarmupStages).arrays["stage1_loss"] < np.log(2.0)).any(axis=1)
    return {"share that escaped": float(below.mean()), "exponent of 1/T in the steps": float("inf")}


def _velocities(results: Results, ahead: bool) -> np.ndarray:
    """d log psi / dt by autodiff at random points with v_5 = 0, where l(r_1) is (or is not) ahead of the mean logit."""
    run = results.one(WarmupAlgebra)
    v, slope = run.arrays["unpaired"], run.arrays["unpaired_theta"]
    keep = (np.asarray(pairing.advantage(v, run.config.temperature)) > 0) == ahead
    return np.asarray(pairing.psi_velocity(v, slope))[keep]


def _optimum(t: float) -> float:
    return pairwise_line.critical_points(t).minimum


def _optimal_loss(t: float) -> float:
    return float(pairwise_line.warmup_line_loss(_optimum(t), t))


def _predicted(results: Results) -> dict[str, np.ndarray | float]:
    run, lowest = results.one(WarmupStages), results.one(LowestPoint)
    best = {t: _optimum(t) for t in run.config.temperatures}
    return {
        "smaller pair": np.array([best[t] for t in run.metrics["temperature"]]),
        "left on s_3 and EoS": 2e-3,
        "lowest loss": np.array([_optimal_loss(t) for t in lowest.config.temperatures]),
    }


def _reached(results: Results) -> dict[str, np.ndarray]:
    run, lowest = results.one(WarmupStages), results.one(LowestPoint)
    return {
        "smaller pair": run.metrics["smaller_pair"],
        "left on s_3 and EoS": run.metrics["left_over"],
        "lowest loss": np.array([lowest.column("loss", temperature=t).min() for t in lowest.config.temperatures]),
    }


def _before_the_push(results: Results) -> np.ndarray:
    run = results.one(WarmupStages)
    return np.repeat(run.arrays["stage1_v"][:, -1, 0], len(run.config.seeds))


CLAIMS = (
    Claim(
        id="ic-recall/lemma-b.4",
        locus="Appendix B, Lemma B.4",
        statement="Stage 1 (gradient descent from theta = 0) converges to v = (1/4, 1/4, 1/4, 1/4, 0, 0).",
        predict=lambda results: np.tile(saddle.SADDLE, (len(results.one(WarmupStages).config.temperatures), 1)),
        measure=lambda results: _limit(results.one(WarmupStages)),
        control=lambda results: _one_seed_each(results)[:, -1],
        check=Close(atol=5e-3),
        remark="Kept on v_1 = v_3, v_2 = v_4 (rounding alone would leave the saddle after enough steps). Attention "
        "on s_3 "
        "and EoS dies like 1/t, with a rate proportional to p_3/T, so the limit is extrapolated: 2 v(t) - v(t/2).",
    ),
    Claim(
        id="ic-recall/lemma-b.5",
        locus="Appendix B, Lemma B.5",
        statement="After the push, with probability at least 1 - delta, the loss is below log 2 within poly(1/T) "
        "steps.",
        predict=lambda results: {"share that escaped": 0.9, "exponent of 1/T in the steps": 2.0},
        measure=_escapes,
        control=_without_push,
        check=Each({"share that escaped": AtLeast(), "exponent of 1/T in the steps": AtMost()}),
        remark="delta = 0.1. With eta = 30 T^2 and curvature 1/(8T) the steps grow like log(1/T)/T; the control has "
        "no push.",
    ),
    Claim(
        id="ic-recall/lemma-b.7",
        locus="Appendix B, Lemma B.7",
        statement="With v_5 = 0 and l(r_1) above the mean logit, psi = max(v1/v2, v2/v1, v3/v4, v4/v3) only decreases.",
        predict=lambda results: {"velocity at random points": 0.0, "largest rise along training": 0.0},
        measure=lambda results: {
            "velocity at random points": _velocities(results, ahead=True),
            "largest rise along training": results.one(WarmupEscape).metrics["largest_rise"],
        },
        control=lambda results: {
            "velocity at random points": _velocities(results, ahead=False),
            "largest rise along training": -results.one(WarmupEscape).arrays["log_psi"].min(axis=1) + 1.0,
        },
        check=Each({"velocity at random points": AtMost(), "largest rise along training": AtMost(slack=1e-13)}),
        remark="The velocity is of log psi under gradient flow, by autodiff. The control takes points where l(r_1) "
        "is not "
        "ahead: there psi can rise. The slack is rounding of log psi near 0.",
    ),
    Claim(
        id="ic-recall/thm-4.2",
        locus="Theorem 4.2 and Theorem B.3",
        statement="Algorithm 1 run to convergence ends at the global minimum of L_1, v = (a, a, 1/2 - a, 1/2 - a, "
        "0, 0) with "
        "a != 1/4.",
        predict=_predicted,
        measure=_reached,
        control=lambda results: _reached(results) | {"smaller pair": _before_the_push(results)},
        check=Each(
            {"smaller pair": Close(atol=1e-3), "left on s_3 and EoS": AtMost(), "lowest loss": Close(atol=1e-8)}
        ),
        remark="Every seed, at each temperature. a is the root x_T of the corrected line; 'lowest loss' is the best "
        "of many "
        "minimisations over the whole simplex. Global up to T = 0.0884, existing up to T = 0.0909 (see "
        "ic-recall/phase).",
    ),
)


def _render(results: Results) -> Artefact:
    stages, escape = results.one(WarmupStages), results.one(WarmupEscape)
    figure, ((left, right), (lower_left, lower_right)) = plots.new_figure(2, 2)
    seeds, count = len(stages.config.seeds), len(escape.config.temperatures)
    first = stages.arrays["stage1_v"]
    every = stages.config.steps1 // stages.config.records
    for colour, t, v in zip(plots.CYCLE, stages.config.temperatures, first, strict=False):
        steps = every * np.arange(1, len(v))
        left.plot(steps, v[1:, 4], color=colour, label=f"s₃, T = {t:g}")
        left.plot(steps, v[1:, 5], "--", color=colour, label=f"EoS, T = {t:g}")
    left.set(xscale="log", yscale="log", xlabel="step of Stage 1", ylabel="attention left on s₃ and EoS")
    plots.legend(left, ncols=2)
    per = len(escape.arrays["loss"]) // count
    steps = 5 * np.arange(escape.arrays["loss"].shape[1])
    shown = count // 2
    for k, name in enumerate(("s₁", "a₁", "s₂", "a₂")):
        style = "-" if k % 2 == 0 else "--"
        right.plot(steps, escape.arrays["v"][shown * per, :, k], style, color=plots.CYCLE[k // 2], label=name)
    title = f"escape and pairing, T = {escape.config.temperatures[shown]:g}"
    right.set(xlabel="step of Stage 2", ylabel="attention v", title=title, xlim=(0, 500))
    plots.legend(right)
    for colour, t, j in zip(plots.CYCLE, escape.config.temperatures, range(0, per * count, per), strict=False):
        lower_left.plot(steps, escape.arrays["loss"][j], color=colour, label=f"T = {t:g}")
        lower_right.plot(steps, np.maximum(escape.arrays["log_psi"][j], 1e-16), color=colour)
    plots.ceiling(lower_left, np.log(2.0), "log 2")
    lower_left.set(xlabel="step of Stage 2", ylabel="loss L₁", xlim=(0, 500))
    lower_right.set(xlabel="step of Stage 2", ylabel="log ψ", yscale="log")
    plots.legend(lower_left)
    metrics = stages.metrics
    table = {**metrics, "predicted_smaller_pair": np.array([_optimum(x) for x in metrics["temperature"]])}
    caption = (
        f"Algorithm 1 with eta = {stages.config.rate:g} T². Upper left: in Stage 1, kept on the symmetric subspace, "
        f"attention "
        "on the query and EoS dies like 1/t. Then from the exact saddle, pushed: one seed's attention, its loss "
        "passing "
        f"log 2, and ψ, which is 1 when attention is pairwise. The table has the ends of {seeds} seeds a temperature."
    )
    return Artefact(figure, table, caption)


def _grid(scale: Scale) -> tuple[RunConfig, ...]:
    seeds = scale.seeds(smoke=2, laptop=8, paper=32)
    many = scale.seeds(smoke=6, laptop=32, paper=200)
    wide = (0.025, 0.03, 0.04, 0.05, 0.06)
    temperatures = scale.pick(smoke=(0.05, 0.06), laptop=wide[1:], paper=wide)
    ladder = scale.pick(smoke=(0.02, 0.04, 0.06), laptop=WarmupEscape.temperatures, paper=WarmupEscape.temperatures)
    stages = WarmupStages(
        temperatures=temperatures,
        seeds=seeds,
        steps1=scale.pick(smoke=15_000, laptop=120_000, paper=1_000_000),
        steps2=scale.pick(smoke=20_000, laptop=60_000, paper=400_000),
    )
    return (
        stages,
        WarmupEscape(temperatures=ladder, seeds=many, steps=scale.pick(smoke=500, laptop=1500, paper=3000)),
        LowestPoint(temperatures=temperatures, starts=scale.pick(smoke=16, laptop=64, paper=512), steps=2000),
        WarmupAlgebra(points=scale.pick(smoke=512, laptop=4096, paper=65_536), seed=1),
    )


EXPERIMENTS = (
    Experiment(
        id="ic-recall/warmup-dynamics",
        title="Three subjects trained: the saddle, the escape, the pairwise optimum",
        grid=_grid,
        claims=CLAIMS,
        render=_render,
    ),
)
