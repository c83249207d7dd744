"""Figure 12: the first feed-forward layer is linear, the second an MLP, and either is dropped."""

from lemmata.core import Claim, Experiment, Part, at_least, at_most
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._recall_runs import recall_training
from lemmata.papers.association.probe.readings import Edited, learned_something, ratio
from lemmata.papers.association.sizes import Figure12

EXPERIMENT = Experiment(
    title="F₁ linear, F₂ an MLP",
    runs=lambda scale: {"main": recall_training(scale, Figure12, ("linear", "mlp"))},
    needs={"main": learned_something},
    claims=(
        Claim(
            id="fig-12",
            locus="Appendix B.5, Figure 12",
            statement=r"With $F_1$ linear and $F_2$ a two-layer MLP, only dropping $F_2$ makes the correct token more "
            r"probable than the full model does. Dropping $F_1$ makes the noise token more probable.",
            needs={"main": some_noise},
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: Edited(runs["main"]).exchanged(),  # the other layer dropped
            parts={
                "correct, without F₂ / full": Part(ratio("correct", "without_F2"), at_least(1.0, over_seeds=True)),
                "correct, without F₁ / full": Part(ratio("correct", "without_F1"), at_most(1.0, over_seeds=True)),
                "noise, without F₁ / full": Part(ratio("noise", "without_F1"), at_least(1.0, over_seeds=True)),
            },
        ),
    ),
    draw=lambda runs: draw_dropping(runs["main"], "F₁ linear and F₂ an MLP, either dropped"),
)
