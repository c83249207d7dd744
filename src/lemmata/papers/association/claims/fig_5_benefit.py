"""Figure 5, left, and section 4.1: since when truncation helps Pythia-1B on IOI."""

import numpy as np

from lemmata.core import Claim, Part, at_least
from lemmata.papers.association.claims._training import LATE, MIDDLE, Window, phases, raised

TWOFOLD = float(np.log(2))

EXPERIMENT = phases(
    "ioi",
    title="Figure 5: when truncation begins to help",
    claim=Claim(
        id="fig-5-benefit",
        locus="Section 4.1, phase iii; Figure 5, left",
        statement="Well after 2000 steps LASER enhances the leading position of the indirect object in Pythia-1B: "
        'against "the" it rises twofold and more at every checkpoint. Before 512 steps it does not.',
        subject=lambda runs: Window(runs["ioi"], *LATE),
        wrong=lambda runs: Window(runs["ioi"], *MIDDLE),
        parts={
            "log of answer over the, truncated - whole": Part(
                raised, at_least(TWOFOLD, over_seeds=True, unit="prompts")
            )
        },
        remark="The paper says that the benefit appears then; how large it must be is ours.",
    ),
)
