"""Figure 15: Pythia-410M and 1B on indirect objects: truncation lowers "the" and leaves the answer."""

from lemmata.core import at_least, at_most
from lemmata.papers.association.claims._papers_models import SETTING, several_sizes
from lemmata.papers.association.probe.gains import Compared

DECREASED, HIGH = 0.5, 0.8  # of the whole model's probability: the figure prints no number

EXPERIMENT = several_sizes(
    {"410M": ("EleutherAI/pythia-410m", 22, 0.02), "1B": ("EleutherAI/pythia-1b", 11, 0.008)},
    "ioi",
    {
        "the": (Compared.the_left, at_most(DECREASED, over_seeds=True, unit="prompts")),
        "answer": (Compared.answer_left, at_least(HIGH, over_seeds=True, unit="prompts")),
    },
    title="Figure 15: two sizes of Pythia on indirect objects",
    caption='P(IO) against P("the"), a point a sentence.',
    notes=f'{SETTING} "Decrease" and "high" are read as a half and four fifths, since the figure prints no number.',
    id="fig-15",
    locus="Appendix C.3, Figure 15",
    statement='In 100 sentences LASER decreases the probability of "the" and keeps that of the correct indirect object '
    "high, in the final Pythia-410M and 1B. Judged is that half and more is taken from the one, and four fifths of the "
    "other are left.",
)
