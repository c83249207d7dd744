"""The order of predicate clauses does not matter: both models, random weights, attention far from flat."""

from operator import itemgetter

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, at_most
from lemmata.papers.lego import sizes
from lemmata.papers.lego.run.permutations import MODELS, Permutations
from lemmata.papers.lego.task import LegoConfig
from lemmata.report.plots import CYCLE, ceiling, legend, new_figure

LARGEST_CHANGE = 1e-5  # of a logit, in float32


def largest(runs: Runs, column: str) -> dict[str, float]:
    """The largest change of a logit, over seeds, sentences, steps and tokens."""
    return {name: float(runs["random"].column(column, model=name).max()) for name in MODELS}


INVARIANCE = Claim(
    id="permutation-invariance",
    locus="Section 7, Figure 5; Section 8 (NoPE)",
    statement="Without positions retrieval is keyed to the shared variable and not to absolute position. Judged with "
    "random weights, for both models: permuting the predicate clauses changes no logit by more than rounding in "
    "float32. Control: clauses that carry a code of their place.",
    subject=lambda runs: largest(runs, "change"),
    wrong=lambda runs: largest(runs, "change_with_places"),  # clauses that carry a positional code
    parts={name: Part(itemgetter(name), at_most(LARGEST_CHANGE)) for name in MODELS},
)


def draw(runs: Runs) -> Artefact:
    run = runs["random"]
    figure, ax = new_figure()
    for index, name in enumerate(MODELS):
        place = index + np.linspace(-0.15, 0.15, len(run.config.seeds))
        plain, with_places = (run.column(column, model=name) for column in ("change", "change_with_places"))
        ax.plot(place, np.maximum(plain, 1e-9), "o", label=name, color=CYCLE[index])
        ax.plot(place, with_places, "x", label=f"{name}, with places", color=CYCLE[index])
    ceiling(ax, LARGEST_CHANGE, "allowed")
    ax.set_xticks(range(len(MODELS)), MODELS)
    ax.set(yscale="log", ylabel="largest change of a logit", xlim=(-0.5, 1.5))
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
            task=LegoConfig(action="S5", variables=41, length=sizes.PERMUTED_LENGTH.at(scale)),
            sentences=sizes.PERMUTED_SENTENCES.at(scale),
            seeds=sizes.seeds(sizes.PERMUTED_SEEDS, scale),
        )
    },
    claims=(INVARIANCE,),
    draw=draw,
)
