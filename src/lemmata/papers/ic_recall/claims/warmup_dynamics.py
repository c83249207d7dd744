"""The warm-up trained: Stage 1 to the saddle, the push, Stage 2 to the pairwise optimum (Theorem 4.2)."""

from typing import Any

import numpy as np

from lemmata.core import (
    Artefact,
    Claim,
    Curves,
    Experiment,
    Frames,
    Live,
    OutsideSetting,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    Successes,
    Track,
    Undecided,
    View,
    at_least,
    at_most,
    log_slope,
    near,
    rows_of,
)
from lemmata.papers.ic_recall.claims._temperature import below_log_two, with_global_optimum
from lemmata.papers.ic_recall.run.algebra import WarmupAlgebra
from lemmata.papers.ic_recall.run.dynamics import WarmupEscape, WarmupStages, smaller_pair
from lemmata.papers.ic_recall.run.landscape import LowestPoint
from lemmata.papers.ic_recall.run.perturbed import PerturbedDescent
from lemmata.papers.ic_recall.theory import pairing, pairwise_line, saddle
from lemmata.report import plots

Escapes = dict[float, np.ndarray]  # by temperature: when each replica's loss was first below log 2 (NaN: never)
Ends = tuple[np.ndarray, np.ndarray, np.ndarray]  # smaller pair, left over (by replica), lowest loss (by temperature)


def _limit(v: np.ndarray) -> np.ndarray:
    """The limit of attention paths [path, record, 6]: what is left on s_3 and EoS decays like 1/t, so 2 v(t) - v(t/2)
    is closer to it than v(t)."""
    return 2 * v[:, -1] - v[:, (v.shape[1] - 1) // 2]


def _pushed(runs: Runs) -> Escapes:
    run = runs["escape"]
    return {t: run.column("steps", temperature=t) for t in sorted(run.config.temperatures)}


def _never_pushed(runs: Runs) -> Escapes:
    """Stage 1 is the same descent, never pushed: it comes as near to the saddle as it likes and stays above log 2."""
    run = runs["stages"]
    below = run.arrays["stage1_loss"] < np.log(2.0)
    every = run.config.steps1 // run.config.records
    first = np.where(below.any(1), every * below.argmax(1), np.nan)
    return dict(zip(run.config.temperatures, first[:, None], strict=True))


def _least_share(escapes: Escapes) -> float:
    return min(float(np.mean(np.isfinite(steps))) for steps in escapes.values())


def _kept_promise(run: RunResult) -> Successes:
    """At each temperature, how many pushes left the saddle as promised."""
    config = run.config
    counts = [(run.column("least_drop", temperature=t) >= config.promise(t).drop).sum() for t in config.temperatures]
    return Successes(np.array(counts), len(config.seeds))


def _escaped(escapes: Escapes) -> Successes:
    """At each temperature, how many replicas got below log 2."""
    counts = [np.isfinite(steps).sum() for steps in escapes.values()]
    return Successes(np.array(counts), len(next(iter(escapes.values()))))


def _exponent(escapes: Escapes) -> float:
    """Of 1/T in the median number of steps; infinite if at some temperature nothing escaped."""
    if len(escapes) < 2:
        raise Undecided("an exponent needs two temperatures")
    if _least_share(escapes) == 0:
        return float("inf")
    medians = [max(float(np.nanmedian(steps)), 1.0) for steps in escapes.values()]
    return log_slope(1 / np.array(list(escapes)), np.array(medians))


def _velocities(run: RunResult, ahead: bool) -> np.ndarray:
    """d log psi / dt by autodiff at random points with v_5 = 0, where l(r_1) is (or is not) ahead of the mean logit."""
    v, slope = run.arrays["unpaired"], run.arrays["unpaired_theta"]
    keep = (np.asarray(pairing.advantage(v, run.config.temperature)) > 0) == ahead
    return np.asarray(pairing.psi_velocity(v, slope))[keep]


def _rises(run: RunResult) -> np.ndarray:
    """The largest rise of psi on each path, where L_1 < log 2."""
    if not run.metrics["escaped"].all():
        raise Undecided("some path never comes below L_1 = log 2, and the lemma speaks of none of it")
    return run.metrics["largest_rise"]


def _rises_across(run: RunResult) -> np.ndarray:
    """The rises of psi for the wrong pairs, (s_1, a_2) and (s_2, a_1)."""
    v, below = run.arrays["v"], run.arrays["loss"] < np.log(2.0)
    log_psi = np.abs(np.log(v[..., [0, 2]] / v[..., [3, 1]])).max(axis=-1)
    return np.where(below[:, :-1], np.diff(log_psi, axis=1), -np.inf).max(axis=1)


def _reached(runs: Runs) -> Ends:
    run, lowest = runs["stages"], runs["lowest"]
    losses = [lowest.column("loss", temperature=t).min() for t in lowest.config.temperatures]
    return run.metrics["smaller_pair"], run.metrics["left_over"], np.array(losses)


def _before_the_push(runs: Runs) -> Ends:
    run = runs["stages"]
    v = np.repeat(run.arrays["stage1_v"][:, -1], len(run.config.seeds), axis=0)
    return smaller_pair(v), v[:, 4:].sum(-1), run.arrays["stage1_loss"][:, -1]


def _best_pair(temperature: float) -> float:
    """x_T, the root of the corrected line."""
    found = pairwise_line.critical_points(temperature).minimum
    if np.isnan(found):
        raise OutsideSetting(f"at T = {temperature:g} the pairwise line has no minimum beside the saddle")
    return found


def _best_pairs(runs: Runs) -> np.ndarray:
    """Replica by replica."""
    run = runs["stages"].config
    return np.repeat([_best_pair(t) for t in run.temperatures], len(run.seeds))


def _best_losses(runs: Runs) -> np.ndarray:
    temperatures = runs["lowest"].config.temperatures
    return np.array([float(pairwise_line.warmup_line_loss(_best_pair(t), t)) for t in temperatures])


def _by_replica(name: str) -> dict[str, Any]:
    return {"replica": lambda runs: rows_of(runs[name], T="temperature", seed="seed")}


CLAIMS = (
    Claim(
        id="lemma-b.4",
        locus="Appendix B, Lemma B.4",
        uses=("lemma-b.4-initial", "lemma-b.4-gradients", "lemma-b.4-saddle"),
        statement="Stage 1 (gradient descent from theta = 0) converges to v = (1/4, 1/4, 1/4, 1/4, 0, 0).",
        subject=lambda runs: runs["stages"].arrays["stage1_v"],
        wrong=lambda runs: runs["stages"].arrays["stage2_v"][:: len(runs["stages"].config.seeds)],
        parts=Part(
            _limit,
            near(lambda runs: np.tile(saddle.SADDLE, (len(runs["stages"].config.temperatures), 1)), atol=5e-3),
            along={
                "T": lambda runs: runs["stages"].config.temperatures,
                "on": ("s_1", "a_1", "s_2", "a_2", "s_3", "EoS"),
            },
        ),
        remark="Kept on v_1 = v_3, v_2 = v_4 (rounding alone would leave the saddle after enough steps). Attention on "
        "s_3 and EoS dies like 1/t, with a rate proportional to p_3/T, so the limit is extrapolated: 2 v(t) - v(t/2). "
        "The control is Stage 2.",
    ),
    Claim(
        id="lemma-b.5",
        locus="Appendix B, Lemma B.5",
        uses=(
            "lemma-b.6",
            "lemma-b.5-term-i",
            "lemma-b.5-term-ii",
            "lemma-b.5-logit-gap",
            "lemma-b.5-logit-gradients",
            "lemma-b.5-eigenvalue",
            "lemma-b.5-saddle-loss",
        ),
        statement="After the push, with probability at least 1 - delta, the loss is below log 2 within poly(1/T) "
        "steps.",
        needs={"escape": below_log_two()},
        subject=_pushed,
        wrong=_never_pushed,
        parts={
            "share that escaped": Part(
                _escaped,
                at_least(lambda runs: 1 - runs["escape"].config.delta, over_seeds=True),
                along={"T": lambda runs: sorted(runs["escape"].config.temperatures)},
            ),
            "exponent of 1/T in the steps": Part(_exponent, at_most(2.0)),
        },
        remark="With eta proportional to T^2 and curvature 1/(8T) the steps grow like log(1/T)/T; the control has no "
        "push.",
    ),
    Claim(
        id="lemma-b.6",
        locus="Appendix B, Lemma B.6 (Lemma 14 of Jin et al., 2017)",
        statement="Pushed by at most sqrt(eta alpha) gamma^2/(rho alpha) log^-2(d alpha/(delta gamma)) from a saddle "
        "of curvature -gamma, gradient descent has, with probability 1 - delta, lowered the loss by eta alpha "
        "gamma^3/rho^2 log^-3(...) after log(...)/(c eta gamma) steps, and keeps it so.",
        subject=lambda runs: runs["pushed/saddle"],
        wrong=lambda runs: runs["pushed/minimum"],
        parts=Part(
            _kept_promise,
            at_least(lambda runs: 1 - runs["pushed/saddle"].config.delta, over_seeds=True),
            along={"T": lambda runs: runs["pushed/saddle"].config.temperatures},
        ),
        remark=lambda runs: (
            f"On the warm-up's loss at its saddle, with its own alpha, rho and gamma and c = "
            f"{runs['pushed/saddle'].config.constant:g}. The control is pushed from the minimum instead, where the "
            "lemma does not apply."
        ),
    ),
    Claim(
        id="lemma-b.7",
        locus="Appendix B, Lemma B.7",
        uses=("lemma-b.7-identity", "lemma-b.7-differences"),
        statement="With v_5 = 0 and l(r_1) above the mean logit, psi = max(v1/v2, v2/v1, v3/v4, v4/v3) only decreases.",
        subject=lambda runs: (_velocities(runs["algebra"], True), _rises(runs["escape"])),
        wrong=lambda runs: (_velocities(runs["algebra"], False), _rises_across(runs["escape"])),
        parts={
            "velocity at random points": Part(lambda psi: psi[0], at_most(0.0)),
            "largest rise along training": Part(
                lambda psi: psi[1], at_most(0.0, slack=1e-13), along=_by_replica("escape")
            ),
        },
        remark="The velocity is of log psi under gradient flow, by autodiff. The control takes points where l(r_1) is "
        "not ahead, where psi can rise, and on the trained paths the psi of the wrong pairs. The slack is rounding of "
        "log psi near 0.",
    ),
    Claim(
        id="thm-4.2",
        locus="Theorem 4.2 and Theorem B.3",
        uses=(
            "lemma-b.4",
            "lemma-b.5",
            "lemma-b.7",
            "thm-b.3-symmetry",
            "thm-b.3-critical-points",
            "thm-b.3-unique",
            "thm-b.3-claim-1",
        ),
        statement="Algorithm 1 run to convergence ends at the global minimum of L_1, v = (a, a, 1/2 - a, 1/2 - a, "
        "0, 0) with a != 1/4.",
        needs={"stages": with_global_optimum(), "lowest": with_global_optimum()},
        subject=_reached,
        wrong=_before_the_push,
        parts={
            "smaller pair": Part(lambda ends: ends[0], near(_best_pairs, atol=1e-3), along=_by_replica("stages")),
            "left on s_3 and EoS": Part(lambda ends: ends[1], at_most(2e-3), along=_by_replica("stages")),
            "lowest loss": Part(
                lambda ends: ends[2],
                near(_best_losses, atol=1e-8),
                along={"T": lambda runs: runs["lowest"].config.temperatures},
            ),
        },
        remark="Every seed, at each temperature. a is the root x_T of the corrected line; 'lowest loss' is the best of "
        "many minimisations over the whole simplex. Up to which temperature the minimum is global, and up to which it "
        "exists: see ic-recall/phase. The control is the end of Stage 1.",
    ),
)


def draw(runs: Runs) -> Artefact:
    stages, escape = runs["stages"], runs["escape"]
    figure, ((left, right), (lower_left, lower_right)) = plots.new_figure(2, 2)
    every = stages.config.steps1 // stages.config.records
    for colour, t, v in zip(plots.CYCLE, stages.config.temperatures, stages.arrays["stage1_v"], strict=False):
        for column, style, name in ((4, "-", "s₃"), (5, "--", "EoS")):
            steps = every * np.arange(1, len(v))
            left.plot(steps, v[1:, column], style, color=colour, label=f"{name}, T = {t:g}")
    left.set(xscale="log", yscale="log", xlabel="step of Stage 1", ylabel="attention left on s₃ and EoS")
    plots.legend(left, ncols=2)
    temperatures, first = np.unique(escape.metrics["temperature"][escape.config.drawn], return_index=True)
    steps, shown = 5 * np.arange(escape.arrays["loss"].shape[1]), len(temperatures) // 2
    for k, name in enumerate(("s₁", "a₁", "s₂", "a₂")):
        v = escape.arrays["v"][first[shown], :, k]
        right.plot(steps, v, "--" if k % 2 else "-", color=plots.CYCLE[k // 2], label=name)
    title = f"escape and pairing, T = {temperatures[shown]:g}"
    right.set(xlabel="step of Stage 2", ylabel="attention v", title=title, xlim=(0, 500))
    for colour, t, j in zip(plots.CYCLE, temperatures, first, strict=False):
        lower_left.plot(steps, escape.arrays["loss"][j], color=colour, label=f"T = {t:g}")
        lower_right.plot(steps, np.maximum(escape.arrays["log_psi"][j], 1e-16), color=colour)
    plots.ceiling(lower_left, np.log(2.0), "log 2")
    lower_left.set(xlabel="step of Stage 2", ylabel="loss L₁", xlim=(0, 500))
    lower_right.set(xlabel="step of Stage 2", ylabel="log ψ", yscale="log")
    plots.legend(right)
    plots.legend(lower_left)
    optima = [pairwise_line.critical_points(t).minimum for t in stages.config.temperatures]
    table = {**stages.metrics, "predicted_smaller_pair": np.repeat(optima, len(stages.config.seeds))}
    caption = (
        f"Algorithm 1 with eta = {stages.config.rate:g} T². Upper left: in Stage 1, kept on the symmetric subspace, "
        "attention on the query and EoS dies like 1/t. Then from the exact saddle, pushed: one seed's attention, its "
        "loss passing log 2, and ψ, which is 1 when attention is pairwise. The table has the ends of "
        f"{len(stages.config.seeds)} seeds a temperature."
    )
    return Artefact(figure, table, caption)


def views(runs: Runs) -> list[View]:
    """The escape from the saddle at every temperature: attention pairs up, and the loss falls below log 2."""
    escape = runs["escape"]
    temperatures, first = np.unique(escape.metrics["temperature"][escape.config.drawn], return_index=True)
    steps = 5 * np.arange(escape.arrays["loss"].shape[1])
    names = [f"T = {t:g}" for t in temperatures]
    return [
        Frames(
            title="Attention on the way from the saddle",
            steps=steps,
            values=escape.arrays["v"][first].swapaxes(0, 1),
            rows=names,
            columns=["s₁", "a₁", "s₂", "a₂", "s₃", "EoS"],
            note="One seed a temperature; Stage 2 from the exact saddle, pushed.",
        ),
        Curves(
            title="Loss on the way from the saddle",
            steps=steps,
            series={name: escape.arrays["loss"][j] for name, j in zip(names, first, strict=True)},
            band=(0.0, float(np.log(2.0))),
            note="The band: below log 2, where the saddle has been escaped.",
        ),
        *(_on_the_line(escape, int(j), float(t), steps) for j, t in zip(first, temperatures, strict=True)),
    ]


def _on_the_line(escape: RunResult, seed: int, temperature: float, steps: np.ndarray) -> Track:
    x = np.linspace(0.0, 0.5, 201)
    return Track(
        title=f"On the pairwise line, T = {temperature:g}",
        steps=steps,
        x=escape.arrays["v"][seed, :, :2].mean(axis=-1),
        y=escape.arrays["loss"][seed],
        x_label="attention on s₁ and on a₁",
        y_label="loss L₁",
        line=(x, np.asarray(pairwise_line.warmup_line_loss(x, temperature))),
        note="The line: the loss at v = (x, x, 1/2 - x, 1/2 - x, 0, 0). The point: one seed's attention and loss.",
    )


def warmup_stages(scale: Scale) -> WarmupStages:
    wide = (0.025, 0.03, 0.04, 0.05, 0.06)
    return WarmupStages(
        temperatures=scale.pick(smoke=(0.05, 0.06), laptop=wide[1:], paper=wide),
        seeds=scale.seeds(smoke=2, laptop=8, paper=32),
        steps1=scale.pick(smoke=15_000, laptop=120_000, paper=1_000_000),
        steps2=scale.pick(smoke=20_000, laptop=60_000, paper=400_000),
    )


def _runs(scale: Scale) -> dict[str, RunConfig]:
    ladder, stages = WarmupEscape.temperatures, warmup_stages(scale)
    return {
        "stages": stages,
        "escape": WarmupEscape(
            temperatures=scale.pick(smoke=(0.02, 0.04, 0.06), laptop=ladder, paper=ladder),
            seeds=scale.seeds(smoke=2, laptop=48, paper=200),
            steps=scale.pick(smoke=500, laptop=1500, paper=3000),
        ),
        "lowest": LowestPoint(
            temperatures=stages.temperatures, starts=scale.pick(smoke=4, laptop=64, paper=512), steps=2000
        ),
        **{
            f"pushed/{start}": PerturbedDescent(start=start, seeds=scale.seeds(smoke=6, laptop=48, paper=200))
            for start in ("saddle", "minimum")
        },
        "algebra": WarmupAlgebra(points=scale.pick(smoke=64, laptop=4096, paper=65_536), seed=1),
    }


EXPERIMENT = Experiment(
    title="Three subjects trained: the saddle, the escape, the pairwise optimum",
    runs=_runs,
    claims=CLAIMS,
    draw=draw,
    live=Live(views=views),
)
