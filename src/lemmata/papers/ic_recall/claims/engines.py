"""Three forms of one model, trained side by side: equal to rounding, step after step."""

from typing import Literal

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunConfig, Runs, Scale, at_most
from lemmata.papers.ic_recall.run.agreement import AGREEING, REFUSED, UNTRAINED, ModelAgreement
from lemmata.report.plots import ceiling, joined, legend, new_figure

AGREEMENT = 1e-12
RULES: dict[Literal["gradient descent", "adam"], float] = {"gradient descent": 0.01, "adam": 1e-3}  # and their rates


def _runs(scale: Scale) -> dict[str, RunConfig]:
    if scale.name == "smoke":
        return {"adam, k = 2": ModelAgreement(full=False)}
    return {
        f"{rule}, k = {k}": ModelAgreement(k=k, algorithm=rule, learning_rate=rate)
        for k in (2, 3)
        for rule, rate in RULES.items()
    }


def _largest(runs: Runs, labels: tuple[str, ...]) -> list[float]:
    """Largest differences of parameters along each training; the full W^KQ may not have been trained."""
    return [float(run.metrics[label].max()) for run in runs.values() for label in labels if label in run.metrics]


def _compared(runs: Runs) -> list[dict[str, str]]:
    """Which training and which pair of models each of the largest differences is of."""
    found = ((name, label) for name, run in runs.items() for label in AGREEING if label in run.metrics)
    return [{"training": name, "engines": label} for name, label in found]


def _draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, len(runs), width=4.2 * len(runs), squeeze=False, sharey=True)
    tables = []
    for ax, run in zip(axes[0], runs.values(), strict=True):
        for label in (label for label in (*AGREEING, REFUSED[0]) if label in run.metrics):
            values = run.metrics[label]
            ax.semilogy(run.metrics["step"], np.maximum(values, 1e-18), label=label, marker=".")
            size = len(values)
            table = {"k": [run.config.k] * size, "algorithm": [run.config.algorithm] * size}
            tables.append(table | {"step": run.metrics["step"], "pair": [label] * size, "difference": values})
        ceiling(ax, AGREEMENT, "allowed")
        ax.set(title=f"{run.config.algorithm}, k = {run.config.k}", xlabel="step")
    axes[0, 0].set_ylabel("largest difference of parameters")
    legend(axes[0, -1], fontsize=6)
    first = next(iter(runs.values())).config
    caption = (
        f"Largest difference between the models trained side by side in float64 (n = {first.n}, |R| = "
        f"{first.relations}, {first.sequences} sequences, T = {first.temperature:g}; 0 is drawn at 1e-18). The top "
        "curve is what the "
        "reduced model refuses: the full W^KQ, which it cannot represent."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="Three forms of one model",
    runs=_runs,
    claims=(
        Claim(
            id="engines",
            locus="eq. (16) and Appendix D, as a computation",
            statement="With orthonormal embeddings and the memory of Lemma 3.1 the dense transformer, dense attention "
            "with the exact memory, and the reduction to pattern counts follow the same training trajectory. Judged in "
            "float64 up to rounding.",
            subject=lambda runs: _largest(runs, AGREEING),
            wrong=lambda runs: _largest(runs, (REFUSED[0], UNTRAINED)),
            parts=Part(list, at_most(AGREEMENT), along={"training": lambda runs: _compared(runs)}),
            remark="The control compares the reduced model with what it refuses, a trained full W^KQ, and with itself "
            "before training.",
        ),
    ),
    draw=_draw,
)
