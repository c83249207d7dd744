"""Beyond the paper: at which temperatures the pairwise optimum exists, is global, and recalls; n = 3 to 2^61 - 1."""

import numpy as np

from lemmata.core import Artefact, RunConfig, Scale
from lemmata.core.legacy import AtLeast, Claim, Close, Each, Exact, Experiment, Results
from lemmata.papers.ic_recall.run.landscape import LowestPoint
from lemmata.papers.ic_recall.run.phase import PhaseRun
from lemmata.papers.ic_recall.theory import pairwise_line, phase
from lemmata.report import plots

LOCUS = "beyond the paper: what T <= C_1 / log n of Theorem 4.4 allows"
ROOTS = Close(rtol=1e-9)


def _column(results: Results, name: str) -> np.ndarray:
    return results.one(PhaseRun).metrics[name]


def _tau(results: Results, name: str) -> np.ndarray:
    return _column(results, name) * np.log(_column(results, "n"))


def _against_theory(name: str, id: str, statement: str, remark: str = "") -> Claim:
    return Claim(
        id=f"ic-recall/{id}",
        locus=LOCUS,
        statement=statement,
        predict=lambda results: _column(results, f"theory_{name}"),
        measure=lambda results: _column(results, name),
        control=lambda results: np.roll(_column(results, name), 1),
        check=ROOTS,
        remark=remark,
    )


def _largest(results: Results, name: str) -> float:
    return float(_tau(results, name)[np.argmax(_column(results, "n"))])


def _lowest_on_simplex(results: Results) -> np.ndarray:
    return np.array(
        [run.column("loss", temperature=t).min() for run in _searches(results) for t in run.config.temperatures]
    )


def _lowest_on_line(results: Results) -> np.ndarray:
    return np.array(
        [
            phase.best_line_loss(t, float(np.log(run.config.n)))
            for run in _searches(results)
            for t in run.config.temperatures
        ]
    )


def _searches(results: Results) -> Results:
    return results.where(LowestPoint)


def _kind(smaller: float) -> str:
    return "one pair" if smaller < 5e-3 else "equal pairs" if smaller > 0.245 else "both pairs, unequal"


def _kinds_found(results: Results) -> list[str]:
    """What the lowest point of the simplex looks like, world by world and temperature by temperature."""
    found = []
    for run in _searches(results):
        for t in run.config.temperatures:
            keep = run.metrics["temperature"] == t
            best = np.flatnonzero(keep)[np.argmin(run.metrics["loss"][keep])]
            v = np.array([run.metrics[f"v{i}"][best] for i in range(1, 5)])
            found.append(_kind(float(min(v[:2].mean(), v[2:].mean()))))
    return found


def _kinds_expected(results: Results) -> list[str]:
    found = []
    for run in _searches(results):
        log_n = float(np.log(run.config.n))
        for t in run.config.temperatures:
            grid = np.linspace(0, 0.25, 4001)
            found.append(_kind(float(grid[np.argmin(pairwise_line.line_loss(grid, t, log_n))])))
    return found


CLAIMS = (
    _against_theory(
        "exist",
        "phase-exist",
        "The highest temperature at which the loss has an unequal local minimum on the pairwise line (a fold).",
        "T log n grows from 0.0998 at n = 3 towards 1/2.",
    ),
    _against_theory(
        "global",
        "phase-global",
        "The highest temperature at which that minimum is lower than (1/2, 1/2, 0, 0, 0, 0), where one pair takes all.",
        "0.0884 at n = 3: beyond it Theorem 4.2's conclusion is false. T log n tends to 1/2.",
    ),
    _against_theory(
        "recall",
        "phase-recall",
        "The highest temperature at which some pairwise attention has loss below log 2.",
        "T log n is least near n = 5 (0.061) and tends to 1/8: beyond that no attention tells r_1 from n other "
        "relations.",
    ),
    _against_theory(
        "sure",
        "phase-sure",
        "The highest temperature at which some pairwise attention gives p(r_1) >= 0.999.",
        "T log n is 0.0081 at n = 3 and grows with n, so Theorem 4.4's C_1 is at most 0.0081 if n = 3 is included, "
        "and the "
        "proofs' 1/40 = 0.025 is small enough from n of about 110 on.",
    ),
    Claim(
        id="ic-recall/phase-limit",
        locus=LOCUS,
        statement="As n grows T log n tends to 1/2 where one pair takes over, as 1/2 - e with e from the balance of "
        "one-match "
        "and no-match relations, and to 1/8 where recall is lost, as N / (8 (N + 2 - log(32 T))), N = log n.",
        predict=lambda results: {
            "one pair takes over": phase.collapse_asymptote(float(np.log(_column(results, "n").max()))),
            "recall is lost": phase.recall_asymptote(float(np.log(_column(results, "n").max()))),
        },
        measure=lambda results: {
            "one pair takes over": _largest(results, "global"),
            "recall is lost": _largest(results, "recall"),
        },
        control=lambda results: {
            "one pair takes over": float(_tau(results, "global")[0]),
            "recall is lost": float(_tau(results, "recall")[0]),
        },
        check=Each({"one pair takes over": Close(rtol=0.03), "recall is lost": Close(rtol=0.03)}),
        remark="At n = 2^61 - 1; the next correction is of relative order 1/log n = 0.024. The control is n = 3.",
    ),
    Claim(
        id="ic-recall/phase-line",
        locus=LOCUS,
        statement="The lowest loss over the whole simplex of attention is attained on the pairwise line.",
        predict=_lowest_on_line,
        measure=_lowest_on_simplex,
        control=lambda results: (
            np.array(
                [
                    np.median(run.column("loss", temperature=t))
                    for run in _searches(results)
                    for t in run.config.temperatures
                ]
            )
            + 1e-3
        ),
        check=Close(atol=1e-7),
        remark="The best of many minimisations from random starts, n = 3 and 101, below and above each transition.",
    ),
    Claim(
        id="ic-recall/phase-order",
        locus=LOCUS,
        statement="As T rises the best attention goes from both pairs, unequal, to one pair; for n >= 33 with "
        "equal pairs, "
        "(1/4, 1/4, 1/4, 1/4, 0, 0), in between: there nothing escapes what Stage 1 finds, and p(r_1) <= 1/2.",
        predict=_kinds_expected,
        measure=_kinds_found,
        control=lambda results: _kinds_found(results)[::-1],
        check=Exact(),
        remark="For n = 101 equal pairs are best between T log n = 0.097 and 0.158, then unequal pairs again up to "
        "0.274.",
    ),
    Claim(
        id="ic-recall/phase-paper",
        locus=LOCUS,
        statement="At the proofs' own temperature, T = 1/(40 log n), the pairwise optimum exists, is global and "
        "recalls, at every n.",
        predict=lambda results: np.full(3 * len(_column(results, "n")), phase.PAPER_CONSTANT),
        measure=lambda results: np.concatenate([_tau(results, name) for name in ("exist", "global", "recall")]),
        control=lambda results: _tau(results, "sure")[:1].repeat(3 * len(_column(results, "n"))),
        check=AtLeast(),
    ),
)


def _render(results: Results) -> Artefact:
    metrics = results.one(PhaseRun).metrics
    n, order = metrics["n"], np.argsort(metrics["n"])
    log_n = np.log(n[order])
    figure, (left, right) = plots.new_figure(1, 2, width=10)
    names = {
        "exist": "unequal pairwise minimum exists",
        "global": "… and is the global minimum",
        "recall": "best loss < log 2",
        "sure": "best p(r₁) ≥ 0.999",
    }
    for colour, (name, label) in zip(plots.CYCLE, names.items(), strict=False):
        left.plot(n[order], metrics[name][order], "o-", markersize=4, color=colour, label=label)
        right.plot(n[order], metrics[name][order] * log_n, "o-", markersize=4, color=colour, label=label)
    left.plot(n[order], metrics["paper"][order], "--", color=plots.GREY, label="the proofs' 1/(40 log n)")
    windows = np.array([phase.equal_window(float(x)) for x in np.log(np.geomspace(33, n.max(), 60))])
    sizes = np.geomspace(33, n.max(), 60)
    left.fill_between(sizes, windows[:, 0], windows[:, 1], color=plots.GREY, alpha=0.25, label="equal pairs stable")
    right.fill_between(
        sizes, windows[:, 0] * np.log(sizes), windows[:, 1] * np.log(sizes), color=plots.GREY, alpha=0.25
    )
    for value, label in ((1 / 2, "1/2"), (1 / 8, "1/8"), (1 / 18, "1/18 (near v = 1/6)"), (1 / 40, "1/40 (proofs)")):
        plots.ceiling(right, value, label)
        right.text(n.max(), value, f" {label}", va="center", fontsize=7)
    left.set(xscale="log", yscale="log", xlabel="subjects n", ylabel="temperature T", title="phase diagram")
    right.set(xscale="log", xlabel="subjects n", ylabel="T log n", ylim=(0, 0.55), title="the constant C₁")
    plots.legend(left, loc="upper right", fontsize=7)
    table = {"n": n, **{name: metrics[name] for name in (*names, "paper")}}
    table |= {f"{name} × log n": metrics[name] * np.log(n) for name in names}
    caption = (
        "Full affine worlds, every sequence confusing and mismatched. Below the curves the pairwise optimum exists, "
        "is the "
        "global minimum of L₁, beats guessing between r₁ and r₂, reaches 0.999; in the shaded band the equal point is "
        "stable and nothing leaves it. Right: the same times log n, with the limits 1/2 and 1/8 for n → ∞. "
        "Bisection on "
        "the engine's autodiffed loss (float64), no seeds."
    )
    return Artefact(figure, table, caption)


def _grid(scale: Scale) -> tuple[RunConfig, ...]:
    sizes = scale.pick(smoke=(3, 101, 2**61 - 1), laptop=PhaseRun.sizes, paper=PhaseRun.sizes)
    starts = scale.pick(smoke=16, laptop=64, paper=512)
    return (
        PhaseRun(sizes=sizes),
        LowestPoint(n=3, temperatures=(0.03, 0.07, 0.087, 0.095), starts=starts, steps=2000),
        LowestPoint(n=101, temperatures=(0.01, 0.025, 0.05, 0.065), starts=starts, steps=2000),
    )


EXPERIMENTS = (
    Experiment(
        id="ic-recall/phase",
        title="At which temperatures the pairwise optimum exists, wins and recalls",
        grid=_grid,
        claims=CLAIMS,
        render=_render,
    ),
)
