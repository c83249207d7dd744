"""The implicit curriculum: combinations are learned in the order of their magnitudes at initialization."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Frames, Live, Part, RunResult, Runs, Undecided, at_least
from lemmata.papers.lego.claims._feature_runs import NEEDS, blunter, both_families, judged, sharp, widest
from lemmata.papers.lego.claims._feature_theory import order_agreement, predicted_curricula, predicted_neurons
from lemmata.papers.lego.probe import neurons
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.probe.neurons import at_scale, model_of
from lemmata.report.plots import CYCLE, ceiling, columns, legend, letter, new_figure

AGREEMENT = 0.6  # of Kendall's tau: four of five pairs in the predicted order


def ordered(runs: Runs, shift: int) -> dict[str, float]:
    if any(len(run.config.seeds) < 2 for run in sharp(runs).values()):
        raise Undecided("needs two seeds: the control takes another seed's order")
    return {family: order_agreement(run, shift) for family, run in sharp(runs).items()}


def order_remark(runs: Runs) -> str:
    blunt, q4 = at_scale(runs["transitive"], -1), at_scale(runs["power/4"], 1)
    return (
        rf"{judged(runs)} $\tau$ is {order_agreement(blunt):.2f} at $\sigma_0$ = {model_of(blunt).sigma:g}, "
        f"{order_agreement(q4):.2f} at {model_of(q4).sigma:g} with q = 4, and at most "
        f"{max(order_agreement(run) for run in widest(runs)):.2f} at the paper's "
        r"$\sigma_0 = d^{-1/2}$ at this d, where the first pre-activation is not small against $\varrho$ and "
        "combinations emerge together."
    )


ORDER = Claim(
    id="curriculum-order",
    locus="Section 6.1.2, implicit curriculum",
    uses=("power-growth",),
    statement="Under Assumption 3.3 stage 1 follows an implicit curriculum: of two features that will be learned, "
    r"the one with the larger magnitude $V_\psi^{(0)}$ at initialization is learned first. Judged: Kendall's $\tau$ "
    "between the times of learning and that order, mean over seeds. Control: another seed's order.",
    subject=lambda runs: ordered(runs, shift=0),
    wrong=lambda runs: ordered(runs, shift=1),
    parts={family: Part(itemgetter(family), at_least(AGREEMENT)) for family in FAMILIES},
    remark=order_remark,
)


def history(run: RunResult) -> np.ndarray:
    """[record, class, value]: the largest composite magnitude over neurons in units of B, of the first seed."""
    return run.arrays["magnitude"][0].max(axis=2) / run.config.model.bound


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 3, width=13.0, height=3.8)
    rows = []
    for ax, run, colour in zip(axes, sharp(runs).values(), CYCLE, strict=False):
        name, tau = run.config.task.action, order_agreement(run)
        for j, y in np.ndindex(history(run).shape[1:]):
            steps = run.config.value.every * np.arange(len(history(run)))
            ax.plot(steps, history(run)[:, j, y], color=CYCLE[j % len(CYCLE)], linewidth=0.8)
        ceiling(ax, 1.0)
        ax.set(xlabel="step along the flow", ylabel="composite magnitude / B", title=f"{name}, by class")
        start = np.ravel([one.magnitude for one in predicted_curricula(run)]) / model_of(run).sigma
        learned = np.ravel([neurons.learning_steps(run, i) for i in neurons.replicas_of(run)])
        axes[2].plot(start, learned, ".", color=colour, markersize=4, label=f"{name}: tau = {tau:.2f}")
        about = {"action": name, "sigma_0": model_of(run).sigma, "seeds": len(run.config.seeds)}
        rows.append({**about, "order tau": tau, "by the predicted neuron": predicted_neurons(run)})
    axes[2].set(xlabel="initial magnitude / σ₀", ylabel="step at which it is learned")
    legend(axes[2], fontsize=8)
    letter(axes)
    made = runs["transitive"].config
    caption = (
        f"Neurons along the gradient flow of the one-step task, q = {made.model.power}, at σ₀ = {made.scales[0]:.3g}. "
        "a, b: the largest composite magnitude of each combination, one seed. c: when it is learned against its "
        "magnitude at initialization, all seeds."
    )
    return Artefact(figure, columns(rows), caption)


def views(runs: Runs) -> list[Frames]:
    """One combination after another is learned, each by a neuron of its own."""
    return [
        Frames(
            title=f"Features of {run.config.task.action} ({family}), in units of B",
            steps=run.config.value.every * np.arange(len(history(run))),
            values=history(run),
            rows=[f"class {j}" for j in range(history(run).shape[1])],
            columns=[f"y = {y}" for y in range(history(run).shape[2])],
            note="The largest composite magnitude of a combination over all neurons; one seed.",
        )
        for family, run in runs.items()
        if family in FAMILIES and "magnitude" in run.arrays
    ]


EXPERIMENT = Experiment(
    title="The order in which features are learned",
    runs=lambda scale: {**both_families(scale), **blunter(scale)},
    needs=NEEDS,
    claims=(ORDER,),
    draw=draw,
    live=Live(views=views),
)
