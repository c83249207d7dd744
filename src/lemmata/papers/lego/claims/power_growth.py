"""Equation (16): before it is learned, a feature grows like the power method, at the rate (b + V)^(q-1)."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, near, only
from lemmata.papers.lego import sizes
from lemmata.papers.lego.run.emergence import Emergence
from lemmata.papers.lego.run.one_step import families
from lemmata.report.plots import CYCLE, joined, legend, new_figure

POWERS = (4, 6)
HALFWAY = 0.5  # to the nearest other integer power
PHASE = 0.7  # of rho: Phase I ends below it, where the smoothed ReLU is a power


def runs_by_power(scale: Scale) -> dict[str, Emergence]:
    """The simply transitive action, recorded so often that every emergence is seen."""
    plan = {
        "action": families(scale)["transitive"],
        "variables": sizes.EMERGENCE_VARIABLES.at(scale),
        "records": sizes.EMERGENCE_RECORDS.at(scale),
        "seeds": sizes.seeds(sizes.EMERGENCE_SEEDS, scale),
    }
    return {f"q = {power}": Emergence(power=power, **plan) for power in POWERS}


class Growth(NamedTuple):
    """Of the first combination that a class learns, in Phase I: b + V and dV/dt."""

    size: np.ndarray
    speed: np.ndarray


def emergences(run: RunResult) -> list[Growth]:
    found, limit = [], run.config.model().smoothing
    for magnitudes, speeds in zip(
        run.arrays["size"], run.arrays["speed"], strict=True
    ):  # [record, class, neuron, value]
        for j in range(magnitudes.shape[1]):
            traces = magnitudes[:, j].reshape(len(magnitudes), -1)
            passed = traces > limit
            if not passed.any():
                continue
            first = int(np.argmin(np.where(passed.any(axis=0), passed.argmax(axis=0), len(traces))))
            size, speed = traces[:, first], speeds[:, j].reshape(len(magnitudes), -1)[:, first]
            here = (size > 1.5 * size[0]) & (size < PHASE * limit) & (speed > 0)
            if here.sum() >= 3:
                found.append(Growth(size[here], speed[here]))
    if not found:
        raise Undecided(f"{run.config.action}: no class's first feature is seen to emerge")
    return found


def growth_power(run: RunResult) -> float:
    """The median over classes and seeds of the slope of log dV/dt in log (b + V)."""
    return float(np.median([np.polyfit(np.log(e.size), np.log(e.speed), 1)[0] for e in emergences(run)]))


def swapped(runs: Runs) -> dict[int, RunResult]:
    """Each power's run in the place of the other."""
    return {power: runs[f"q = {other}"] for power, other in zip(POWERS, reversed(POWERS), strict=True)}


POWER_METHOD = Claim(
    id="power-growth",
    locus="Section 6.1.2, Phase I, equation (16)",
    statement=r"In Phase I an emerging feature $\psi$ grows at a rate of order $(b + V_\psi)^{q-1}$, as in the tensor "
    r"power method. Judged along the gradient flow: the slope of $\log(dV/dt)$ in $\log(b + V)$ of the first "
    "combination that each class learns, the median over classes and seeds. Control: the runs of the two $q$ "
    "exchanged.",
    needs={f"q = {q}": only("power", q, why="a slope of q - 1 is expected of each run") for q in POWERS},
    subject=lambda runs: {power: runs[f"q = {power}"] for power in POWERS},
    wrong=swapped,
    parts={
        f"q = {q}": Part(lambda by_power, q=q: growth_power(by_power[q]), near(q - 1, atol=HALFWAY)) for q in POWERS
    },
)


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(1, 1, width=4.8, height=3.6)
    tables = []
    for (name, run), colour in zip(runs.items(), CYCLE, strict=False):
        for number, one in enumerate(emergences(run)):
            ax.plot(
                one.size, one.speed, ".-", color=colour, linewidth=0.6, markersize=2, label=name if not number else None
            )
            count = len(one.size)
            about = {"run": [name] * count, "feature": [number] * count}
            tables.append({**about, "size": one.size, "speed": one.speed})
    ax.set(xscale="log", yscale="log", xlabel="b + V", ylabel="dV/dt", title="emergence")
    legend(ax, fontsize=7)
    config = next(iter(runs.values())).config
    caption = (
        f"Growth of the first feature that each class of {config.action} learns, along the gradient flow of T¹ "
        f"from σ₀ = {config.model().sigma:g}, {len(config.seeds)} seeds, up to {PHASE:g} ρ. (16) has slopes q - 1."
    )
    return Artefact(figure, joined(tables), caption)


EXPERIMENT = Experiment(
    title="A feature emerges like the power method", runs=runs_by_power, claims=(POWER_METHOD,), draw=draw
)
