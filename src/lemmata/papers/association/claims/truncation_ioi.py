"""Any language model on indirect objects: does some layer and rank raise IO/"the", and at how many layers?"""

from lemmata.core import Experiment
from lemmata.papers.association.claims._truncations import claims_of, draw
from lemmata.papers.association.run.chosen_truncation import ChosenTruncation

EXPERIMENT = Experiment(
    title="Truncating any language model: indirect objects",
    runs=lambda scale: {
        "main": ChosenTruncation(
            task="ioi",
            prompts=scale.pick(
                smoke=4, laptop=150, paper=150
            ),  # with the paper's hundred, fifty a half, it is undecided
            upper=scale.pick(smoke=0.04, laptop=1 / 3, paper=1.0),  # a laptop's time
            subspaces=scale.pick(smoke=2, laptop=6, paper=6),
            shares=scale.pick(smoke=(0.2, 0.95), laptop=(0.02, 0.2, 0.5, 0.8, 0.95), paper=(0.02, 0.2, 0.5, 0.8, 0.95)),
        )
    },
    claims=claims_of("truncation-ioi", 'P(indirect object)/P("the")'),
    draw=draw,
    extra="lm",
    notes="The default model's weights are of 4 bits: its smallest singular values are of the order of their rounding. "
    "`--set model=...` takes any causal model.",
)
