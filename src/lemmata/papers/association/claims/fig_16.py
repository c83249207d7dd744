"""Figure 16: three sizes of Pythia on the facts of Table 5: truncation lowers "the" against the answers."""

from lemmata.core import Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.association.claims._papers_models import Edited, draw_models, edited, gained, in_words, the_left
from lemmata.papers.association.run.fixed_truncation import FixedTruncation

CUTS = {
    "1B": ("EleutherAI/pythia-1b", 16, 0.0125),
    "1.4B": ("EleutherAI/pythia-1.4b", 24, 0.025),
    "2.8B": ("EleutherAI/pythia-2.8b", 32, 0.04),
}


def models(runs: Runs, edit: str) -> dict[str, Edited]:
    return {name: edited(runs[name], edit) for name in CUTS}


LOWERED = Claim(
    id="fig-16",
    locus="Appendix C.3, Figure 16 and Table 5",
    statement='On the twenty facts truncation takes away half and more of the mean probability of "the", and raises '
    'answer/"the" by a factor of 3 and more, in the final Pythia-1B, 1.4B and 2.8B.',
    subject=lambda runs: models(runs, "cut"),
    wrong=lambda runs: models(runs, "random"),
    parts={
        f"{name}, {what}": Part(lambda of, name=name, read=read: read(of[name]), rule)
        for name in CUTS
        for what, read, rule in (
            ("the", the_left, at_most(0.5, over_seeds=True, unit="prompts")),
            ("gain", gained, at_least(3.0, over_seeds=True, unit="prompts")),
        )
    },
    remark=lambda runs: " ".join(in_words(run) for run in runs.values()),
)

EXPERIMENT = Experiment(
    title="Figure 16: three sizes of Pythia on twenty facts",
    runs=lambda scale: {
        name: FixedTruncation(model=model, task="table 5", layers=(layer,), shares=(share,))
        for name, (model, layer, share) in CUTS.items()
    },
    claims=(LOWERED,),
    draw=lambda runs: draw_models(runs, 'P(answer) against P("the"), a point a fact.'),
    extra="lm",
    notes='"Significantly lower" is read as a half, since the figure prints no number. Of an answer of several tokens '
    "the first is read.",
)
