"""Appendices B and C in time: features emerge one after another, each in three phases, when the power method says."""

from collections.abc import Callable
from dataclasses import replace
from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Condition, Experiment, Part, RunResult, Runs, Scale, at_most, exactly, near
from lemmata.core.rule import log_slope, slope_near
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._feature_flows import all_learned, by_size, counts, each, phase_runs
from lemmata.papers.lego.probe.feature_shapes import intervals, median, shapes, unlearned
from lemmata.papers.lego.run.feature_flow import EARLY, FeatureFlow
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import emergence_time, split_before_cancelling
from lemmata.report.plots import CYCLE, columns, legend, letter, new_figure

FAMILIES = ("transitive", "symmetric")
POWERS = (4, 6)
OVERLAP = 0.1  # of the neighbours in time, at the largest d
HALF = 0.5
NO_POWER = 0.1  # what O~(mu) may grow by, as a power of d
CLOSE = 0.05


def runs_of(scale: Scale) -> dict[str, FeatureFlow]:
    found = phase_runs(scale)
    fine = {"stride": 0.01, "steps": sizes.ARRIVAL_STEPS.at(scale), "seeds": sizes.seeds(sizes.PHASE_SEEDS, scale)}
    name = sizes.PHASE_ACTIONS.at(scale)[0]
    for power in POWERS:
        for d in sizes.ARRIVAL_VOCABULARIES.at(scale):
            found[f"q = {power}/{d:.0e}"] = FeatureFlow(action=name, vocabulary=d, power=power, **fine)
    return found


NEEDS: dict[str, Condition] = dict.fromkeys(FAMILIES, all_learned)


def vocabularies(group: str):
    return {"d": each(group, lambda run: run.config.vocabulary)}


def in_order(run: RunResult) -> bool:
    """T^1 < T^{2,1} < T^{2,2} for every feature."""
    times = [run.arrays[name] for name in ("emerged", "grown", "confident")]
    return bool(np.all(times[0] < times[1]) and np.all(times[1] < times[2]))


def larger(runs: Runs, family: str) -> list[RunResult]:
    """Without the smallest d, where some combinations are learned by two neurons at once."""
    return by_size(runs, family)[1:]


def backwards(run: RunResult) -> RunResult:
    """Phases II.1 and II.2 in each other's place."""
    swapped = dict(run.arrays) | {"grown": run.arrays["confident"], "confident": run.arrays["grown"]}
    return replace(run, arrays=swapped)


ORDER = Claim(
    id="phases-order",
    locus="Section B.1.2, phase decomposition; Definition C.9; Lemmas B.8 and C.8",
    statement=r"Each learned feature $\psi$ passes Phase I, $V_\psi \ge d^{c_1}\mu$, then II.1, $V_\psi \ge \frac12 "
    r"\log d$, then II.2, $1 - p \le d^{-1/2}$ on its combination: $T^1_\psi < T^{2,1}_\psi < T^{2,2}_\psi$. Judged "
    r"of every feature with $c_1 = 1/8$, for $d \ge 10^6$. Control: the ends of II.1 and II.2 exchanged.",
    needs=NEEDS,
    subject=lambda runs: {family: [in_order(run) for run in larger(runs, family)] for family in FAMILIES},
    wrong=lambda runs: {family: [in_order(backwards(run)) for run in larger(runs, family)] for family in FAMILIES},
    parts={family: Part(lambda found, f=family: all(found[f]), exactly(True)) for family in FAMILIES},
)


def overlaps(run: RunResult, since: str = "emerged") -> float:
    """The share of neighbours whose intervals overlap, in the worst seed."""
    return float(np.max(1 - intervals(run, since)))


def by_d(runs: Runs, since: str) -> dict[str, list[float]]:
    return {family: [overlaps(run, since) for run in by_size(runs, family)] for family in FAMILIES}


INTERVALS = Claim(
    id="phases-intervals",
    locus="Inductions B.1b and C.1b",
    uses=("phases-order",),
    statement=r"The intervals $[T^1_\psi, T_\psi]$ in which features are learned do not overlap: $T_\psi \le "
    r"T^1_{\psi'}$ for $\psi <_\Sigma \psi'$. Judged with $c_1 = 1/8$ and $T^{2,2}_\psi$, in the worst seed: of "
    r"features that follow one another the share that overlaps is at most $0.1$ at the largest $d$, and at most half "
    r"of that at $d = 10^4$. Control: intervals that begin at $t = 0$.",
    needs=NEEDS,
    subject=lambda runs: by_d(runs, "emerged"),
    wrong=lambda runs: by_d(runs, "start"),
    parts={f"{f}, largest d": Part(lambda found, f=f: found[f][-1], at_most(OVERLAP)) for f in FAMILIES}
    | {
        f"{f}, largest over smallest d": Part(lambda found, f=f: found[f][-1] / found[f][0], at_most(HALF))
        for f in FAMILIES
    },
)


def rivals(run: RunResult) -> float:
    """The largest V of another feature of a neuron, at the end of its Phase I."""
    return float(run.arrays["rival at emerged"].max())


def heights(runs: Runs) -> str:
    """How large they are."""
    words = []
    for family in FAMILIES:
        group = larger(runs, family)
        sizes_of = [(rivals(run) / run.config.bias, unlearned(run).max() / run.config.bias) for run in group]
        rival, idle = (max(column) for column in zip(*sizes_of, strict=True))
        words.append(f"{group[0].config.action}: rivals up to {rival:.1f}, idle neurons up to {idle:.0f}")
    return r"In units of $\mu$, for $d \ge 10^6$. " + "; ".join(words) + "."


def power_of_size(group: list[RunResult], read: Callable[[RunResult], float]) -> float:
    """The power of d by which a magnitude grows in units of mu."""
    size = [run.config.vocabulary for run in group]
    return log_slope(np.array(size), np.array([read(run) / run.config.bias for run in group]))


def competing(runs: Runs, idle: Callable[[RunResult], float], rival: Callable[[RunResult], float]) -> dict[str, float]:
    found = {f"{family}, rivals": power_of_size(larger(runs, family), rival) for family in FAMILIES}
    return found | {f"{family}, idle neurons": power_of_size(by_size(runs, family), idle) for family in FAMILIES}


COMPETITION = Claim(
    id="phases-competition",
    locus="Lemmas B.3 and C.3; Induction B.2a; Theorems B.1 and C.1, D",
    uses=("phases-order",),
    statement=r"When a feature has emerged, $V_\psi = d^{c_1}\mu$, every other feature of its neuron is at most "
    r"$\tilde{O}(\mu)$, and a neuron that wins no combination stays there to the end. Judged, since $\tilde{O}$ allows "
    r"no power of $d$: the power by which the largest rival grows in units of $\mu$, for $d \ge 10^6$, is at most "
    r"$c_1/2 = 1/16$, and that of idle neurons at most $0.1$. Control: the features that win.",
    needs=NEEDS,
    subject=lambda runs: competing(runs, lambda run: float(unlearned(run).max()), rivals),
    wrong=lambda runs: competing(
        runs, lambda run: median(shapes(run)["output"]), lambda run: run.config.vocabulary**EARLY * run.config.bias
    ),
    parts={
        name: Part(itemgetter(name), at_most(bound))
        for f in FAMILIES
        for name, bound in ((f"{f}, rivals", EARLY / 2), (f"{f}, idle neurons", NO_POWER))
    },
    remark=heights,
)


def split(run: RunResult) -> float:
    """V(g) / V(y) at the end of Phase II.1, median over features and seeds."""
    return median(run.arrays["action at grown"] / run.arrays["value at grown"])


SPLIT = Claim(
    id="phases-split",
    locus="Lemma B.5a; Lemma C.2 and Induction C.2",
    uses=("phases-order",),
    statement=r"At the end of Phase II.1 a simply transitive action's neuron has $V(g) = \frac12 \log d \pm o(1) = "
    r"V(y)$; that of a fibre grows $n_G/n_y$ times as fast in $V(y)$ as in each $V(g)$. Judged along $d$: "
    r"$V(g)/V(y)$, the median over features, is 1 and $n_y/n_G$. Control: the two families in each other's place.",
    needs=NEEDS,
    subject=lambda runs: {f: [split(run) for run in by_size(runs, f)] for f in FAMILIES},
    wrong=lambda runs: {
        f: [split(run) for run in by_size(runs, g)] for f, g in zip(FAMILIES, FAMILIES[::-1], strict=True)
    },
    parts={
        f: Part(
            lambda found, f=f: found[f],
            near(each(f, lambda run: float(split_before_cancelling(*counts(run)))), rtol=CLOSE),
            along=vocabularies(f),
        )
        for f in FAMILIES
    },
)


def first_arrivals(run: RunResult) -> tuple[float, float]:
    """The time of the first feature's Phase I, mean over seeds, and the median over all that emerged of their times
    over what the power method says from each one's start."""
    arrays, config, ratios = run.arrays, run.config, []
    table, power = action(config.action).table, config.power
    for seed, j, y in zip(*np.nonzero(np.isfinite(arrays["emerged"])), strict=True):
        r, fibre = arrays["neuron"][seed, j, y], table[:, y] == j
        start = (arrays["initial.action"][seed, r, j, fibre].mean() + arrays["initial.value"][seed, r, j, y]) / 2
        end = (1 + config.vocabulary**EARLY) * config.bias
        said = emergence_time(start + config.bias, end, *counts(run), power, config.smoothing)
        ratios.append(arrays["emerged"][seed, j, y] / said)
    return float(arrays["emerged"].min(axis=(1, 2)).mean()), median(ratios)


def arrivals(runs: Runs, power: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """mu, first times, and times over the predicted, by d."""
    group = by_size(runs, f"q = {power}")
    times, ratios = zip(*(first_arrivals(run) for run in group), strict=True)
    return np.array([run.config.bias for run in group]), np.array(times), np.array(ratios)


def of_other_power(runs: Runs, power: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    other = POWERS[1 - POWERS.index(power)]
    mu, times, ratios = arrivals(runs, other)
    return mu, times, ratios * times / arrivals(runs, power)[1]


ARRIVAL = Claim(
    id="phases-arrival",
    locus="Lemmas A.4, B.8a, C.8a and B.13",
    uses=("power-growth",),
    statement=r"By the tensor power method (Lemma B.13) a feature's Phase I takes a time of order $\sigma_0^{-(q-2)}$. "
    r"Judged along the flow for $q = 4, 6$ in vocabularies from $10^4$ on, $\sigma_0 = d^{-1/2}$: the slope of the "
    r"first time in $\mu = \sigma_0 \log d$, and each time over $\frac{(b + V^{(0)})^{2-q}}{(q-2)\,r}$ less the same "
    r"at the end, with $r = \frac14(\frac{1}{n_G n_y} + \frac{1}{n_y^2})\varrho^{1-q}$. Control: the two $q$ "
    "exchanged.",
    subject=lambda runs: {power: arrivals(runs, power) for power in POWERS},
    wrong=lambda runs: {power: of_other_power(runs, power) for power in POWERS},
    parts={f"slope, q = {q}": Part(lambda found, q=q: found[q][:2], slope_near(2 - q, tolerance=0.15)) for q in POWERS}
    | {
        f"over the predicted time, q = {q}": Part(
            lambda found, q=q: found[q][2], near(1.0, atol=CLOSE), along=vocabularies(f"q = {q}")
        )
        for q in POWERS
    },
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=10.0, height=3.6)
    rows = []
    for family, colour in zip(FAMILIES, CYCLE, strict=False):
        group = by_size(runs, family)
        d = [run.config.vocabulary for run in group]
        axes[0].plot(d, [overlaps(run) for run in group], "o-", color=colour, label=group[0].config.action)
        rows += [
            {
                "run": f"{family}, d = {run.config.vocabulary:.0e}",
                "overlapping": overlaps(run),
                "V(g) / V(y)": split(run),
                "rivals / mu": rivals(run) / run.config.bias,
            }
            for run in group
        ]
    for power, colour in zip(POWERS, CYCLE, strict=False):
        mu, times, _ = arrivals(runs, power)
        axes[1].plot(mu, times, "o", color=colour, label=f"q = {power}")
        axes[1].plot(mu, times[0] * (mu / mu[0]) ** (2 - power), "-", color=colour, linewidth=1)
    axes[0].set(xscale="log", xlabel="d", ylabel="neighbours that overlap")
    axes[1].set(xscale="log", yscale="log", xlabel="μ = σ₀ log d", ylabel="time of the first feature's Phase I")
    for ax in axes:
        legend(ax, fontsize=7)
    letter(axes)
    caption = (
        "a: of features that follow one another in time, the share whose intervals [T¹, T²·²] overlap, in the worst "
        "seed. "
        "b: when the first feature has emerged; lines have slope 2 - q."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="The phases in which features are learned",
    runs=runs_of,
    claims=(ORDER, INTERVALS, COMPETITION, SPLIT, ARRIVAL),
    draw=draw,
)
