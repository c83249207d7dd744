"""What one-step training leaves in the neurons: which features, in which order, one neuron each.

The regime is the theorems' own: a rate so small that descent is the gradient flow, a power q = 6 that separates
neurons, and time until nothing moves. Structure is judged from the last initial scale, order and number from the first.
"""

from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from lemmata.core import Claim, Correction, Experiment, Part, RunResult, Runs, Scale, Undecided
from lemmata.core.rule import at_least, at_most, exactly, near
from lemmata.papers.lego.claims._feature_drawing import draw
from lemmata.papers.lego.claims._feature_theory import by_symbol, finite_structure, order_agreement
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, distinct, median_structure, model_of, neurons_per_combination
from lemmata.papers.lego.run.one_step import Descent, OneStepTraining, families, one_step_training
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import printed_structure

OTHERS = ("S4", "F5", "A5")  # between the two families, one seed each: does the fibre decide the imbalance?
SHARP, TOGETHER = 0.005, 0.02  # sigma_0: combinations emerge strictly one by one, or several at a time
SYMBOLS = ("V(g)", "V(y)", "V(g')", "V(y')")


def flow_run(
    name: str, scale: Scale, seeds: tuple[int, ...], scales: tuple[float | None, ...], power: int = 6
) -> OneStepTraining:
    """The gradient flow, until every confounding feature has cancelled."""
    steps = scale.pick(smoke=12_000, laptop=24_000, paper=40_000)
    flow = Descent(steps=steps, rate=1e15, stride=0.1, every=steps // 200)
    return one_step_training(name, scale, {"power": power}, scales=scales, value=flow, seeds=seeds)


def flow_runs(scale: Scale) -> dict[str, OneStepTraining]:
    """Both families; other actions; and, for the simply transitive one, blunter regimes."""
    seeds = scale.seeds(smoke=2, laptop=3, paper=10)
    found = {family: flow_run(name, scale, seeds, (SHARP, TOGETHER)) for family, name in families(scale).items()}
    if scale.name == "smoke":
        return found
    found |= {f"other/{name}": flow_run(name, scale, seeds[:1], (TOGETHER,)) for name in OTHERS}
    for power in (4, 6):
        run = flow_run(families(scale)["transitive"], scale, seeds, (SHARP, TOGETHER, 0.05, None), power)
        found[f"power/{power}"] = replace(run, value=replace(run.value, steps=16_000, every=80))
    return found


def solved(run: RunResult) -> str | None:
    """A need: features are read from a run that learned the task."""
    least = float(np.min(run.arrays["value.accuracy"]))
    return None if least == 1 else f"{run.config.task.action} answers {least:.2f} of the pairs: too short a run"


def printed(run: RunResult) -> dict[str, float]:
    acting = action(run.config.task.action)
    return by_symbol(printed_structure(acting.num_values, acting.num_actions == acting.num_values))


def structure_parts(family: str) -> dict[str, Part]:
    """By the printed form, or else by the finite one; the output is to be B, and no confounding pair awake."""

    def feature(symbol: str) -> Part:
        return Part(
            itemgetter(symbol),
            near(lambda runs: printed(runs[family])[symbol], atol=0.1),
            corrected=lambda runs: finite_structure(at_scale(runs[family], -1))[symbol],
        )

    return {symbol: feature(symbol) for symbol in SYMBOLS} | {
        "output": Part(itemgetter("output"), near(1.0, atol=0.1)),
        "confounding": Part(itemgetter("confounding"), at_most(0.0, slack=0.1)),
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


def scale_remark(runs: Runs) -> str:
    first, last = at_scale(runs["symmetric"], 0), at_scale(runs["symmetric"], -1)
    found, form = median_structure(last), finite_structure(last)
    worst = max(abs(found[symbol] - form[symbol]) for symbol in SYMBOLS)
    return (
        f"At sigma_0 = {model_of(last).sigma:g}, where several combinations emerge at a time and cancel together, "
        f"{last.config.task.action} agrees with the corrected form to {worst:.2f} B. At {model_of(first).sigma:g} they "
        "emerge strictly one by one: features off the fibre are set while V(y) is still large, stay below what cancels "
        f"at the end, and V(y) ends at {median_structure(first)['V(y)']:.2f} B instead of {form['V(y)']:.2f}. The "
        "conserved sum is the same in both; (18c) is an inequality, and only its equality gives k."
    )


TRANSITIVE = Claim(
    id="feature-structure-transitive",
    locus="Section 6.1.2, equations (17a)-(17c)",
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
    statement="For a symmetry action the neuron of a fibre ends unbalanced: V(g) = 2B on the fibre and V(y) = 2B/n_y; "
    "V(g') = -2B/n_y off the fibre and V(y') = -2B at other values, so that confounding pairs cancel. (Medians over "
    "neurons and seeds, in units of B.)",
    subject=lambda runs: median_structure(at_scale(runs["symmetric"], -1)),
    wrong=lambda runs: median_structure(at_scale(runs["transitive"], -1)),
    parts=structure_parts("symmetric"),
    remark=scale_remark,
    correction=Correction(
        printed="V(g) ≈ 2B, V(y) ≈ 2B/n_y; V(g') ≈ -2B/n_y, V(y') ≈ -2B",
        corrected="V(g) = 2ψ(1 - k), V(y) = 2ψk; V(g') = -2ψk, V(y') = -2ψ(1 - k), k = (f + n_y - 1)/(n_y (f + 1)), "
        "ψ = B + ρ(1 - 1/q) - b",
        reason="Every example (g, y) moves V(g) and V(y) by the same amount, so sum_g V(g) - sum_y V(y) is conserved; "
        "with V(g) + V(y) = 2ψ and cancelled confounding pairs this gives k for a fibre of f actions. The printed form "
        "is its limit of many values, where 1 - k is 1; with 5 values 2B is a fifth too large (and the pre-activation "
        "would be B(1 + 1/n_y), above the clip). ψ is where the neuron says B: the smoothed ReLU beyond ρ is "
        "x - ρ(1 - 1/q), of x = ψ + b; in the paper's limit ψ = B. Our print of (18a) also says g outside the fibre.",
    ),
)


def sharp(runs: Runs) -> dict[str, RunResult]:
    return {family: at_scale(runs[family], 0) for family in FAMILIES}


def ordered(runs: Runs, shift: int) -> dict[str, float]:
    if any(len(run.config.seeds) < 2 for run in sharp(runs).values()):
        raise Undecided("needs two seeds: the control takes another seed's order")
    return {family: order_agreement(run, shift) for family, run in sharp(runs).items()}


def singles(runs: Runs, moment: str) -> dict[str, Any]:
    """The share of combinations that exactly one neuron has learned, and whether no neuron has two."""
    share = {name: float(np.mean(neurons_per_combination(run, moment) == 1)) for name, run in sharp(runs).items()}
    return share | {"distinct": all(distinct(run, moment) for run in sharp(runs).values())}


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
    statement="Combinations are learned in the order of the magnitude their features have at initialization. "
    "(Kendall's tau between the two orders.)",
    subject=lambda runs: ordered(runs, shift=0),
    wrong=lambda runs: ordered(runs, shift=1),  # another seed's order
    parts={family: Part(itemgetter(family), at_least(0.6)) for family in FAMILIES},
    remark=order_remark,
)

DISTINCT = Claim(
    id="neurons-distinct",
    locus="Section 6.1.2, before equation (16) and after Definition 6.3",
    statement="Each combination (each fibre, for a symmetry action) is learned by exactly one neuron of its class, and "
    "these neurons are distinct.",
    subject=lambda runs: singles(runs, "final"),
    wrong=lambda runs: singles(runs, "initial"),
    parts={
        **{family: Part(itemgetter(family), at_least(1.0, slack=0.05)) for family in FAMILIES},
        "distinct": Part(itemgetter("distinct"), exactly(True)),
    },
    remark=number_remark,
)

EXPERIMENT = Experiment(
    title="Learned features: structure, order, one neuron each",
    runs=flow_runs,
    needs={family: lambda run, need=need: need(run) or solved(run) for family, need in FAMILIES.items()},
    claims=(TRANSITIVE, SYMMETRIC, ORDER, DISTINCT),
    draw=draw,
)
