"""Figure 5, right, at the checkpoint the text speaks of: Spain against "the", before and after truncation."""

from lemmata.core import Claim, Experiment, Part, at_most
from lemmata.papers.association.claims._papers_models import (
    CHECKPOINTS,
    PYTHIA_1B,
    WHY_TWO,
    at_checkpoint,
    draw_models,
    in_words,
    log_error,
)
from lemmata.papers.association.run.fixed_truncation import FixedTruncation

FULL, TRUNCATED = 0.16, 11.3


BOOST = Claim(
    id="fig-5-fact",
    locus="Section 4.1 and Figure 5, right",
    statement='Truncation to rank 25 in the MLP input of layer 16 takes P(Spain)/P("the") after "Madrid is located in" '
    "from .16 to 11.3; each within a quarter of a doubling.",
    needs=PYTHIA_1B,
    subject=lambda runs: at_checkpoint(runs, FULL, "cut"),
    wrong=lambda runs: at_checkpoint(runs, FULL, "random"),
    parts={
        "doublings from .16": Part(lambda of: log_error(of.whole, FULL), at_most(0.25), carries=False),
        "doublings from 11.3": Part(lambda of: log_error(of.edit, TRUNCATED), at_most(0.25)),
    },
    remark=lambda runs: " ".join(in_words(runs[name]) for name in CHECKPOINTS),
)

EXPERIMENT = Experiment(
    title="Figure 5, right: factual recall and truncation",
    runs=lambda scale: {
        name: FixedTruncation(model="EleutherAI/pythia-1b", revision=revision, task="madrid")
        for name, revision in CHECKPOINTS.items()
    },
    claims=(BOOST,),
    draw=lambda runs: draw_models(runs, 'P(Spain) against P("the") after "Madrid is located in".'),
    extra="lm",
    notes=WHY_TWO,
)
