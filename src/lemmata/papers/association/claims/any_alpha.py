"""Section 3: any other constant noise level leads to similar observations."""

from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._other_settings import noise_levels, other_settings

EXPERIMENT = other_settings(
    "alpha",
    "Other noise levels",
    noise_levels,
    id="any-alpha",
    locus="Section 3: any other constant noise level would lead to similar observations",
    statement=r"Trained with another constant noise level $\alpha$, the full model predicts the noise with probability "
    r"close to $\alpha$, and dropping $F_2$ leaves the correct token. Read are means over the last third of the steps.",
    needs={"alpha": some_noise},
    remark="The paper shows no such run: the two other noise levels are ours, and so are the laptop's sizes.",
)
