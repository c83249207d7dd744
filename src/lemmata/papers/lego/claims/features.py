"""What one-step training leaves in the neurons: which features, in which order, one neuron each.

The regime is the theorems' own: a rate so small that descent is the gradient flow, a power q = 6 that separates
neurons, and time until nothing moves. Structure is judged from the last initial scale, order and number from the first.
"""

from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from lemmata.core import Claim, Experiment, Live, Part, RunResult, Runs, Scale, TooShort, Undecided, of_result
from lemmata.core.rule import at_least, at_most, exactly, near
from lemmata.papers.lego.claims._feature_drawing import draw, views
from lemmata.papers.lego.claims._feature_theory import by_symbol, finite_structure, order_agreement
from lemmata.papers.lego.claims._theory_runs import AT_FLOOR
from lemmata.papers.lego.model import Branch
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, distinct, median_structure, model_of, neurons_per_combination
from lemmata.papers.lego.run.one_step import OneStepTraining, families, one_step_training
from lemmata.papers.lego.run.one_step_descent import Descent
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import printed_structure

OTHERS = ("S4", "A5", "F5")  # between the two families, one seed each: does the fibre decide the imbalance?
SHARP, TOGETHER = 0.005, 0.02  # sigma_0: combinations emerge strictly one by one, or several at a time
SYMBOLS = ("V(g)", "V(y)", "V(g')", "V(y')")
LEADING = 1.5  # the constant of O(1/n_y), in units of 2 psi


def flow_run(
    name: str,
    scale: Scale,
    seeds: tuple[int, ...],
    scales: tuple[float | None, ...],
    power: int = 6,
    branch: Branch = "positive",
) -> OneStepTraining:
    """The gradient flow, until the loss is at the floor that the clip leaves."""
    steps = scale.pick(smoke=3_000, laptop=24_000, paper=80_000)
    stride = scale.pick(smoke=0.2, laptop=0.2, paper=0.1)
    flow = Descent(steps=steps, learning_rate=1e15, stride=stride, every=steps // 200, within=1e-5)
    return one_step_training(name, scale, {"power": power, "branch": branch}, scales=scales, value=flow, seeds=seeds)


def flow_runs(scale: Scale) -> dict[str, OneStepTraining]:
    """Both families; other actions; the other reading of the smoothed ReLU; and, for the simply transitive one, blunter
    regimes."""
    seeds = scale.seeds(smoke=2, laptop=2, paper=10)
    found = {family: flow_run(name, scale, seeds, (SHARP, TOGETHER)) for family, name in families(scale).items()}
    if scale.name == "smoke":
        return found
    symmetric, transitive = families(scale)["symmetric"], families(scale)["transitive"]
    others = scale.pick(smoke=(), laptop=OTHERS[-1:], paper=OTHERS)
    found |= {f"other/{name}": flow_run(name, scale, seeds[:1], (TOGETHER,)) for name in others}
    found["even"] = flow_run(symmetric, scale, seeds[:1], (SHARP,), branch="even")
    for power in (4, 6):
        run = flow_run(transitive, scale, seeds[:2], (SHARP, TOGETHER, None), power)
        found[f"power/{power}"] = replace(run, value=replace(run.value, steps=8000, every=80))
    return found


@of_result
def solved(run: RunResult) -> Undecided | None:
    """A need: features are read where stage 1 has come to its end."""
    excess = float(np.max(run.arrays["value.excess"]))
    above = f"{run.config.task.action} ends {excess:.1%} above the loss's floor"
    return None if excess <= AT_FLOOR else TooShort(above)


def printed(run: RunResult) -> dict[str, float]:
    acting = action(run.config.task.action)
    return by_symbol(printed_structure(acting.num_values, acting.num_actions == acting.num_values))


def structure_parts(family: str) -> dict[str, Part]:
    """In units of psi; the output is to be B, and no confounding pair awake."""

    def feature(symbol: str) -> Part:
        return Part(itemgetter(symbol), near(lambda runs: printed(runs[family])[symbol], atol=0.1))

    return {symbol: feature(symbol) for symbol in SYMBOLS} | loudness()


def loudness() -> dict[str, Part]:
    return {
        "output": Part(itemgetter("output"), near(1.0, atol=0.1)),
        "confounding": Part(itemgetter("confounding"), at_most(0.0, slack=0.1)),
    }


def leading_parts() -> dict[str, Part]:
    """The distance from the printed form, in units of 2 psi and of 1/n_y: it is to stay below a constant."""

    def feature(symbol: str) -> Part:
        return Part(itemgetter(f"n_y |{symbol} - printed| / 2ψ"), at_most(LEADING))

    return {f"{symbol}, distance from the printed times n_y": feature(symbol) for symbol in SYMBOLS} | loudness()


def from_printed(run: RunResult, symmetric: RunResult) -> dict[str, float]:
    """A run's structure, and how far it is from the printed form of the symmetric action's."""
    found, values = median_structure(run, unit="psi"), action(symmetric.config.task.action).num_values
    return found | {
        f"n_y |{symbol} - printed| / 2ψ": values * abs(found[symbol] - wanted) / 2
        for symbol, wanted in printed(symmetric).items()
    }


def unit_remark(runs: Runs) -> str:
    run = at_scale(runs["transitive"], -1)
    found, model, psi = median_structure(run), model_of(run), finite_structure(run)["V(g)"]
    elsewhere = -(found["V(g')"] + found["V(y')"]) / 2
    return (
        f"The unit is ψ because an output of B needs ψ = B + ρ(1 - 1/q) - b: with our ρ = {model.smoothing:g} and d = "
        f"{model.vocab} that is {psi:.2f} B (measured: {(found['V(g)'] + found['V(y)']) / 2:.2f} B, and "
        f"{elsewhere:.2f} B at other actions and values); in the paper's limit it is B."
    )


def listed(structure: dict[str, float]) -> str:
    return ", ".join(f"{structure[symbol]:.3f}" for symbol in SYMBOLS)


def finite_remark(runs: Runs) -> str:
    first, last, even = at_scale(runs["symmetric"], 0), at_scale(runs["symmetric"], -1), at_scale(runs["even"], 0)
    balanced = {
        symbol: 2 * share / (form["V(g)"] + form["V(y)"])
        for form in [finite_structure(last)]
        for symbol, share in form.items()
    }
    return (
        "(18) is its limit of many values. For finite n_y the conserved sum_g V(g) - sum_y V(y), V(g) + V(y) = 2ψ and "
        "confounding pairs that just cancel give V(y) = 2ψk, V(g) = 2ψ(1 - k), k = (f + n_y - 1)/(n_y (f + 1)) for a "
        f"fibre of f actions: {listed(balanced)} in units of ψ for {last.config.task.action}. Measured: "
        f"{listed(median_structure(last, unit='psi'))} at sigma_0 = {model_of(last).sigma:g} and "
        f"{listed(median_structure(first, unit='psi'))} at {model_of(first).sigma:g}, where combinations emerge one by "
        "one and some pairs end below zero ((18c) is an inequality, and k needs its equality). With the other reading "
        f"of Definition 3.4 (x^q on both sides of 0): {listed(median_structure(even, unit='psi'))} at "
        f"{model_of(even).sigma:g}."
    )


TRANSITIVE = Claim(
    id="feature-structure-transitive",
    locus="Section 6.1.2, equations (17a)-(17c)",
    uses=("curriculum-order", "neurons-distinct"),
    statement="For a simply transitive action the neuron of the pair (g, y) ends with V(g) = V(y) = B and every other "
    "action and value at -B, so that its confounding pairs cancel. (Medians over neurons and seeds, in units of the "
    "neuron's ψ = (V(g) + V(y))/2; its output in units of B.)",
    subject=lambda runs: median_structure(at_scale(runs["transitive"], -1), unit="psi"),
    wrong=lambda runs: median_structure(at_scale(runs["symmetric"], -1), unit="psi"),
    parts=structure_parts("transitive"),
    remark=unit_remark,
)

SYMMETRIC = Claim(
    id="feature-structure-symmetric",
    locus="Section 6.1.2, equations (18a)-(18c)",
    uses=("curriculum-order", "neurons-distinct"),
    statement="For a symmetry action the neuron of a fibre ends unbalanced: V(g) ≈ 2B on the fibre and V(y) ≈ 2B/n_y; "
    "V(g') ≈ -2B/n_y off the fibre and V(y') ≈ -2B at other values, so that confounding pairs cancel. To leading order "
    "in 1/n_y: each is off by at most 1.5/n_y, as a share of 2ψ. (Medians over neurons and seeds, in units of the "
    "neuron's ψ = (V(g) + V(y))/2; its output in units of B.) Control: the simply transitive action's neurons.",
    subject=lambda runs: from_printed(at_scale(runs["symmetric"], -1), runs["symmetric"]),
    wrong=lambda runs: from_printed(at_scale(runs["transitive"], -1), runs["symmetric"]),
    parts=leading_parts(),
    remark=finite_remark,
)


def sharp(runs: Runs) -> dict[str, RunResult]:
    return {family: at_scale(runs[family], 0) for family in FAMILIES}


def ordered(runs: Runs, shift: int) -> dict[str, float]:
    if any(len(run.config.seeds) < 2 for run in sharp(runs).values()):
        raise Undecided("needs two seeds: the control takes another seed's order")
    return {family: order_agreement(run, shift) for family, run in sharp(runs).items()}


def singles(runs: Runs) -> dict[str, Any]:
    """The share of combinations that exactly one neuron has learned, and whether no neuron has two."""
    share = {name: float(np.mean(neurons_per_combination(run) == 1)) for name, run in sharp(runs).items()}
    return share | {"distinct": all(distinct(run) for run in sharp(runs).values())}


def widest(runs: Runs) -> list[RunResult]:
    """The blunter regimes at the paper's own initial scale."""
    found = [at_scale(run, -1) for run in runs.group("power").values()]
    if any(run.config.scales != (None,) for run in found):
        raise Undecided("no run starts from the paper's own scale")
    return found


def judged(runs: Runs) -> str:
    run = at_scale(runs["transitive"], 0)
    words = f"Judged at sigma_0 = {model_of(run).sigma:g} and q = {run.config.model.power}"
    return f"{words}. For {run.config.task.action}"


def order_remark(runs: Runs) -> str:
    blunt, q4 = at_scale(runs["transitive"], -1), at_scale(runs["power/4"], 1)
    return (
        f"{judged(runs)} tau is {order_agreement(blunt):.2f} at sigma_0 = {model_of(blunt).sigma:g}, "
        f"{order_agreement(q4):.2f} at {model_of(q4).sigma:g} with q = 4, and at most "
        f"{max(order_agreement(run) for run in widest(runs)):.2f} at the paper's sigma_0 = d^-1/2 at this d, where the "
        "first pre-activation is not small against rho and combinations emerge together."
    )


def number_remark(runs: Runs) -> str:
    q4 = at_scale(runs["power/4"], 1)
    counts = [float(neurons_per_combination(run).mean()) for run in (q4, *widest(runs))]
    shared = "does not serve" if all(distinct(run) for run in widest(runs)) else "may serve"
    return (
        f"{judged(runs)} with q = 4 at {model_of(q4).sigma:g}, and with either q at the paper's sigma_0 = d^-1/2 at "
        f"this d, a combination has {min(counts):.1f} to {max(counts):.1f} neurons, and at d^-1/2 one neuron {shared} "
        "two combinations."
    )


ORDER = Claim(
    id="curriculum-order",
    locus="Section 6.1.2, implicit curriculum",
    uses=("power-growth",),
    statement="Combinations are learned in the order of the magnitude their features have at initialization. "
    "(Kendall's tau between the two orders.)",
    subject=lambda runs: ordered(runs, shift=0),
    wrong=lambda runs: ordered(runs, shift=1),  # another seed's order
    parts={family: Part(itemgetter(family), at_least(0.6)) for family in FAMILIES},
    remark=order_remark,
)


def blunt_singles(runs: Runs) -> dict[str, Any]:
    """The same where the power is too small to separate neurons, in both places."""
    run = at_scale(runs["power/4"], 1)
    share = float(np.mean(neurons_per_combination(run) == 1))
    return dict.fromkeys(FAMILIES, share) | {"distinct": distinct(run)}


DISTINCT = Claim(
    id="neurons-distinct",
    locus="Section 6.1.2, before equation (16) and after Definition 6.3",
    statement="Each combination (each fibre, for a symmetry action) is learned by exactly one neuron of its class, and "
    "these neurons are distinct. Control: C₆ with q = 4 from sigma_0 = 0.02, where neurons grow together.",
    subject=singles,
    wrong=blunt_singles,
    parts={
        **{family: Part(itemgetter(family), at_least(1.0, slack=0.05)) for family in FAMILIES},
        "distinct": Part(itemgetter("distinct"), exactly(True)),
    },
    remark=number_remark,
)

EXPERIMENT = Experiment(
    title="Learned features: structure, order, one neuron each",
    runs=flow_runs,
    needs={family: (acting, solved) for family, acting in FAMILIES.items()},
    claims=(TRANSITIVE, SYMMETRIC, ORDER, DISTINCT),
    draw=draw,
    live=Live(views=views),
)
