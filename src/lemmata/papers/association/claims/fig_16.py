"""Figure 16: three sizes of Pythia on the facts of Table 5: truncation lowers "the" against the answers."""

from lemmata.core import Claim, Experiment, at_least, at_most
from lemmata.papers.association.claims._papers_models import (
    cut_runs,
    draw_models,
    gained,
    in_words,
    of_each_size,
    sizes,
    the_left,
)

CUTS = {
    "1B": ("EleutherAI/pythia-1b", 16, 0.0125),
    "1.4B": ("EleutherAI/pythia-1.4b", 24, 0.025),
    "2.8B": ("EleutherAI/pythia-2.8b", 32, 0.04),
}


LOWERED = Claim(
    id="fig-16",
    locus="Appendix C.3, Figure 16 and Table 5",
    statement='On the twenty facts truncation takes away half and more of the mean probability of "the", and raises '
    'answer/"the" by a factor of 3 and more, in the final Pythia-1B, 1.4B and 2.8B.',
    subject=lambda runs: sizes(runs, CUTS, "cut"),
    wrong=lambda runs: sizes(runs, CUTS, "random"),
    parts=of_each_size(
        CUTS,
        {
            "the": (the_left, at_most(0.5, over_seeds=True, unit="prompts")),
            "gain": (gained, at_least(3.0, over_seeds=True, unit="prompts")),
        },
    ),
    remark=lambda runs: " ".join(in_words(run) for run in runs.values()),
)

EXPERIMENT = Experiment(
    title="Figure 16: three sizes of Pythia on twenty facts",
    runs=lambda scale: cut_runs(CUTS, "table 5"),
    claims=(LOWERED,),
    draw=lambda runs: draw_models(runs, 'P(answer) against P("the"), a point a fact.'),
    extra="lm",
    notes='"Significantly lower" is read as a half, since the figure prints no number. Of an answer of several tokens '
    "the first is read.",
)
