"""Figure 5, left, at the checkpoint the text speaks of: the indirect object against "the", and truncation."""

from lemmata.core import Claim, Experiment, Part, at_least, at_most
from lemmata.papers.association.claims._papers_models import (
    CHECKPOINTS,
    PYTHIA_1B,
    SETTING,
    WHY_TWO,
    at_checkpoint,
    draw_models,
    gained,
    in_words,
    log_error,
)
from lemmata.papers.association.run.fixed_truncation import FixedTruncation

FULL, TRUNCATED = 2.3, 12.3


BOOST = Claim(
    id="fig-5-ioi",
    locus="Section 4.1 and Figure 5, left",
    statement='Truncation to rank 16 in the MLP input of layer 11 takes mean P(IO) over mean P("the") in 100 sentences '
    "from 2.3 to 12.3. With sentences of ours: each within a doubling, and a gain of 3 and more for certain.",
    needs=PYTHIA_1B,
    subject=lambda runs: at_checkpoint(runs, FULL, "cut"),
    wrong=lambda runs: at_checkpoint(runs, FULL, "random"),
    parts={
        "doublings from 2.3": Part(lambda of: log_error(of.whole, FULL), at_most(1.0), carries=False),
        "doublings from 12.3": Part(lambda of: log_error(of.edit, TRUNCATED), at_most(1.0)),
        "gain": Part(gained, at_least(3.0, over_seeds=True, unit="prompts")),
    },
    remark=lambda runs: " ".join(in_words(runs[name]) for name in CHECKPOINTS),
)

EXPERIMENT = Experiment(
    title="Figure 5, left: indirect objects and truncation",
    runs=lambda scale: {
        name: FixedTruncation(
            model="EleutherAI/pythia-1b", revision=revision, task="ioi", layers=(11,), shares=(0.008,)
        )
        for name, revision in CHECKPOINTS.items()
    },
    claims=(BOOST,),
    draw=lambda runs: draw_models(runs, 'P(IO) against P("the"), a point a sentence.'),
    extra="lm",
    notes=f"{WHY_TWO} {SETTING}",
)
