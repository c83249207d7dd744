"""The order of predicate clauses does not matter: both models, random weights, attention far from flat."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_most
from lemmata.papers.lego.run.permutations import MODELS, Permutations
from lemmata.papers.lego.task import LegoConfig
from lemmata.report.plots import CYCLE, ceiling, legend, new_figure

LARGEST_CHANGE = 1e-5  # of a logit, in float32


class Changes(NamedTuple):
    """The largest change of a logit, over seeds, sentences, steps and tokens."""

    run: RunResult
    column: str

    def of(self, model: str) -> float:
        return float(self.run.column(self.column, model=model).max())


INVARIANCE = Claim(
    id="permutation-invariance",
    locus="Section 7, Figure 5; Section 8 (NoPE)",
    statement="Retrieval is keyed to the shared variable, not to position: permuting the predicate clauses changes "
    "no logit of either model, up to rounding in float32.",
    subject=lambda runs: Changes(runs["random"], "change"),
    wrong=lambda runs: Changes(runs["random"], "change_with_places"),  # clauses that carry a positional code
    parts={name: Part(lambda changes, name=name: changes.of(name), at_most(LARGEST_CHANGE)) for name in MODELS},
)


def draw(runs: Runs) -> Artefact:
    run = runs["random"]
    figure, ax = new_figure()
    for index, name in enumerate(MODELS):
        place = index + np.linspace(-0.15, 0.15, len(run.config.seeds))
        style = {"color": CYCLE[index]}
        ax.plot(place, np.maximum(run.column("change", model=name), 1e-9), "o", label=name, **style)
        ax.plot(place, run.column("change_with_places", model=name), "x", label=f"{name}, with places", **style)
    ceiling(ax, LARGEST_CHANGE, "allowed")
    ax.set(yscale="log", ylabel="largest change of a logit", xticks=range(len(MODELS)), xlim=(-0.5, 1.5))
    ax.set_xticklabels(MODELS)
    legend(ax, fontsize=7)
    made = run.config
    caption = (
        f"{made.sentences} sentences of {made.task.action} of length {made.task.length}, {len(made.seeds)} seeds; "
        "changes below 1e-9 are drawn there. Crosses: the same models with a positional code in the clauses."
    )
    return Artefact(figure, dict(run.metrics), caption)


EXPERIMENT = Experiment(
    title="Predicates in any order",
    runs=lambda scale: {
        "random": Permutations(
            task=LegoConfig(action="S5", variables=41, length=scale.pick(smoke=5, laptop=10, paper=40)),
            sentences=scale.pick(smoke=16, laptop=64, paper=512),
            seeds=scale.seeds(smoke=2, laptop=3, paper=10),
        )
    },
    claims=(INVARIANCE,),
    draw=draw,
)
