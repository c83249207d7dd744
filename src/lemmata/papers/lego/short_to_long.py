"""Theorem 4.1: trained on T^1 and T^2, how far a simply transitive action reaches; the balance of Q."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lemmata.core import Artefact, RunResult, Undecided, log_slope
from lemmata.core.legacy import AtLeast, AtMost, Claim, Each, Experiment, Results
from lemmata.papers.lego.run.growing_worlds import elsewhere, growing, linear, quadratic, reached, vocabulary, worlds
from lemmata.papers.lego.run.theory_settings import trace, transitive, transitive_run
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, legend, new_figure, panel_label

POWER = 0.25  # the least exponent that counts as a power of d
BOUNDS = ("at least", "at most")


def decided(results: Results, value: Any, steps: Callable[[int], int] = linear) -> Any:
    runs = growing(results, steps=steps)
    if results.scale.name == "smoke" or len(runs) < 3:
        return Undecided("one world is too few for a power of its size")
    if any(np.any(run.arrays["one_step.value.accuracy"] < 1 - 1e-6) for run in runs):
        return Undecided("stage 1 did not reach accuracy 1 in every seed")
    return value(runs)


def _length_power(runs: list[RunResult], step: int | None) -> float:
    d = np.array([vocabulary(run) for run in runs], float)
    return log_slope(d, np.array([max(reached(run, step).mean(), 1.0) for run in runs]))


def _attention_power(runs: list[RunResult], record: int) -> float:
    d = np.array([vocabulary(run) for run in runs], float)
    return -log_slope(d, np.array([elsewhere(run, record).mean() for run in runs]))


LENGTH = Claim(
    id="lego/thm-4.1-length",
    locus="Theorem 4.1, equation (7)",
    statement="Trained on T¹ and T², a simply transitive action is solved up to a length that grows as a power of d. "
    f"Rule: the exponent of the length reached (all values right in 0.9 of the sentences) in d is at least {POWER}. "
    "Values, teacher-forced; the variable (token 4) is not judged. "
    "Regime: C₆, σ₀ = 0.02, C_B = 2, m = 12, rate 0.2 |X|, stage 2 of |X|²/8 steps. Control: untrained Q.",
    predict=lambda results: POWER,
    measure=lambda results: decided(results, lambda runs: _length_power(runs, None), quadratic),
    control=lambda results: decided(results, lambda runs: _length_power(runs, 0), quadratic),
    check=AtLeast(),
    remark="The theorem's T₂ is poly(d), and it matters which: lego/thm-4.1-length-linear fails the same rule. The "
    "rule is older than both runs; the quadratic T₂ was added when the linear one had failed it.",
)

LINEAR = Claim(
    id="lego/thm-4.1-length-linear",
    locus="Theorem 4.1, equation (7), with T₂ proportional to d",
    statement="The same with a stage 2 of 5 |X| steps: the length reached grows as a power of d. Rule: an exponent of "
    f"at least {POWER}. Values, teacher-forced; the variable (token 4) is not judged. Control: untrained Q.",
    predict=lambda results: POWER,
    measure=lambda results: decided(results, lambda runs: _length_power(runs, None)),
    control=lambda results: decided(results, lambda runs: _length_power(runs, 0)),
    check=AtLeast(),
    remark="The attention elsewhere does fall (about as d^-0.4), and yet the length reached hardly grows from |X| = 41 "
    "on; at |X| = 21 the end of the world is reached.",
)

CONCENTRATION = Claim(
    id="lego/thm-4.1-attention",
    locus="Theorem 4.1, equation (8)",
    statement="On T², the attention outside the two deciding clauses falls as d^-c*, 0 < c* < 1. Rule: the exponent of "
    f"ε, at the worse of the two steps, in 1/d is at least {POWER} and at most 1, in the regime of "
    "lego/thm-4.1-length-linear. Control: uniform attention.",
    predict=lambda results: {"at least": POWER, "at most": 1.0},
    measure=lambda results: decided(results, lambda runs: dict.fromkeys(BOUNDS, _attention_power(runs, -1))),
    control=lambda results: decided(results, lambda runs: dict.fromkeys(BOUNDS, _attention_power(runs, 0))),
    check=Each({"at least": AtLeast(), "at most": AtMost()}),
)


def _balance(results: Results, first: str, second: str) -> Any:
    if results.scale.name == "smoke":
        return Undecided("four steps are too few for the stages 2.1 to 2.3")
    run = transitive(results)
    _, _, leading = trace(run, "T2", f"{first}_diagonal")
    _, _, following = trace(run, "T2", f"{second}_diagonal")
    _, _, gap = trace(run, "T2", "gap")
    difference = leading - following
    begun = np.argmax(np.maximum(leading, following) >= 0.1 * leading[:, -1:], axis=1)
    largest = np.abs(difference).max(axis=1)
    return {
        "lead at the start": float(difference[np.arange(len(begun)), begun].min()),
        "largest difference": float(largest.max()),
        "difference left": float((np.abs(difference[:, -1]) / largest).max()),
        "attention gap at the end": float(gap[:, -1].max()),
    }


BALANCE = Claim(
    id="lego/balance",
    locus="Section 6.2.1, stages 2.1 to 2.3, equation (20)",
    statement="For a simply transitive action Q₄₃ grows first, then Q₄₄; their difference stays O(1) and shrinks, and "
    "the attention gap ends small. Rule, in every seed: the diagonal of Q₄₃ leads when either first passes a tenth of "
    "its end value; the difference never exceeds 1, and ends under half its largest; the gap on T² ends under 0.05. "
    "Control: the two blocks exchanged.",
    predict=lambda results: {
        "lead at the start": 0.0,
        "largest difference": 1.0,
        "difference left": 0.5,
        "attention gap at the end": 0.05,
    },
    measure=lambda results: _balance(results, "third", "fourth"),
    control=lambda results: _balance(results, "fourth", "third"),
    check=Each(
        {
            "lead at the start": AtLeast(),
            "largest difference": AtMost(),
            "difference left": AtMost(),
            "attention gap at the end": AtMost(),
        }
    ),
)


def draw(results: Results) -> Artefact:
    figure, (reach, look, blocks) = new_figure(1, 3, width=13.0, height=3.6)
    table: dict[str, list[Any]] = {
        "action": [],
        "variables": [],
        "d": [],
        "seed": [],
        "step": [],
        "reached": [],
        "epsilon": [],
    }
    for action, colour in (("C6", COLOURS["blue"]), ("C3", COLOURS["blue"]), ("S5", COLOURS["vermillion"])):
        runs = growing(results, action)
        if not runs:
            continue
        d = [vocabulary(run) for run in runs]
        band(reach, d, np.array([reached(run) for run in runs]).T, f"{action}, 5 |X| steps", color=colour, marker="o")
        more = growing(results, action, quadratic) if results.scale.name != "smoke" else []
        if more:
            far = np.array([reached(run) for run in more]).T
            band(reach, [vocabulary(r) for r in more], far, f"{action}, |X|²/8 steps", color=COLOURS["sky"], marker="s")
        for run, shade in zip(runs, CYCLE, strict=False):
            steps = run.config.every * np.arange(run.config.steps // run.config.every + 1)
            values = run.arrays["epsilon_worst_step"][:, :, 0]
            if action != "S5":
                band(look, steps[1:], values[:, 1:], f"|X| = {run.config.variables}", color=shade, marker=".")
            for cell, record in np.ndindex(values.shape):
                row = (action, run.config.variables, vocabulary(run), run.config.seeds[cell], int(steps[record]))
                row += (float(run.metrics["reached"].reshape(values.shape)[cell, record]), float(values[cell, record]))
                for name, item in zip(table, row, strict=True):
                    table[name].append(item)
    first = growing(results) or growing(results, "C3")
    reach.plot(
        [vocabulary(r) for r in first], [r.config.variables - 1 for r in first], ":", color="#777777", label="|X| - 1"
    )
    reach.set(xscale="log", yscale="log", xlabel="d", ylabel="length reached", title="T² alone")
    legend(reach)
    look.set(
        xscale="log", yscale="log", xlabel="step of stage 2", ylabel="ε on T², worse step", title="attention elsewhere"
    )
    legend(look, fontsize=7)
    run = transitive(results)
    for name, label, colour in (
        ("third", "Q₄₃", COLOURS["blue"]),
        ("fourth", "Q₄₄", COLOURS["vermillion"]),
    ):
        steps, _, values = trace(run, "T2", f"{name}_diagonal")
        band(blocks, steps + 1, values, label, color=colour)
    _, _, third = trace(run, "T2", "third_diagonal")
    steps, _, fourth = trace(run, "T2", "fourth_diagonal")
    band(blocks, steps + 1, third - fourth, "difference", color="#555555", linestyle="--")
    ceiling(blocks, 0.0)
    blocks.set(
        xscale="log",
        xlabel="step of stage 2, plus 1",
        ylabel="mean of the diagonal",
        title=f"{run.config.action}: balance",
    )
    legend(blocks)
    sizes = [vocabulary(run) for run in first]
    reach.set_xticks(sizes, [str(size) for size in sizes])
    reach.set_yticks([10, 20, 40, 80, 160], ["10", "20", "40", "80", "160"])
    look.set_xticks([25, 50, 100, 200, 400, 800], ["25", "50", "100", "200", "400", "800"])
    look.set_yticks([0.03, 0.05, 0.1], ["0.03", "0.05", "0.1"])
    for ax in (reach, look):
        ax.minorticks_off()
    for letter, ax in zip("abc", (reach, look, blocks), strict=True):
        panel_label(ax, letter)
    caption = (
        f"Algorithm 1 on the theory model, {len(run.config.seeds)} seeds (bands: one standard deviation). (a) The "
        "largest length with all values right (teacher-forced) in 0.9 of the sentences; dotted: the longest chain of "
        "the world. (b) "
        "Equation (19) on T² as stage 2 goes on. (c) Diagonals of the two trained blocks of Q."
    )
    return Artefact(figure, table, caption)


EXPERIMENTS = (
    Experiment(
        id="lego/short-to-long",
        title="From chains of two to chains of a power of d",
        grid=lambda scale: (*worlds(scale), transitive_run(scale)),
        claims=(LENGTH, LINEAR, CONCENTRATION, BALANCE),
        render=draw,
    ),
)
