"""Appendix B.6: the results are stable for any learning rate between .001 and .03."""

from lemmata.papers.association.claims._noise_level import OTHERS, about_half
from lemmata.papers.association.claims._other_settings import learning_rates, other_settings

EXPERIMENT = other_settings(
    "rate",
    "Other learning rates",
    learning_rates,
    id="any-rate",
    locus="Appendix B.6: stable for any learning rate between .001 and .03",
    statement=r"Trained by SGD with any learning rate between $.001$ and $.03$, Figure 3's end is the same: the full "
    r"model's noise at $\alpha$, the correct token without $F_2$ (means over the last third of the steps). On a laptop "
    "only the range's upper end is run, from a third of the largest rate on.",
    needs=dict.fromkeys(("rate", "main"), about_half(OTHERS)),
    remark="At the smallest learning rate a laptop-sized model has learned nothing but the noise after the paper's "
    "number of steps: the range's lower end is decided at the paper's size alone.",
)
