"""The drawing of one-step training: features over time, their order, heatmaps of neurons, imbalance, regimes."""

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lemmata.core import Artefact, Frames, RunResult, Runs
from lemmata.papers.lego.claims import _feature_theory as theory
from lemmata.papers.lego.probe import neurons
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, model_of, table_of
from lemmata.papers.lego.theory.features import balanced_structure
from lemmata.report.plots import CYCLE, DIVERGING, band, ceiling, columns, heatmap, legend, letter, new_figure

MOST_VIEWS = 4  # worlds that are played back


def draw(runs: Runs) -> Artefact:
    every = [at_scale(run, index) for run in runs.values() for index in range(len(run.config.scales))]
    table = columns([_row(run) for run in every])  # first: it says what cannot be drawn
    figure, axes = new_figure(2, 4, width=15.5, height=6.6)
    families = [runs[family] for family in FAMILIES]
    first, last = ([at_scale(run, index) for run in families] for index in (0, -1))
    for index, (early, late) in enumerate(zip(first, last, strict=True)):
        _growth(axes[0, index], early)
        _neurons(axes[1, index], late)
    _order(axes[0, 2], first)
    _regimes(axes[0, 3], [run for name, run in runs.items() if name.startswith("power/")])
    others = [at_scale(run, -1) for name, run in runs.items() if name.startswith("other/")]
    _imbalance(axes[1, 2], [*last, *others], first)
    letter(axes.flat[:7])
    figure.delaxes(axes[1, 3])
    sharp, together = (f"sigma_0 = {model_of(chosen[0]).sigma:.3g}" for chosen in (first, last))
    caption = (
        f"Neurons along the gradient flow of the one-step task, q = {first[0].config.model.power}. a-c at {sharp}: the "
        "largest composite magnitude of each combination, one seed, and when it is learned against its magnitude at "
        "initialization, all seeds. d: neurons that learned a combination, by initial scale and power. e-g at "
        f"{together}. e, f: the neurons of class 0: rows are the values y they answer, columns V at each value and the "
        "mean V over each fibre, in units of B. g: the share of V(y) against the fibre's prediction; crosses are (17) "
        f"and (18), open circles {sharp}."
    )
    return Artefact(figure, table, caption)


def views(runs: Runs) -> list[Frames]:
    """One combination after another is learned, each by a neuron of its own."""
    found = []
    for family, run in runs.items():
        if "magnitude" in run.arrays:
            steps, history = _history(run)
            found.append(
                Frames(
                    title=f"Features of {run.config.task.action} ({family}), in units of B",
                    steps=steps,
                    values=history,
                    rows=[f"class {j}" for j in range(history.shape[1])],
                    columns=[f"y = {y}" for y in range(history.shape[2])],
                    note="The largest composite magnitude of a combination over all neurons; one seed.",
                )
            )
    return found[:MOST_VIEWS]


def _history(run: RunResult) -> tuple[np.ndarray, np.ndarray]:
    """Steps, and by [record, class, value] the largest composite magnitude in units of B; of the first seed."""
    history = run.arrays["magnitude"][0].max(axis=2) / run.config.model.bound
    return run.config.value.every * np.arange(len(history)), history


def _growth(ax: Axes, run: RunResult) -> None:
    steps, history = _history(run)
    for j, y in np.ndindex(history.shape[1:]):
        ax.plot(steps, history[:, j, y], color=CYCLE[j % len(CYCLE)], linewidth=0.8)
    ceiling(ax, 1.0)
    ax.set(xlabel="step along the flow", ylabel="composite magnitude / B", title=f"{run.config.task.action}, by class")


def _order(ax: Axes, runs: list[RunResult]) -> None:
    for index, run in enumerate(runs):
        start = np.ravel([one.magnitude for one in theory.predicted_curricula(run)]) / model_of(run).sigma
        steps = np.ravel([neurons.learning_steps(run, i) for i in neurons.replicas_of(run)])
        label = f"{run.config.task.action}: tau = {theory.order_agreement(run):.2f}"
        ax.plot(start, steps, ".", color=CYCLE[index], markersize=4, label=label)
    ax.set(xlabel="initial magnitude / sigma_0", ylabel="step at which it is learned")
    legend(ax, fontsize=8)


def _regimes(ax: Axes, runs: list[RunResult]) -> None:
    for index, run in enumerate(runs):
        sigma = np.array([replace(run.config.model, scale=scale).sigma for scale in run.config.scales])
        mean = neurons.neurons_per_combination(run).reshape(len(sigma), len(run.config.seeds), -1).mean(axis=2)
        order = np.argsort(sigma)
        band(ax, sigma[order], mean[order].T, f"q = {run.config.model.power}", CYCLE[index], marker="o")
    ceiling(ax, 1.0, "one neuron each")
    ax.set(xlabel="initial scale sigma_0", ylabel="neurons per combination", xscale="log")
    if runs:
        ax.set_title(runs[0].config.task.action)
        legend(ax, fontsize=8)


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
    found = neurons.median_structure(run)
    return found["V(y)"] / (found["V(g)"] + found["V(y)"])


def _row(run: RunResult) -> dict[str, Any]:
    return {
        "action": run.config.task.action,
        "power": run.config.model.power,
        "sigma_0": model_of(run).sigma,
        "seeds": len(run.config.seeds),
        **neurons.median_structure(run),
        "predicted V(y)": theory.finite_structure(run)["V(y)"],
        "neurons per combination": float(neurons.neurons_per_combination(run).mean()),
        "distinct": neurons.distinct(run),
        "order tau": theory.order_agreement(run),
        "by the predicted neuron": theory.predicted_neurons(run),
        "accuracy": float(np.min(run.arrays["value.accuracy"])),
    }
