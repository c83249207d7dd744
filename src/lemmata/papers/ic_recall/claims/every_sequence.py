"""Section 4.1: with three subjects the gradient is the same on every sequence."""

import numpy as np

from lemmata import core
from lemmata.papers.ic_recall.run.every_sequence import EverySequence
from lemmata.papers.ic_recall.task import RandomBijections
from lemmata.report import plots

CLAIM = core.Claim(
    id="every-sequence",
    locus="Section 4.1, before Table 1",
    uses=("eq-gradients",),
    statement=r"In the three-subject setting the gradients satisfy $\nabla_\theta \ell_1(\theta, Z_1) = \nabla_\theta "
    r"\ell_1(\theta, Z_2)$ for any two IC-recall sequences $Z_1$ and $Z_2$.",
    subject=lambda runs: runs["three subjects"],
    wrong=lambda runs: runs["four subjects"],
    parts=core.Part(
        lambda run: run.metrics["spread"],
        core.at_most(0.0, slack=1e-9),
        along={"point": lambda runs: range(1, runs["three subjects"].config.points + 1)},
    ),
    remark=lambda runs: (
        f"All {runs['three subjects'].metrics['sequences'][0]:.0f} sequences, at random θ, through the dense "
        "model: the largest difference over the largest derivative. The control has four subjects and some of the "
        "bijections."
    ),
)


def draw(runs: core.Runs) -> core.Artefact:
    figure, ax = plots.new_figure(height=3.4)
    for name, run in runs.items():
        ax.plot(np.arange(1, run.config.points + 1), np.maximum(run.metrics["spread"], 1e-17), "o", label=name)
    ax.set(yscale="log", xlabel="random θ", ylabel="largest difference over largest derivative")
    plots.legend(ax)
    caption = "How much the gradient of the first decoding step's loss differs from sequence to sequence."
    return core.Artefact(figure, dict(runs["three subjects"].metrics), caption)


EXPERIMENT = core.Experiment(
    title="Three subjects: the same gradient on every sequence",
    runs=lambda scale: {
        "three subjects": EverySequence(),
        "four subjects": EverySequence(world=RandomBijections(n=4, relations=8)),
    },
    claims=(CLAIM,),
    draw=draw,
)
