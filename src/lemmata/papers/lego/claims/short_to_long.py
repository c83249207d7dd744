"""Theorem 4.1: trained on T^1 and T^2, how far a simply transitive action reaches; the balance of Q."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, RunResult, Runs, Scale, Undecided, log_slope
from lemmata.core.rule import at_least, at_most
from lemmata.papers.lego.claims._theory_runs import knows_its_action, trace, transitive_run
from lemmata.papers.lego.run.regime import RegimeCells
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, joined, legend, letter, new_figure

POWER = 0.25  # the least exponent that counts as a power of d
GROUPS = {  # of the runs: T_2 in words, colour, marker
    "linear": ("5 |X| steps", COLOURS["blue"], "o"),
    "quadratic": ("|X|²/8 steps", COLOURS["sky"], "s"),
    "symmetric": ("5 |X| steps", COLOURS["vermillion"], "o"),
}


def worlds(scale: Scale) -> dict[str, RunConfig]:
    """Worlds of growing |X| by T_2, with C_6: "linear" is 5 |X| steps, "quadratic" about |X|^2 / 8; at the paper's
    scale also S_5 with a linear T_2. And C_6 in one world, watched step by step."""
    if scale.name == "smoke":
        return {"linear/9": RegimeCells.smallest("C3"), "transitive": transitive_run(scale)}
    paper = scale.name == "paper"
    sizes = (41, 81, 161, 321, 641) if paper else (21, 41, 81, 161)
    longer = {size: size**2 // 80 * 10 for size in (41, 81, 161)}  # about the same as 5 |X| at |X| = 41
    return {
        **{f"linear/{size}": _world("C6", size, 5 * size, size, scale) for size in sizes},
        **{f"quadratic/{size}": _world("C6", size, steps, steps, scale) for size, steps in longer.items()},
        **{f"symmetric/{size}": _world("S5", size, 5 * size, size, scale) for size in sizes if paper},
        "transitive": transitive_run(scale),
    }


def _world(action: str, size: int, steps: int, every: int, scale: Scale) -> RegimeCells:
    return RegimeCells(
        action=action,
        variables=size,
        steps=steps,
        every=every,
        lengths=doubling_lengths(size - 1),
        test_sentences=64 if scale.name == "paper" else 32,
        seeds=scale.seeds(smoke=1, laptop=3, paper=3),
    )


def doubling_lengths(last: int) -> tuple[int, ...]:
    """2, and then lengths a factor 2 apart up to the longest chain."""
    found = [2]
    while found[-1] * 2 < last / 1.2:
        found.append(2 * found[-1])
    return (*found, last)


def growth(group: str, record: int = -1) -> Callable[[Runs], list[tuple[RunResult, int]]]:
    """Worlds of growing size, at the first record of stage 2 (untrained attention) or at the last."""
    return lambda runs: [(run, record) for run in runs.group(group).values()]


def power_of_d(worlds: list[tuple[RunResult, int]], values: list[float]) -> float:
    d = np.array([run.config.vocabulary_size for run, _ in worlds], float)
    if len(np.unique(d)) < 3:
        raise Undecided("a power of d needs worlds of three sizes")
    if not np.all(np.isfinite(np.log(np.maximum(values, 0)))):
        raise Undecided(f"a power of d needs positive numbers, not {values}")
    return log_slope(d, np.array(values))


def length_power(worlds: list[tuple[RunResult, int]]) -> float:
    """Of the length reached; where none is, 1 stands for it."""
    reached = [run.column("reached", step=run.metrics["step"][record]).mean() for run, record in worlds]
    return power_of_d(worlds, [max(float(length), 1.0) for length in reached])


def attention_power(worlds: list[tuple[RunResult, int]]) -> float:
    """Of 1/d in what T^2's answers attend to elsewhere, at the worse of the two steps."""
    if any(run.config.lengths[0] != 2 for run, _ in worlds):
        raise Undecided("attention on sentences of two steps was not read")
    return -power_of_d(worlds, [float(_shortest(run)[:, record].mean()) for run, record in worlds])


def _shortest(run: RunResult) -> np.ndarray:
    """epsilon at the worst step of the shortest sentences that were read, [cell, record]."""
    return run.arrays["epsilon_worst_step"][:, :, 0]


LENGTH = Claim(
    id="thm-4.1-length",
    locus="Theorem 4.1, equation (7)",
    statement="Trained on T¹ and T², a simply transitive action is solved up to a length that grows as a power of d: "
    "the exponent in d of the length reached (all values right in 0.9 of the sentences). "
    "Values, teacher-forced; the variable (token 4) is not judged. "
    "Regime: C₆, σ₀ = 0.02, C_B = 2, m = 12, rate 0.2 |X|, stage 2 of |X|²/8 steps. Control: untrained Q.",
    subject=growth("quadratic"),
    wrong=growth("quadratic", record=0),
    parts=Part(length_power, at_least(POWER)),
    needs={"quadratic": knows_its_action},
    remark="The theorem's T₂ is poly(d), and it matters which: lego/thm-4.1-length-linear fails the same rule. The "
    "rule is older than both runs; the quadratic T₂ was added when the linear one had failed it.",
)


def _lengths_and_attention(runs: Runs) -> str:
    found = runs.group("linear").values()
    lengths = {run.config.variables: run.column("reached", step=run.config.steps).mean() for run in found}
    return (
        f"The attention elsewhere does fall, about as d^-{attention_power(growth('linear')(runs)):.1f}, and yet the "
        "length reached hardly grows: "
        f"{', '.join(f'{length:.0f} at |X| = {size}' for size, length in lengths.items())}. In the smallest world that "
        "is the end of it, |X| - 1."
    )


LINEAR = Claim(
    id="thm-4.1-length-linear",
    locus="Theorem 4.1, equation (7), with T₂ proportional to d",
    statement="The same with a stage 2 of 5 |X| steps: the length reached grows as a power of d. Values, "
    "teacher-forced; the variable (token 4) is not judged. Control: untrained Q.",
    subject=growth("linear"),
    wrong=growth("linear", record=0),
    parts=Part(length_power, at_least(POWER)),
    needs={"linear": knows_its_action},
    remark=_lengths_and_attention,
)

CONCENTRATION = Claim(
    id="thm-4.1-attention",
    locus="Theorem 4.1, equation (8)",
    statement="On T², the attention outside the two deciding clauses falls as d^-c*, 0 < c* < 1: the exponent of ε, at "
    "the worse of the two steps, in 1/d, in the regime of lego/thm-4.1-length-linear. Control: uniform attention.",
    subject=growth("linear"),
    wrong=growth("linear", record=0),
    parts={"at least": Part(attention_power, at_least(POWER)), "at most": Part(attention_power, at_most(1.0))},
    needs={"linear": knows_its_action},
)


class Balance(NamedTuple):
    lead: float  # of the first block, when either passes a tenth of its end value; the least over seeds
    largest: float  # difference
    left: float  # at the end, as a share of the largest
    gap: float  # of the attention, at the end


def balance(run: RunResult, first: str, second: str) -> Balance:
    """Of two blocks of Q along stage 2; the worst seed."""
    leading, following, gap = (trace(run, "T2", name)[2] for name in (f"{first}_diagonal", f"{second}_diagonal", "gap"))
    begun = np.argmax(np.maximum(leading, following) >= 0.1 * leading[:, -1:], axis=1)
    difference = leading - following
    largest = np.abs(difference).max(axis=1)
    lead = difference[np.arange(len(begun)), begun].min()
    left = (np.abs(difference[:, -1]) / np.maximum(largest, 1e-300)).max()
    return Balance(float(lead), float(largest.max()), float(left), float(gap[:, -1].max()))


BALANCE = Claim(
    id="balance",
    locus="Section 6.2.1, stages 2.1 to 2.3, equation (20)",
    statement="For a simply transitive action Q₄₃ grows first, then Q₄₄; their difference stays O(1) and shrinks, and "
    "the attention gap on T² ends small. In every seed: the diagonal of Q₄₃ leads when either first passes a tenth of "
    "its end value. Control: the two blocks exchanged.",
    subject=lambda runs: balance(runs["transitive"], "third", "fourth"),
    wrong=lambda runs: balance(runs["transitive"], "fourth", "third"),
    parts={
        "lead at the start": Part(attrgetter("lead"), at_least(0.0)),
        "largest difference": Part(attrgetter("largest"), at_most(1.0)),
        "difference left": Part(attrgetter("left"), at_most(0.5)),
        "attention gap at the end": Part(attrgetter("gap"), at_most(0.05)),
    },
    needs={"transitive": knows_its_action},
)


def draw(runs: Runs) -> Artefact:
    figure, (reach, look, blocks) = new_figure(1, 3, width=13.0, height=3.6)
    tables = []
    first = list(runs.group("linear").values())
    sizes = [run.config.vocabulary_size for run in first]
    for name, (steps, colour, marker) in GROUPS.items():
        worlds = [run for full, run in runs.items() if full.startswith(f"{name}/")]
        if worlds:
            d = [run.config.vocabulary_size for run in worlds]
            reached = np.array([run.column("reached", step=run.config.steps) for run in worlds]).T
            band(reach, d, reached, f"{worlds[0].config.action}, {steps}", color=colour, marker=marker)
        if name != "quadratic":
            tables += [_table(run) for run in worlds]
    reach.plot(sizes, [run.config.variables - 1 for run in first], ":", color="#777777", label="|X| - 1")
    reach.set(xscale="log", yscale="log", xlabel="d", ylabel="length reached", title="T² alone")
    for run, shade in zip(first, CYCLE, strict=False):
        values = _shortest(run)
        recorded = run.config.every * np.arange(values.shape[1])
        band(look, recorded[1:], values[:, 1:], f"|X| = {run.config.variables}", color=shade, marker=".")
    look.set(xscale="log", yscale="log", xlabel="step of stage 2", title="attention elsewhere")
    look.set_ylabel("ε on the shortest sentences, worst step")
    _plain_ticks(reach, sizes, (10, 20, 40, 80, 160))
    _plain_ticks(look, (25, 50, 100, 200, 400, 800), (0.03, 0.05, 0.1))
    _draw_balance(blocks, runs["transitive"])
    for ax in (reach, look, blocks):
        legend(ax, fontsize=7)
    letter((reach, look, blocks))
    caption = (
        f"Algorithm 1 on the theory model, {len(first[0].config.seeds)} seeds (bands: one standard deviation). (a) The "
        "largest length with all values right (teacher-forced) in 0.9 of the sentences; dotted: the longest chain of "
        f"the world. (b) Equation (19) on sentences of length {first[0].config.lengths[0]} as stage 2 goes on. (c) "
        "Diagonals of the two trained blocks of Q."
    )
    return Artefact(figure, joined(tables), caption)


def _plain_ticks(ax: Axes, x: Sequence[float], y: Sequence[float]) -> None:
    ax.set_xticks(x, [f"{place:g}" for place in x])
    ax.set_yticks(y, [f"{place:g}" for place in y])
    ax.minorticks_off()


def _table(run: RunResult) -> dict[str, Any]:
    metrics, rows = run.metrics, len(run.metrics["step"])
    about = {"action": run.config.action, "variables": run.config.variables, "d": run.config.vocabulary_size}
    measured = {"seed": metrics["seed"].astype(int), "step": metrics["step"], "reached": metrics["reached"]}
    return {**{name: [value] * rows for name, value in about.items()}, **measured, "epsilon": _shortest(run).ravel()}


def _draw_balance(ax: Axes, run: RunResult) -> None:
    steps, _, third = trace(run, "T2", "third_diagonal")
    _, _, fourth = trace(run, "T2", "fourth_diagonal")
    band(ax, steps + 1, third, "Q₄₃", color=COLOURS["blue"])
    band(ax, steps + 1, fourth, "Q₄₄", color=COLOURS["vermillion"])
    band(ax, steps + 1, third - fourth, "difference", color="#555555", linestyle="--")
    ceiling(ax, 0.0)
    ax.set(xscale="log", xlabel="step of stage 2, plus 1", ylabel="mean of the diagonal")
    ax.set_title(f"{run.config.action}: balance")


EXPERIMENT = Experiment(
    title="From chains of two to chains of a power of d",
    runs=worlds,
    claims=(LENGTH, LINEAR, CONCENTRATION, BALANCE),
    draw=draw,
)
