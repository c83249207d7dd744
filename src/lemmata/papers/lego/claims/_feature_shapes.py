"""The parts that Theorems B.1 and C.1 share: where each of their statements A to D stands at the end of stage 1."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Part, RunResult, Runs, at_most, near
from lemmata.papers.lego.claims._feature_flows import counts
from lemmata.papers.lego.probe.feature_shapes import learned_alone, median, shapes
from lemmata.papers.lego.theory.features import balanced_structure, by_symbol, magnitude
from lemmata.report.plots import CYCLE, columns, legend, new_figure

CLOSE = 0.1  # of psi: o(1) at this d
SMALL = 0.05  # of B: what O~(delta) comes to


class Shapes(NamedTuple):
    """Runs of several actions, or of one by several activations."""

    runs: list[RunResult]

    def of(self, name: str) -> np.ndarray:
        """In units of B, medians over the features that one neuron holds by itself."""
        return np.array([median(shapes(run)[name][learned_alone(run)] / run.config.bound) for run in self.runs])

    def shares(self, name: str) -> np.ndarray:
        """In units of psi."""
        return self.of(name) / self.of("output")


def subjects(runs: Runs) -> Shapes:
    return Shapes([*runs.group("actions").values(), runs["Assumption B.2"]])


def early(runs: Runs) -> Shapes:
    """The same action soon after the first features were learned, in every place."""
    return Shapes([runs["early"]] * len(subjects(runs).runs))


def labels(runs: Runs) -> list[str]:
    return [run.config.action for run in runs.group("actions").values()] + ["by Assumption B.2"]


def expected_output(run: RunResult) -> float:
    """psi / B where the neuron says exactly B."""
    config = run.config
    return magnitude(config.bound, config.bias, config.smoothing, config.power) / config.bound


def expected_share(run: RunResult, name: str) -> float:
    actions, values = counts(run)
    return by_symbol(balanced_structure(values, actions // values))[name]


AXES = {"action": labels}
CANCELLED = {
    "A, output over B": Part(
        lambda found: found.of("output"),
        near(lambda runs: [expected_output(run) for run in subjects(runs).runs], atol=0.01),
        along=AXES,
        carries=False,
    ),
    "B, highest confounding over B": Part(lambda found: found.of("highest"), at_most(SMALL), along=AXES),
    "B, lowest confounding over B": Part(lambda found: -found.of("lowest"), at_most(SMALL), along=AXES, carries=False),
}


def draw(runs: Runs) -> Artefact:
    figure, ax = new_figure(1, 1, width=5.2, height=3.6)
    found, rows = subjects(runs), []
    for label, run, colour in zip(labels(runs), found.runs, CYCLE * 2, strict=False):
        every = {name: values[learned_alone(run)] / run.config.bound for name, values in shapes(run).items()}
        ax.plot(every["V(y)"], every["V(g)"], ".", color=colour, label=label)
        ax.plot(expected_share(run, "V(y)"), expected_share(run, "V(g)"), "x", color=colour)
        rows.append({"action": label, **{name: median(values) for name, values in every.items()}})
    ax.set(xlabel="V(y) / B", ylabel="V(g) / B")
    legend(ax, fontsize=7)
    caption = "Every learned feature at the end of stage 1; crosses are the exact shares at V(g) + V(y) = 2B."
    return Artefact(figure, columns(rows), caption)
