"""Any language model on indirect objects: does some layer and rank raise IO/"the", and at how many layers?"""

from lemmata.core import Experiment
from lemmata.papers.association.claims._truncations import claims_of, draw
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation

EXPERIMENT = Experiment(
    title="Truncating any language model: indirect objects",
    runs=lambda scale: {
        "main": ChosenTruncation(
            task="ioi",
            prompts=scale.pick(smoke=4, laptop=50, paper=50),  # both halves together: the paper's hundred
            upper=scale.pick(smoke=0.04, laptop=0.5, paper=1.0),
            shares=scale.pick(smoke=(0.2, 0.95), laptop=(0.02, 0.2, 0.5, 0.8, 0.95), paper=(0.02, 0.2, 0.5, 0.8, 0.95)),
        )
    },
    claims=claims_of("truncation-ioi", 'P(indirect object)/P("the")'),
    draw=draw,
    extra="lm",
    notes="The default model's weights are of 4 bits: its smallest singular values are of the order of their rounding. "
    "`--set model=...` takes any causal model.",
)
