"""Beyond the paper: at which temperatures the pairwise optimum exists, is global, and recalls; n = 3 to 2^61 - 1."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall import sizes
from lemmata.papers.ic_recall.claims._formula import backwards
from lemmata.papers.ic_recall.run.landscape import LowestPoint
from lemmata.papers.ic_recall.run.phase import SURE, PhaseRun
from lemmata.papers.ic_recall.theory import pairwise_line, phase
from lemmata.report import plots

LOCUS = "beyond the paper: what T <= C_1 / log n of Theorem 4.4 allows"
TRANSITIONS = {
    "exist": "unequal pairwise minimum exists",
    "global": "… and is the global minimum",
    "recall": "best loss < log 2",
    "sure": "best p(r₁) ≥ 0.999",
}

LIMITS = {"1/2": 1 / 2, "1/8": 1 / 8, "1/18 (near v = 1/6)": 1 / 18, "1/40 (proofs)": phase.PAPER_CONSTANT}


def _tau(run: core.RunResult, name: str) -> np.ndarray:
    """T log n at a transition, world by world."""
    return run.metrics[name] * np.log(run.metrics["n"])


def _predicted(runs: core.Runs, name: str) -> np.ndarray:
    """The closed forms' own transitions."""
    root = {
        "exist": phase.existence_temperature,
        "global": phase.global_temperature,
        "recall": phase.recall_temperature,
        "sure": partial(phase.recall_temperature, loss=SURE),
    }[name]
    return np.array([root(math.log(n)) for n in runs["transitions"].config.sizes])


def _transition(name: str, statement: str, remark: Callable[[core.Runs], str]) -> core.Claim:
    return core.Claim(
        id=f"phase-{name}",
        locus=LOCUS,
        statement=statement,
        subject=lambda runs: runs["transitions"],
        wrong=lambda runs: backwards(runs["transitions"]),
        parts=core.Part(
            lambda run: run.metrics[name],
            core.near(partial(_predicted, name=name), rtol=1e-9),
            along={"n": lambda runs: runs["transitions"].metrics["n"]},
        ),
        remark=lambda runs: f"{remark(runs)} The control reads the temperatures of other worlds.",
    )


def _ends(runs: core.Runs, name: str) -> str:
    run = runs["transitions"]
    tau, n = _tau(run, name), run.metrics["n"]
    first, last = np.argmin(n), np.argmax(n)
    return f"T log n goes from {tau[first]:.4f} at n = {n[first]:.3g} to {tau[last]:.4f} at n = {n[last]:.3g}"


def _recall_remark(runs: core.Runs) -> str:
    run = runs["transitions"]
    least = np.argmin(_tau(run, "recall"))
    return (
        f"T log n is least at n = {run.metrics['n'][least]:.3g} ({_tau(run, 'recall')[least]:.3f}) and tends to 1/8: "
        "beyond that no attention tells r_1 from n other relations."
    )


def _sure_remark(runs: core.Runs) -> str:
    tau, n = _tau(runs["transitions"], "sure"), runs["transitions"].metrics["n"]
    enough = n[tau >= phase.PAPER_CONSTANT]
    words = f"{_ends(runs, 'sure')}, so Theorem 4.4's C_1 is at most {tau.min():.4f} if all these worlds are included"
    return words + (f"; the proofs' 1/40 is small enough from n = {enough.min():.3g} on." if len(enough) else ".")


def _taus(runs: core.Runs, choose: Callable[[np.ndarray], np.intp]) -> dict[str, float]:
    """T log n at the transitions of the world of the largest (np.argmax) or the smallest n."""
    run = runs["transitions"]
    return {name: float(_tau(run, name)[choose(run.metrics["n"])]) for name in ("global", "recall")}


def _largest_log_n(runs: core.Runs) -> float:
    return float(np.log(runs["transitions"].metrics["n"].max()))


def _searches(runs: core.Runs, order: int = 1) -> list[tuple[core.RunResult, float]]:
    """Each world's search, at each of its temperatures."""
    worlds = [*runs.group("search").values()][::order]
    return [(run, t) for run in worlds for t in run.config.temperatures]


def _lowest_on_simplex(searches: list[tuple[core.RunResult, float]]) -> np.ndarray:
    return np.array([run.column("loss", temperature=t).min() for run, t in searches])


def _lowest_on_line(runs: core.Runs) -> np.ndarray:
    return np.array([phase.best_line_loss(t, float(np.log(run.config.n))) for run, t in _searches(runs)])


def _kind(smaller: float) -> str:
    return "one pair" if smaller < 5e-3 else "equal pairs" if smaller > 0.245 else "both pairs, unequal"


def _kinds_found(searches: list[tuple[core.RunResult, float]]) -> list[str]:
    """What the lowest point of the simplex looks like, world by world and temperature by temperature."""
    found = []
    for run, t in searches:
        best = np.argmin(run.column("loss", temperature=t))
        v = [run.column(f"v{i}", temperature=t)[best] for i in range(1, 5)]
        found.append(_kind(float(min(np.mean(v[:2]), np.mean(v[2:])))))
    return found


def _kinds_expected(runs: core.Runs) -> list[str]:
    x = np.linspace(0, 0.25, 4001)
    losses = [pairwise_line.line_loss(x, t, float(np.log(run.config.n))) for run, t in _searches(runs)]
    return [_kind(x[np.argmin(loss)]) for loss in losses]


def _order_remark(runs: core.Runs) -> str:
    words = "The control reads each world's search in the other's place."
    n = max(run.config.n for run, _ in _searches(runs))
    log_n = float(np.log(n))
    low, high = phase.equal_window(log_n)
    if np.isnan(low):
        return words
    return (
        f"For n = {n} equal pairs are best between T log n = {low * log_n:.3f} and {high * log_n:.3f}, then unequal "
        f"pairs again up to {phase.global_temperature(log_n) * log_n:.3f}. {words}"
    )


def _transitions(runs: core.Runs) -> list[dict[str, Any]]:
    return core.crossed(transition=("exist", "global", "recall"), n=runs["transitions"].metrics["n"])


BY_SEARCH = {"search": lambda runs: [{"n": run.config.n, "T": t} for run, t in _searches(runs)]}

CLAIMS = (
    _transition(
        "exist",
        "In the full world of $n$ subjects the highest temperature at which the loss has an unequal local minimum on "
        "the pairwise line (a fold) is that of the closed form.",
        lambda runs: f"{_ends(runs, 'exist')}, on its way to 1/2.",
    ),
    _transition(
        "global",
        r"In the full world of $n$ subjects the highest temperature at which that minimum is lower than $(\frac12, "
        r"\frac12, 0, 0, 0, 0)$, where one pair takes all, is that of the closed form.",
        lambda runs: f"Beyond it Theorem 4.2's conclusion is false. {_ends(runs, 'global')}, on its way to 1/2.",
    ),
    _transition(
        "recall",
        "In the full world of $n$ subjects the highest temperature at which some pairwise attention has loss below "
        r"$\log 2$ is that of the closed form.",
        _recall_remark,
    ),
    _transition(
        "sure",
        r"In the full world of $n$ subjects the highest temperature at which some pairwise attention gives $p(r_1) \ge "
        "0.999$ is that of the closed form.",
        _sure_remark,
    ),
    core.Claim(
        id="phase-limit",
        locus=LOCUS,
        statement=r"As $n$ grows $T\log n$ tends to $\frac12$ where one pair takes over, as $\frac12 - e$ with $e$ "
        r"from the balance of one-match and no-match relations. Where recall is lost it tends to $\frac18$, as "
        r"$\frac{N}{8(N + 2 - \log(32T))}$ with $N = \log n$.",
        subject=lambda runs: _taus(runs, np.argmax),
        wrong=lambda runs: _taus(runs, np.argmin),
        parts={
            "one pair takes over": core.Part(
                lambda taus: taus["global"],
                core.near(lambda runs: phase.collapse_asymptote(_largest_log_n(runs)), rtol=0.03),
            ),
            "recall is lost": core.Part(
                lambda taus: taus["recall"],
                core.near(lambda runs: phase.recall_asymptote(_largest_log_n(runs)), rtol=0.03),
            ),
        },
        remark=lambda runs: (
            f"At the largest n; the next correction is of relative order 1/log n = {1 / _largest_log_n(runs):.3f}. The "
            f"control is n = {runs['transitions'].metrics['n'].min():.3g}."
        ),
    ),
    core.Claim(
        id="phase-line",
        locus=LOCUS,
        statement="In a small and a larger full world the lowest loss over the whole simplex of attention is attained "
        "on the pairwise line, below and above each transition.",
        subject=_searches,
        wrong=lambda runs: _searches(runs, order=-1),
        parts=core.Part(_lowest_on_simplex, core.near(_lowest_on_line, atol=1e-7), along=BY_SEARCH),
        remark="The best of many minimisations from random starts, in a small and a larger world, below and above "
        "each transition. The control reads each world's search in the other's place.",
    ),
    core.Claim(
        id="phase-order",
        locus=LOCUS,
        statement=r"As $T$ rises the best attention goes from both pairs, unequal, to one pair. For $n \ge 33$ equal "
        r"pairs, $(\frac14, \frac14, \frac14, \frac14, 0, 0)$, come in between: there nothing escapes what Stage 1 "
        r"finds, and $p(r_1) \le \frac12$.",
        subject=_searches,
        wrong=lambda runs: _searches(runs, order=-1),
        parts=core.Part(_kinds_found, core.exactly(_kinds_expected), along=BY_SEARCH),
        remark=_order_remark,
    ),
    core.Claim(
        id="phase-paper",
        locus=LOCUS,
        statement=r"At the proofs' own temperature, $T = \frac{1}{40\log n}$, the pairwise optimum exists, is global "
        "and recalls, at every $n$ tried.",
        subject=lambda runs: [_tau(runs["transitions"], name) for name in ("exist", "global", "recall")],
        wrong=lambda runs: [_tau(runs["transitions"], "sure")],
        parts=core.Part(np.concatenate, core.at_least(phase.PAPER_CONSTANT), along={"at": _transitions}),
        remark="The control asks the same of being sure (phase-sure), which takes a lower temperature where n is "
        "small.",
    ),
)


def _draw(runs: core.Runs) -> core.Artefact:
    metrics = runs["transitions"].metrics
    n, order = metrics["n"], np.argsort(metrics["n"])
    figure, (left, right) = plots.new_figure(1, 2, width=10)
    for ax, factor in ((left, np.ones(len(n))), (right, np.log(n))):
        for colour, (name, label) in zip(plots.CYCLE, TRANSITIONS.items(), strict=False):
            ax.plot(n[order], (metrics[name] * factor)[order], "o-", markersize=4, color=colour, label=label)
    printed = phase.PAPER_CONSTANT / np.log(n)
    left.plot(n[order], printed[order], "--", color=plots.GREY, label="the proofs' 1/(40 log n)")
    grid = np.geomspace(33, max(n.max(), 33), 60)
    windows = np.array([phase.equal_window(float(x)) for x in np.log(grid)]).T
    left.fill_between(grid, *windows, color=plots.GREY, alpha=0.25, label="equal pairs stable")
    right.fill_between(grid, *(windows * np.log(grid)), color=plots.GREY, alpha=0.25)
    for label, value in LIMITS.items():
        plots.ceiling(right, value)
        right.text(n.max(), value, f" {label}", va="top" if value < 0.05 else "bottom", fontsize=7)
    left.set(xscale="log", yscale="log", xlabel="subjects n", ylabel="temperature T", title="phase diagram")
    right.set(xscale="log", xlabel="subjects n", ylabel="T log n", ylim=(0, 0.55), title="the constant C₁")
    plots.legend_below(left)
    table = {"n": n, **{name: metrics[name] for name in TRANSITIONS}, "paper": printed}
    table |= {f"{name} × log n": metrics[name] * np.log(n) for name in TRANSITIONS}
    caption = (
        "Full affine worlds, every sequence confusing and mismatched. Below the curves the pairwise optimum exists, is "
        "the global minimum of L₁, beats guessing between r₁ and r₂, has p(r₁) ≥ 0.999; in the shaded band the equal "
        "point is stable and nothing leaves it. Right: the same times log n, with the limits 1/2 and 1/8 for n → ∞. "
        "Bisection on the model's autodiffed loss (float64), no seeds."
    )
    return core.Artefact(figure, table, caption)


def _runs(scale: core.Scale) -> dict[str, core.RunConfig]:
    starts = sizes.PHASE_STARTS.at(scale)
    return {
        "transitions": PhaseRun(sizes=sizes.PHASE_WORLDS.at(scale)),
        "search/3": LowestPoint(n=3, temperatures=(0.03, 0.07, 0.087, 0.095), starts=starts, steps=2000),
        "search/101": LowestPoint(n=101, temperatures=(0.01, 0.025, 0.05, 0.065), starts=starts, steps=2000),
    }


EXPERIMENT = core.Experiment(
    title="Phase diagram: at which temperatures the pairwise optimum exists, wins and recalls",
    runs=_runs,
    claims=CLAIMS,
    draw=_draw,
)
