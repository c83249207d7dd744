"""What one-step training leaves in the neurons: the magnitudes of their features, (17) and (18)."""

from dataclasses import replace
from operator import itemgetter

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, at_most, near
from lemmata.papers.lego import sizes
from lemmata.papers.lego.claims._feature_runs import NEEDS, SHARP, TOGETHER, both_families, flow_run
from lemmata.papers.lego.claims._feature_theory import finite_structure
from lemmata.papers.lego.probe import neurons
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, median_structure, model_of, table_of
from lemmata.papers.lego.run.one_step import OneStepTraining, families
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.features import balanced_structure, by_symbol, printed_structure
from lemmata.report.plots import CYCLE, DIVERGING, columns, heatmap, legend, letter, new_figure

SYMBOLS = ("V(g)", "V(y)", "V(g')", "V(y')")
CLOSE = 0.1  # of psi, or of B for the output: o(1) at this d


def runs_of(scale: Scale) -> dict[str, OneStepTraining]:
    """Both families; actions between them, one seed each: does the fibre decide the imbalance? And the other reading
    of the smoothed ReLU."""
    found = both_families(scale)
    found |= {f"other/{name}": flow_run(name, scale, 1, (TOGETHER,)) for name in sizes.FEATURE_OTHERS.at(scale)}
    if scale.name != "smoke":
        found["even"] = flow_run(families(scale)["symmetric"], scale, 1, (SHARP,), branch="even")
    return found


def printed(run: RunResult) -> dict[str, float]:
    acting = action(run.config.task.action)
    return by_symbol(printed_structure(acting.num_values, acting.num_actions == acting.num_values))


# Of every neuron: the output is to be B, and no confounding pair awake.
ACTIVATION = {
    "output": Part(itemgetter("output"), near(1.0, atol=CLOSE)),
    "confounding": Part(itemgetter("confounding"), at_most(0.0, slack=CLOSE)),
}


def structure_part(symbol: str) -> Part:
    """In units of psi."""
    return Part(itemgetter(symbol), near(lambda runs: printed(runs["transitive"])[symbol], atol=CLOSE))


def balanced(run: RunResult) -> dict[str, float]:
    """Theorem C.1 with the constant of Lemma C.7."""
    acting = action(run.config.task.action)
    return by_symbol(balanced_structure(acting.num_values, acting.num_actions // acting.num_values))


def unit_remark(runs: Runs) -> str:
    run = at_scale(runs["transitive"], -1)
    found, model, psi = median_structure(run), model_of(run), finite_structure(run)["V(g)"]
    elsewhere = -(found["V(g')"] + found["V(y')"]) / 2
    return (
        rf"The unit is $\psi$ because an output of $B$ needs $\psi = B + \varrho(1 - 1/q) - b$. With our $\varrho$ = "
        f"{model.smoothing:g} and d = {model.vocab} that is {psi:.2f} B; measured: "
        f"{(found['V(g)'] + found['V(y)']) / 2:.2f} B, and {elsewhere:.2f} B at other actions and values. In the "
        "paper's limit it is B."
    )


def listed(structure: dict[str, float]) -> str:
    return ", ".join(f"{structure[symbol]:.3f}" for symbol in SYMBOLS)


def finite_remark(runs: Runs) -> str:
    first, last, even = at_scale(runs["symmetric"], 0), at_scale(runs["symmetric"], -1), at_scale(runs["even"], 0)
    form = finite_structure(last)
    balanced = {symbol: 2 * share / (form["V(g)"] + form["V(y)"]) for symbol, share in form.items()}
    return (
        r"(18) is the limit of many values of Lemma C.7: with $V(g) + V(y) = 2\psi$, confounding pairs that just "
        r"cancel and the conserved $\sum_g V(g) - \sum_y V(y)$, a fibre of $f$ actions has $V(y) = 2\psi k$ and $V(g) "
        rf"= 2\psi(1 - k)$ with $k = (f + n_y - 1)/(n_y(f + 1))$. In units of $\psi$ that is {listed(balanced)} for "
        f"{last.config.task.action}. Measured: {listed(median_structure(last, unit='psi'))} at sigma_0 = "
        f"{model_of(last).sigma:g} and {listed(median_structure(first, unit='psi'))} at {model_of(first).sigma:g}, "
        "where combinations emerge one by one and some pairs end below zero. With the other reading of Definition 3.4, "
        f"the power on both sides of 0: {listed(median_structure(even, unit='psi'))} at {model_of(even).sigma:g}."
    )


TRANSITIVE = Claim(
    id="feature-structure-transitive",
    locus="Section 6.1.2, equations (17a)-(17c)",
    uses=("curriculum-order", "neurons-distinct"),
    statement=r"Under Assumption 4.1, at the end of stage 1 the neuron that learned $(g, y)$ has $V(g), V(y) \approx "
    r"B$ and $V(g'), V(y') \approx -B$ for all $g' \ne g$ and $y' \ne y$, so that its confounding pairs cancel: $V(g) "
    r"+ V(y') \le o(1)$ and $V(g') + V(y) \le o(1)$. Judged: medians over neurons and seeds, in units of the neuron's "
    r"$\psi = (V(g) + V(y))/2$, and its output in units of $B$. Control: the symmetric action's neurons.",
    subject=lambda runs: median_structure(at_scale(runs["transitive"], -1), unit="psi"),
    wrong=lambda runs: median_structure(at_scale(runs["symmetric"], -1), unit="psi"),
    parts={symbol: structure_part(symbol) for symbol in SYMBOLS} | ACTIVATION,
    remark=unit_remark,
)

SYMMETRIC = Claim(
    id="feature-structure-symmetric",
    locus="Section 6.1.2, equations (18a)-(18c)",
    uses=("curriculum-order", "neurons-distinct"),
    statement=r"Under Assumption 5.1, at the end of stage 1 the neuron of a fibre is unbalanced: $V(g) \approx 2B$ on "
    r"the fibre and $V(g') \approx -2B/n_y$ off it, $V(y) \approx 2B/n_y$ and $V(y') \approx -2B$ at other values, "
    r"so that its confounding pairs cancel. Judged with the exact shares of Theorem C.1, $V(g) = C_\alpha V(y)$, "
    r"$V(g') = -V(y)$ and $V(y') = -V(g)$, within $0.1$ of $\psi = (V(g) + V(y))/2$, in medians over neurons and "
    "seeds. Control: the simply transitive action's neurons.",
    subject=lambda runs: median_structure(at_scale(runs["symmetric"], -1), unit="psi"),
    wrong=lambda runs: median_structure(at_scale(runs["transitive"], -1), unit="psi"),
    parts={
        symbol: Part(
            itemgetter(symbol), near(lambda runs, symbol=symbol: balanced(runs["symmetric"])[symbol], atol=CLOSE)
        )
        for symbol in SYMBOLS
    }
    | {name: replace(part, carries=False) for name, part in ACTIVATION.items()},
    remark=finite_remark,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 3, width=13.0, height=3.8)
    last, first = ([at_scale(runs[family], index) for family in FAMILIES] for index in (-1, 0))
    for ax, run in zip(axes, last, strict=False):
        _neurons(ax, run)
    others = [at_scale(run, -1) for run in runs.group("other").values()]
    _imbalance(axes[2], [*last, *others], first)
    letter(axes)
    caption = (
        "a, b: the neurons of class 0: rows are the values y they answer, columns V at each value and the mean V over "
        f"each fibre, in units of B, at σ₀ = {model_of(last[0]).sigma:.3g}. c: the share of V(y) against the fibre's "
        f"prediction; crosses are (17) and (18), open circles σ₀ = {model_of(first[0]).sigma:.3g}."
    )
    rows = [
        {
            "action": run.config.task.action,
            "sigma_0": model_of(run).sigma,
            "seeds": len(run.config.seeds),
            **median_structure(run),
            "predicted V(y)": finite_structure(run)["V(y)"],
        }
        for run in (*first, *last, *others)
    ]
    return Artefact(figure, columns(rows), caption)


def _neurons(ax: Axes, run: RunResult) -> None:
    acting, value, table = run.arrays["final.action"][0][0], run.arrays["final.value"][0][0], table_of(run)
    answering = neurons.winners(run, "final", 0)[0]
    on_fibre = np.stack([acting[answering][:, column == 0].mean(axis=1) for column in table.T], axis=1)
    matrix = np.concatenate([value[answering], on_fibre], axis=1) / run.config.model.bound
    values = range(table.shape[1])
    names = [f"y{y}" for y in values] + [f"g:{y}→0" for y in values]
    heatmap(ax, matrix, names, [f"y{y}" for y in values], ".1f", cmap=DIVERGING, vmin=-2, vmax=2)
    ax.tick_params(labelsize=7)
    ax.tick_params(axis="x", rotation=90)
    ax.set(xlabel="what is read", ylabel="neuron of", title=f"{run.config.task.action}, class 0, V / B")


def _imbalance(ax: Axes, runs: list[RunResult], sharp: list[RunResult]) -> None:
    for index, run in enumerate(runs):
        actions, values = table_of(run).shape
        fibre = actions // values
        predicted = balanced_structure(values, fibre).value / 2
        label = f"{run.config.task.action}, fibre of {fibre}"
        ax.plot(predicted, _share(run), "o", color=CYCLE[index], label=label)
        ax.plot(predicted, 0.5 if fibre == 1 else 1 / values, "x", color=CYCLE[index])
        if index < len(sharp):
            ax.plot(predicted, _share(sharp[index]), "o", color=CYCLE[index], fillstyle="none")
    ax.plot([0.2, 0.5], [0.2, 0.5], color="0.6", linewidth=1, zorder=0)
    ax.set(xlabel="k = (f + n - 1) / (n (f + 1))", ylabel="V(y) / (V(g) + V(y))")
    legend(ax, fontsize=7)


def _share(run: RunResult) -> float:
    found = median_structure(run)
    return found["V(y)"] / (found["V(g)"] + found["V(y)"])


EXPERIMENT = Experiment(
    title="The structure of learned features", runs=runs_of, needs=NEEDS, claims=(TRANSITIVE, SYMMETRIC), draw=draw
)
