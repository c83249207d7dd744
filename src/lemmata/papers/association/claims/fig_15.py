"""Figure 15: Pythia-410M and 1B on indirect objects: truncation lowers "the" and leaves the answer."""

from lemmata.core import Claim, Experiment, at_least, at_most
from lemmata.papers.association.claims._papers_models import (
    SETTING,
    answer_left,
    cut_runs,
    draw_models,
    in_words,
    of_each_size,
    sizes,
    the_left,
)

CUTS = {"410M": ("EleutherAI/pythia-410m", 22, 0.02), "1B": ("EleutherAI/pythia-1b", 11, 0.008)}


LOWERED = Claim(
    id="fig-15",
    locus="Appendix C.3, Figure 15",
    statement='In 100 sentences truncation takes away half and more of the mean probability of "the", and leaves the '
    "indirect object four fifths of its own, in the final Pythia-410M and 1B.",
    subject=lambda runs: sizes(runs, CUTS, "cut"),
    wrong=lambda runs: sizes(runs, CUTS, "random"),
    parts=of_each_size(
        CUTS,
        {
            "the": (the_left, at_most(0.5, over_seeds=True, unit="prompts")),
            "answer": (answer_left, at_least(0.8, over_seeds=True, unit="prompts")),
        },
    ),
    remark=lambda runs: " ".join(in_words(run) for run in runs.values()),
)

EXPERIMENT = Experiment(
    title="Figure 15: two sizes of Pythia on indirect objects",
    runs=lambda scale: cut_runs(CUTS, "ioi"),
    claims=(LOWERED,),
    draw=lambda runs: draw_models(runs, 'P(IO) against P("the"), a point a sentence.'),
    extra="lm",
    notes=f'{SETTING} "Decrease" and "high" are read as a half and four fifths, since the figure prints no number.',
)
