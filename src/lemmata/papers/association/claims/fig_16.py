"""Figure 16: three sizes of Pythia on the facts of Table 5: truncation lowers "the" against the answers."""

from lemmata.core import at_least, at_most
from lemmata.papers.association.claims._papers_models import several_sizes
from lemmata.papers.association.probe.gains import Compared

LOWERED, RAISED = 0.5, 3.0  # "the", and answer/"the", over the whole model's: the figure prints no number

EXPERIMENT = several_sizes(
    {
        "1B": ("EleutherAI/pythia-1b", 16, 0.0125),
        "1.4B": ("EleutherAI/pythia-1.4b", 24, 0.025),
        "2.8B": ("EleutherAI/pythia-2.8b", 32, 0.04),
    },
    "table 5",
    {
        "the": (Compared.the_left, at_most(LOWERED, over_seeds=True, unit="prompts")),
        "gain": (Compared.gain, at_least(RAISED, over_seeds=True, unit="prompts")),
    },
    title="Figure 16: three sizes of Pythia on twenty facts",
    caption='P(answer) against P("the"), a point a fact.',
    notes='"Significantly lower" is read as a half, since the figure prints no number. Of an answer of several tokens '
    "the first is read.",
    id="fig-16",
    locus="Appendix C.3, Figure 16 and Table 5",
    statement='On the 20 facts of Table 5 LASER significantly lowers the probability of "the" against the correct '
    "outputs, in the final Pythia-1B, 1.4B and 2.8B. Judged is that half and more is taken from it, and that "
    'answer/"the" rises by a factor of 3 and more.',
)
