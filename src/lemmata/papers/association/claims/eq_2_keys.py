"""Equation (2) at initialization: W_QK has no gradient."""

from lemmata.core import Artefact, Claim, Experiment, Part, Runs, near
from lemmata.papers.association.claims._descents import Descent, descent_run
from lemmata.papers.association.claims._drawing import draw_curves


def draw(runs: Runs) -> Artefact:
    steps, values = runs["descent"].curve("largest_key")
    caption = "All three matrices from zero: W_QK stays at zero for the first step."
    name = "largest entry of W_QK"
    return draw_curves({name: (steps[:10], values[:, :10])}, caption, xlabel="step", ylabel=name)


EXPERIMENT = Experiment(
    title="W_QK's first step from zero",
    runs=lambda scale: {"descent": descent_run(scale)},
    claims=(
        Claim(
            id="eq-2-keys",
            locus="Section 3.1: W_QK has no gradient at initialization",
            statement=r"In the model of equation (2) with $W_{QK} = W_F = W_V = 0$ at initialization, $W_{QK}$ has no "
            "gradient. Measured is its largest entry after the first step.",
            subject=lambda runs: Descent(runs["descent"]).at(1, "largest_key"),
            wrong=lambda runs: Descent(runs["descent"]).at(2, "largest_key"),  # the second step, when W_V is there
            parts=Part(lambda largest: largest, near(0.0), along={"seed": lambda runs: runs["descent"].config.seeds}),
        ),
    ),
    draw=draw,
)
