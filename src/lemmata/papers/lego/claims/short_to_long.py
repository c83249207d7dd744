"""Theorem 4.1: trained on T^1 and T^2 under its assumptions, how far a simply transitive action reaches, and how."""

import math
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import (
    Artefact,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    RunConfig,
    RunResult,
    Runs,
    Scale,
    TooShort,
    Undecided,
    log_slope,
    of_result,
    word,
)
from lemmata.core.rule import at_least, at_most, near
from lemmata.papers.lego.claims._population import FINISHED, LEVEL, by_record, finished, reached, times
from lemmata.papers.lego.run.one_step_flow import ToTheFloor
from lemmata.papers.lego.run.population import PopulationRun
from lemmata.papers.lego.task import action
from lemmata.report.plots import COLOURS, CYCLE, band, ceiling, joined, legend, letter, new_figure

DEGREES = (0.0, 0.25, 0.5, 0.75)  # c of T_2 = d^(C_B - 1 + c); the first is the control's
POWER = 0.25  # the least exponent that counts as a power of d
ENOUGH = 0.6  # of the seeds must finish stage 1; the others are left out, and counted


def worlds(scale: Scale) -> dict[str, RunConfig]:
    """Worlds of growing d, each recorded at T_2 = d^(C_B - 1 + c); and one as small as the first, watched."""
    sizes = scale.pick(smoke=(64, 128, 256), laptop=(404, 808, 1616, 3232), paper=(404, 808, 1616, 3232, 6464, 12928))
    found = {f"world/{d}": _world(d, scale) for d in sizes}
    # One neuron for each combination, as (17) has it: at the paper's sigma_0 there are several at these d.
    single = {"scales": (0.005,), "widths": scale.pick(smoke=(6,), laptop=(12,), paper=(12,))}
    plan = {"records": times(-1, 7, 4), "lengths": (2,), "losses": ("sum", "second")}
    found |= {f"single/{d}": _world(d, scale, lengths=(2,), **single) for d in sizes}
    return {**found, "watched": _world(sizes[0], scale, at_the_start=True, **single, **plan)}


def _world(d: int, scale: Scale, **settings: Any) -> PopulationRun:
    """All of Theorem 4.1's assumptions: n_y <= log d, n_y <= m <= log^2 d, sigma_0 = d^-1/2."""
    clip = 3.0
    given = {
        "action": scale.pick(smoke="C3", laptop="C6", paper="C6"),
        "vocabulary": d,
        "scales": (None,),
        "clips": (clip,),
        "widths": scale.pick(smoke=(10,), laptop=(32,), paper=(32,)),
        "records": tuple(d ** (clip - 1 + c) for c in DEGREES),
        "one_step": ToTheFloor(finest=0.01, steps=60_000),
        "lengths": scale.pick(smoke=(2, 4, 8, 16, 32, 48), laptop=LENGTHS, paper=LENGTHS),
        "test_sentences": scale.pick(smoke=8, laptop=8, paper=32),
        "seeds": scale.seeds(smoke=2, laptop=5, paper=5),
    }
    return PopulationRun(**given | settings)


LENGTHS = (2, 4, 8, 16, 32, 64, 128, 256, 384)


@of_result
def assumed(run: RunResult) -> Undecided | None:
    """Assumption 4.1, and the widths of the theorem; then what every claim about stage 2 needs."""
    acting, log_d = action(run.config.action), math.log(run.config.vocabulary)
    if not acting.simply_transitive:
        return OutsideSetting(f"{acting.name} is not simply transitive")
    if acting.num_values > log_d:
        return OutsideSetting(f"{acting.num_values} values are more than log d = {log_d:.1f}")
    if any(not acting.num_values <= width <= log_d**2 for width in run.config.widths):
        return OutsideSetting(f"m must lie between {acting.num_values} and log² d = {log_d**2:.0f}")
    if kept(run).mean() < ENOUGH:
        above = f"{acting.name}: stage 1 ended above its floor in {np.sum(~kept(run))} of {len(kept(run))} seeds"
        return TooShort(above)
    return None


def kept(run: RunResult) -> np.ndarray:
    """By cell: whether its stage 1 came to the floor. The theorem is of high probability; here and there a neuron
    takes two combinations, and no time will mend it."""
    return np.repeat(run.arrays["one_step.excess"] <= FINISHED, len(run.config.losses))


class Growth(NamedTuple):
    """Worlds of growing d with T_2 = d^(C_B - 1 + c): for each wanted c the one that is read."""

    runs: list[RunResult]
    shift: dict[float, float]

    def record(self, degree: float) -> int:
        return DEGREES.index(self.shift.get(degree, degree))

    def power(self, values: list[float]) -> float:
        d = np.array([run.config.vocabulary for run in self.runs], float)
        if len(np.unique(d)) < 3:
            raise Undecided("a power of d needs worlds of three sizes")
        if not np.all(np.isfinite(np.log(np.maximum(values, 0)))):
            raise Undecided(f"a power of d needs positive numbers, not {values}")
        return log_slope(d, np.array(values))

    def attention(self, degree: float) -> float:
        """The exponent of 1/d in eps^{2,2}, of its geometric mean over seeds."""
        each = [by_record(run, "epsilon_22")[kept(run), self.record(degree)] for run in self.runs]
        found = [np.exp(np.log(epsilon).mean()) for epsilon in each]
        return -self.power([float(epsilon) for epsilon in found])

    def length(self, degree: float) -> float:
        """The exponent of d in the length reached by equation (5)."""
        found = [float(reached(run)[kept(run), self.record(degree)].mean()) for run in self.runs]
        if found[-1] >= 0.99 * max(self.runs[-1].config.lengths):
            raise Undecided("the largest world reaches the longest chain that is asked for")
        return self.power([max(length, 1.0) for length in found])

    def error(self, degree: float, length: int) -> float:
        """The exponent of d in 1 - Acc_L."""
        if any(length not in run.config.lengths for run in self.runs):
            raise Undecided(f"accuracy at length {length} was not read")
        places = [run.config.lengths.index(length) for run in self.runs]
        pairs = zip(self.runs, places, strict=True)
        each = [run.arrays["accuracy"][kept(run), self.record(degree), k] for run, k in pairs]
        return self.power([float(1 - accuracy.mean()) for accuracy in each])


def grown(runs: Runs, group: str) -> Growth:
    return Growth(_by_size(runs, group), {})


def no_longer(runs: Runs, group: str) -> Growth:
    """T_2 = d^(C_B - 1) throughout: as long as the gradient at the end takes to act once."""
    return Growth(_by_size(runs, group), dict.fromkeys(DEGREES, 0.0))


def _by_size(runs: Runs, group: str) -> list[RunResult]:
    return sorted(runs.group(group).values(), key=lambda run: run.config.vocabulary)


def _exponents(runs: Runs, group: str) -> str:
    return ", ".join(f"{grown(runs, group).attention(c):.2f} (c = {c:g})" for c in DEGREES)


CONCENTRATION = Claim(
    id="thm-4.1-attention",
    locus="Theorem 4.1, equation (8)",
    uses=("balance",),
    statement="On T² the attention outside the two deciding clauses falls as d^-c*, 0 < c* < 1: the exponent of 1/d in "
    "ε^{2,2} after T₂ = d^(C_B - 1 + 1/2) of the gradient flow. Control: T₂ = d^(C_B - 1).",
    subject=lambda runs: grown(runs, "world"),
    wrong=lambda runs: no_longer(runs, "world"),
    parts={
        "at least": Part(lambda growth: growth.attention(0.5), at_least(POWER)),
        "at most": Part(lambda growth: growth.attention(0.5), at_most(1.0)),
    },
    needs={"world": assumed},
    remark=lambda runs: (
        f"{sum(int(np.sum(~kept(run))) for run in _by_size(runs, 'world'))} of "
        f"{sum(len(kept(run)) for run in _by_size(runs, 'world'))} stages 1 ended above their floor and are left out."
    ),
)

TIME_LAW = Claim(
    id="time-law",
    locus="beyond the paper; Theorem 4.1 says T₂ = poly(d)",
    statement="Near the end the gradient of T² is of the order d^(1 - C_B), so after T₂ = d^(C_B - 1 + c) of the "
    "gradient flow ε^{2,2} is about d^-c: the exponent of 1/d. Where one neuron has learned each combination (σ₀ = "
    "0.005). Control: T₂ = d^(C_B - 1).",
    wording={"σ₀ = 0.005": word("σ₀ = {}", "single.scales")},
    subject=lambda runs: grown(runs, "single"),
    wrong=lambda runs: no_longer(runs, "single"),
    parts={f"c = {c:g}": Part(lambda growth, c=c: growth.attention(c), near(c, atol=0.15)) for c in DEGREES if c > 0},
    needs={"single": assumed},
    remark=lambda runs: (
        f"At the paper's σ₀ = d^-1/2, where several neurons share a combination: {_exponents(runs, 'world')}."
    ),
)

LENGTH = Claim(
    id="thm-4.1-length",
    locus="Theorem 4.1, equation (7)",
    uses=("one-step-learned", "balance", "dilution-law"),
    statement="Trained on T¹ and T², a simply transitive action is solved up to a length that grows as a power of d, "
    f"with an error of 1/poly(d): after T₂ = d^(C_B - 1 + 1/4), the exponent in d of the length at which equation (5) "
    f"is {LEVEL:g} of its ceiling, and that of 1 - Acc_L at length 8. Both tokens, the variable's from the form that "
    "Section 6.1.1 proves. Control: T₂ = d^(C_B - 1).",
    subject=lambda runs: (grown(runs, "world"), 8),
    wrong=lambda runs: (no_longer(runs, "world"), 8),
    parts={
        "length": Part(lambda found: found[0].length(0.25), at_least(POWER)),
        "error": Part(lambda found: found[0].error(0.25, found[1]), at_most(-1.0)),
    },
    needs={"world": assumed},
)


class Stages(NamedTuple):
    """Section 6.2.1, in the worst seed; logits in units of B, differences of the diagonals of Q₄₃ and Q₄₄."""

    first_logits: list[float]  # at step 1, of the right and of the spurious answer, at the start
    second_logit: float  # at step 2, of the right answer
    lead: float  # the largest difference, times log d
    largest: float
    difference: float  # at the end
    gap: float  # of the attention, at the end
    rest: float  # the largest entry off the diagonals, over the diagonal, at the end


def stages(run: RunResult, losses: str) -> Stages:
    rows = np.asarray(run.metrics["losses"]) == losses
    if not rows.any():
        raise Undecided(f"no run by the loss {losses!r}")

    def column(name: str) -> np.ndarray:
        return np.asarray(run.metrics[name])[rows].reshape(-1, len(run.config.records))

    third, fourth = column("third_diagonal"), column("fourth_diagonal")
    difference, rest = third - fourth, np.maximum(np.abs(column("third_rest")), np.abs(column("fourth_rest")))
    start = {name: run.arrays[f"start.{name}"] for name in ("first_right", "first_spurious", "second_right")}
    return Stages(
        [float(start[name].mean()) for name in ("first_right", "first_spurious")],
        float(start["second_right"].max()),
        float(difference.max(axis=1).min() * math.log(run.config.vocabulary)),
        float(np.abs(difference).max()),
        float(np.abs(difference[:, -1]).max()),
        float(column("gap_22")[:, -1].max()),
        float((rest / third)[:, -1].max()),
    )


BALANCE = Claim(
    id="balance",
    locus="Section 6.2.1, stages 2.1 to 2.3, equation (20)",
    uses=("feature-structure-transitive",),
    statement="For a simply transitive action, with uniform attention: the right and the spurious answer of step 1 "
    "have logits of B/3, that of step 2 about 0 (medians). So Q₄₃ leads, by Ω(1/log d) (here at least 1/log d); the "
    "diagonals' difference stays O(1) (here 1) and ends near 0 with the attention gap; all other entries of Q stay "
    "near 0 (here 2% of the diagonal). In the worst seed. Control: Loss^{2,2} alone, without the loss of step 1 that "
    "drives the lead.",
    subject=lambda runs: stages(runs["watched"], "sum"),
    wrong=lambda runs: stages(runs["watched"], "second"),
    parts={
        "step 1, logits at the start / B": Part(attrgetter("first_logits"), near(1 / 3, atol=0.1)),
        "step 2, logit at the start / B": Part(attrgetter("second_logit"), at_most(0.1)),
        "largest lead, times log d": Part(attrgetter("lead"), at_least(1.0)),
        "largest difference": Part(attrgetter("largest"), at_most(1.0)),
        "difference at the end": Part(attrgetter("difference"), at_most(0.1)),
        "attention gap at the end": Part(attrgetter("gap"), at_most(0.05)),
        "other entries, over the diagonal": Part(attrgetter("rest"), at_most(0.02)),
    },
    needs={"watched": (assumed, finished)},
    remark=lambda runs: (
        f"One trained world of d = {runs['watched'].config.vocabulary}; Ω(1/log d) and O(1) hide constants, for which "
        "ours are 1: at smaller d the lead is shorter."
    ),
)


def draw(runs: Runs) -> Artefact:
    figure, (look, reach, blocks) = new_figure(1, 3, width=13.0, height=3.6)
    members = _by_size(runs, "world")
    sizes = [run.config.vocabulary for run in members]
    for degree, colour in zip(DEGREES, CYCLE, strict=False):
        record = DEGREES.index(degree)
        label = f"c = {degree:g}"
        band(look, sizes, np.array([by_record(run, "epsilon_22")[:, record] for run in members]).T, label, color=colour)
        band(reach, sizes, np.array([reached(run)[:, record] for run in members]).T, label, color=colour)
        first = by_record(members[0], "epsilon_22")[:, record].mean()
        look.plot(sizes, first * (np.array(sizes) / sizes[0]) ** -degree, ":", color=colour, linewidth=0.8)
    look.set(xscale="log", yscale="log", xlabel="d", ylabel="ε on T²", title="attention elsewhere")
    reach.set(xscale="log", yscale="log", xlabel="d", ylabel="length reached, equation (5)", title="T² alone")
    _draw_balance(blocks, runs["watched"])
    for ax in (look, reach, blocks):
        legend(ax, fontsize=7)
    letter((look, reach, blocks))
    config = members[0].config
    caption = (
        f"Algorithm 1 on the exact population of {config.action} after T₂ = d^(C_B - 1 + c), C_B = "
        f"{config.clips[0]:g}, σ₀ = d^-1/2, m = {config.widths[0]}, {len(config.seeds)} seeds (bands: one standard "
        f"deviation). (a) Equation (19); dotted: d^-c. (b) The length at which equation (5) is {LEVEL:g} of its "
        f"ceiling, up to {max(config.lengths)}. (c) Diagonals of the two trained blocks of Q in the smallest world."
    )
    return Artefact(figure, joined([_table(run) for run in members]), caption)


def _table(run: RunResult) -> dict[str, Any]:
    cells, records = by_record(run, "epsilon_22").shape
    return {
        "action": [run.config.action] * (cells * records),
        "d": [run.config.vocabulary] * (cells * records),
        "seed": np.asarray(run.metrics["seed"]).astype(int),
        "degree": list(DEGREES[:records]) * cells,
        "time": run.metrics["time"],
        "epsilon": run.metrics["epsilon_22"],
        "reached": reached(run).ravel(),
        "reached_greedy": reached(run, "greedy").ravel(),
    }


def _draw_balance(ax: Axes, run: RunResult) -> None:
    rows = np.asarray(run.metrics["losses"]) == "sum"
    shape = (-1, len(run.config.records))
    third, fourth = (np.asarray(run.metrics[f"{name}_diagonal"])[rows].reshape(shape) for name in ("third", "fourth"))
    band(ax, run.config.records, third, "Q₄₃", color=COLOURS["blue"])
    band(ax, run.config.records, fourth, "Q₄₄", color=COLOURS["vermillion"])
    band(ax, run.config.records, third - fourth, "difference", color="#555555", linestyle="--")
    ceiling(ax, 0.0)
    ax.set(xscale="log", xlabel="time of the flow", ylabel="the diagonal's entry")
    ax.set_title(f"{run.config.action}: balance")


EXPERIMENT = Experiment(
    title="From chains of two to chains of a power of d",
    runs=worlds,
    claims=(LENGTH, CONCENTRATION, TIME_LAW, BALANCE),
    draw=draw,
)
