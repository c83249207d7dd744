"""One neuron each: every combination is learned by one neuron of its class, and no neuron learns two."""

from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_least, exactly
from lemmata.papers.lego.claims._feature_runs import NEEDS, blunter, both_families, judged, sharp, widest
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, distinct, model_of, neurons_per_combination
from lemmata.report.plots import CYCLE, band, ceiling, columns, legend, new_figure

FEW = 0.05  # of the combinations may have another number of neurons: the statement is of high probability


def singles(runs: Runs) -> dict[str, Any]:
    """The share of combinations that exactly one neuron has learned, and whether no neuron has two."""
    share = {name: float(np.mean(neurons_per_combination(run) == 1)) for name, run in sharp(runs).items()}
    return share | {"distinct": all(distinct(run) for run in sharp(runs).values())}


def blunt_singles(runs: Runs) -> dict[str, Any]:
    """The same where the power is too small to separate neurons, in both places."""
    run = at_scale(runs["power/4"], 1)
    share = float(np.mean(neurons_per_combination(run) == 1))
    return dict.fromkeys(FAMILIES, share) | {"distinct": distinct(run)}


def number_remark(runs: Runs) -> str:
    q4 = at_scale(runs["power/4"], 1)
    counts = [float(neurons_per_combination(run).mean()) for run in (q4, *widest(runs))]
    shared = "does not serve" if all(distinct(run) for run in widest(runs)) else "may serve"
    return (
        rf"{judged(runs)} with q = 4 at {model_of(q4).sigma:g}, and with either q at the paper's $\sigma_0 = "
        rf"d^{{-1/2}}$ at this d, a combination has {min(counts):.1f} to {max(counts):.1f} neurons, and there one "
        f"neuron {shared} two combinations."
    )


DISTINCT = Claim(
    id="neurons-distinct",
    locus="Section 6.1.2, before equation (16) and after Definition 6.3",
    statement="At the end of stage 1 each combination (each fibre, for a symmetry action) has been learned by exactly "
    "one neuron of its class, and these neurons are distinct. Judged: the share of combinations with one neuron, and "
    r"whether no neuron has two. Control: $C_6$ with $q = 4$ from $\sigma_0 = 0.02$, where neurons grow together.",
    subject=singles,
    wrong=blunt_singles,
    parts={
        **{family: Part(itemgetter(family), at_least(1.0, slack=FEW)) for family in FAMILIES},
        "distinct": Part(itemgetter("distinct"), exactly(True)),
    },
    remark=number_remark,
)


def draw(runs: Runs) -> Artefact:
    """Neurons a combination by initial scale: of both families at the sharp power, and of blunter regimes."""
    figure, ax = new_figure(width=4.8, height=3.6)
    rows = []
    for (name, run), colour in zip(runs.items(), CYCLE, strict=False):
        made = run.config
        sigma = np.array([replace(made.model, scale=scale).sigma for scale in made.scales])
        mean = neurons_per_combination(run).reshape(len(sigma), len(made.seeds), -1).mean(axis=2)
        order = np.argsort(sigma)
        steps = "" if name in FAMILIES else ", fewer steps"
        label = f"{made.task.action}, q = {made.model.power}{steps}"
        band(ax, sigma[order], mean[order].T, label, colour, marker="o")
        about = {"action": made.task.action, "power": made.model.power}
        for index, one in enumerate(sigma):
            counted = {"sigma_0": one, "neurons per combination": mean[index].mean()}
            rows.append({**about, **counted, "distinct": distinct(at_scale(run, index))})
    ceiling(ax, 1.0, "one neuron each")
    ax.set(xlabel="initial scale σ₀", ylabel="neurons per combination", xscale="log")
    legend(ax, fontsize=7)
    caption = (
        "Neurons that learned a combination, by initial scale and power; bands: one standard deviation over seeds."
    )
    return Artefact(figure, columns(rows), caption)


EXPERIMENT = Experiment(
    title="One neuron each",
    runs=lambda scale: {**both_families(scale), **blunter(scale)},
    needs=NEEDS,
    claims=(DISTINCT,),
    draw=draw,
)
