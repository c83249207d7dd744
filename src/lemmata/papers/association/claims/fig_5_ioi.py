"""Figure 5, left, at the checkpoint the text speaks of: the indirect object against "the", and truncation."""

from lemmata.core import Experiment, Part, at_least
from lemmata.papers.association.claims._papers_models import SETTING, WHY_TWO, boost, both_checkpoints, draw_models
from lemmata.papers.association.probe.gains import Compared

DOUBLING = 1.0  # the names are ours

EXPERIMENT = Experiment(
    title="Figure 5, left: indirect objects and truncation",
    runs=lambda scale: both_checkpoints(task="ioi", layers=(11,), shares=(0.008,)),
    claims=(
        boost(
            full=2.3,
            truncated=12.3,
            close=DOUBLING,
            more={"gain": Part(Compared.gain, at_least(3.0, over_seeds=True, unit="prompts"))},
            id="fig-5-ioi",
            locus="Section 4.1 and Figure 5, left",
            statement="At 14K steps LASER, to rank 16 in the MLP input of layer 11 of Pythia-1B, takes mean P(IO) over "
            'mean P("the") in 100 sentences from 2.3 to 12.3. With names of ours in the printed sentence '
            "each is judged within a doubling, and a gain of 3 and more for certain.",
        ),
    ),
    draw=lambda runs: draw_models(runs, 'P(IO) against P("the"), a point a sentence.'),
    extra="lm",
    notes=f"{WHY_TWO} {SETTING}",
)
