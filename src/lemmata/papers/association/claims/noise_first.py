"""Section 3: in training with noise, the noise is learned before the context."""

import numpy as np

from lemmata.core import Claim, Experiment, Part, at_least
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import noise_within
from lemmata.papers.association.claims._recall_readings import learned_the_context, passes
from lemmata.papers.association.claims._recall_runs import fine_tuned_run, main_run
from lemmata.papers.association.probe.readings import Edited, first_step_over

LIKELY = 0.5  # "with high probability": likelier than all else together


def lead(edited: Edited) -> float:
    """How many steps the noise is over 1/2 before the correct token passes 0.1, in the worst seed."""
    noise = first_step_over(edited.run, "full.noise", LIKELY, edited.phase)
    return float(np.min(passes(edited.run, "full.correct", edited.phase) - noise))


EXPERIMENT = Experiment(
    title="The noise is learned before the context",
    runs=lambda scale: {"main": main_run(scale), "fine-tuned": fine_tuned_run(scale)},
    needs={"main": learned_the_context},
    claims=(
        Claim(
            id="noise-first",
            locus="Section 3, experimental results",
            statement=r"Trained on noisy recall, the full model first learns to predict the noise with high "
            r"probability, and only then begins to predict the correct $\bar y$. In every seed the noise is over 1/2 "
            "before the correct token's probability passes 0.1 (measured is the smallest lead in steps).",
            needs={"main": noise_within(LIKELY, 0.9)},
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: Edited(runs["fine-tuned"], phase=0),  # a model that has seen no noise
            parts=Part(lead, at_least(1.0)),
        ),
    ),
    draw=lambda runs: draw_dropping(runs["main"], "Noise before context"),
)
