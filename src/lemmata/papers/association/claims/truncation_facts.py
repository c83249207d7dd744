"""Any language model on facts: does some layer and rank raise answer/"the", and at how many layers?"""

from lemmata.core import Experiment
from lemmata.papers.association.claims._truncations import claims_of, draw
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation

EXPERIMENT = Experiment(
    title="Truncating any language model: facts",
    runs=lambda scale: {
        "main": ChosenTruncation(
            task="facts",
            prompts=scale.pick(smoke=4, laptop=50, paper=50),
            upper=scale.pick(smoke=0.04, laptop=0.5, paper=1.0),
            shares=scale.pick(smoke=(0.2, 0.95), laptop=(0.02, 0.2, 0.5, 0.8, 0.95), paper=(0.02, 0.2, 0.5, 0.8, 0.95)),
        )
    },
    claims=claims_of("truncation-facts", 'P(answer)/P("the")'),
    draw=draw,
    extra="lm",
    notes="Table 5's twenty facts and twenty cities of ours; no answer is in both halves. The default model's weights "
    "are of 4 bits: its smallest singular values are of the order of their rounding.",
)
