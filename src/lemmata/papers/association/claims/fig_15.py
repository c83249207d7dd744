"""Figure 15: Pythia-410M and 1B on indirect objects: truncation lowers "the" and leaves the answer."""

from lemmata.core import Claim, Experiment, Part, Runs, at_least, at_most
from lemmata.papers.association.claims._papers_models import (
    SETTING,
    Edited,
    answer_left,
    draw_models,
    edited,
    in_words,
    the_left,
)
from lemmata.papers.association.run.fixed_truncation import FixedTruncation

CUTS = {"410M": ("EleutherAI/pythia-410m", 22, 0.02), "1B": ("EleutherAI/pythia-1b", 11, 0.008)}


def models(runs: Runs, edit: str) -> dict[str, Edited]:
    return {name: edited(runs[name], edit) for name in CUTS}


LOWERED = Claim(
    id="fig-15",
    locus="Appendix C.3, Figure 15",
    statement='In 100 sentences truncation takes away half and more of the mean probability of "the", and leaves the '
    "indirect object four fifths of its own, in the final Pythia-410M and 1B.",
    subject=lambda runs: models(runs, "cut"),
    wrong=lambda runs: models(runs, "random"),
    parts={
        f"{name}, {what}": Part(lambda of, name=name, read=read: read(of[name]), rule)
        for name in CUTS
        for what, read, rule in (
            ("the", the_left, at_most(0.5, over_seeds=True, unit="prompts")),
            ("answer", answer_left, at_least(0.8, over_seeds=True, unit="prompts")),
        )
    },
    remark=lambda runs: " ".join(in_words(run) for run in runs.values()),
)

EXPERIMENT = Experiment(
    title="Figure 15: two sizes of Pythia on indirect objects",
    runs=lambda scale: {
        name: FixedTruncation(model=model, task="ioi", layers=(layer,), shares=(share,))
        for name, (model, layer, share) in CUTS.items()
    },
    claims=(LOWERED,),
    draw=lambda runs: draw_models(runs, 'P(IO) against P("the"), a point a sentence.'),
    extra="lm",
    notes=f'{SETTING} "Decrease" and "high" are read as a half and four fifths, since the figure prints no number.',
)
