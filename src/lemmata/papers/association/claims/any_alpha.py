"""Section 3: any other constant noise level leads to similar observations."""

from lemmata.core import Claim, Experiment
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._other_settings import (
    draw_noise_levels,
    ends,
    noise_levels,
    parts_by,
    trained_clean,
)
from lemmata.papers.association.probe.readings import learned_something

EXPERIMENT = Experiment(
    title="Other noise levels",
    runs=noise_levels,
    needs=dict.fromkeys(("main", "alpha"), learned_something),
    claims=(
        Claim(
            id="any-alpha",
            locus="Section 3: any other constant noise level would lead to similar observations",
            statement=r"Trained with another constant noise level $\alpha$, the full model predicts the noise with "
            r"probability close to $\alpha$, and dropping $F_2$ leaves the correct token. Read are means over the last "
            "third of the steps.",
            needs={"alpha": some_noise},
            subject=lambda runs: ends(runs, "alpha"),
            wrong=trained_clean,
            parts=parts_by("alpha"),
            remark="The paper shows no such run: the two other noise levels are ours, and so are the laptop's sizes.",
        ),
    ),
    draw=draw_noise_levels,
)
