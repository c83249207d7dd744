"""Appendix B.6: the results are stable for any learning rate between .001 and .03."""

from lemmata.core import Claim, Experiment
from lemmata.papers.association.claims._noise_level import OTHERS, about_half
from lemmata.papers.association.claims._other_settings import (
    draw_learning_rates,
    ends,
    learning_rates,
    parts_by,
    trained_clean,
)
from lemmata.papers.association.probe.readings import learned_something

EXPERIMENT = Experiment(
    title="Other learning rates",
    runs=learning_rates,
    needs=dict.fromkeys(("main", "rate"), learned_something),
    claims=(
        Claim(
            id="any-rate",
            locus="Appendix B.6: stable for any learning rate between .001 and .03",
            statement="Trained by SGD with any learning rate between $.001$ and $.03$, Figure 3's end is the same: "
            r"the full model's noise at $\alpha$, the correct token without $F_2$ (means over the last third of the "
            "steps). On a laptop only the range's upper end is run, from a third of the largest rate on.",
            needs=dict.fromkeys(("rate", "main"), about_half(OTHERS)),
            subject=lambda runs: ends(runs, "rate"),
            wrong=trained_clean,
            parts=parts_by("rate"),
            remark="At the smallest learning rate a laptop-sized model has learned nothing but the noise after the "
            "paper's number of steps: the range's lower end is decided at the paper's size alone.",
        ),
    ),
    draw=draw_learning_rates,
)
