"""Figure 5, right, at the checkpoint the text speaks of: Spain against "the", before and after truncation."""

from lemmata.core import Experiment
from lemmata.papers.association.claims._papers_models import WHY_TWO, boost, both_checkpoints, draw_models

QUARTER = 0.25  # of a doubling: one prompt, so only precision and the randomized decomposition differ

EXPERIMENT = Experiment(
    title="Figure 5, right: factual recall and truncation",
    runs=lambda scale: both_checkpoints(task="madrid"),
    claims=(
        boost(
            full=0.16,
            truncated=11.3,
            close=QUARTER,
            id="fig-5-fact",
            locus="Section 4.1 and Figure 5, right",
            statement="At 14K steps LASER, to rank 25 in the MLP input of layer 16 of Pythia-1B, takes "
            'P(Spain)/P("the") after "Madrid is located in" from .16 to 11.3. Each is judged within a quarter of a '
            "doubling.",
        ),
    ),
    draw=lambda runs: draw_models(runs, 'P(Spain) against P("the") after "Madrid is located in".'),
    extra="lm",
    notes=WHY_TWO,
)
