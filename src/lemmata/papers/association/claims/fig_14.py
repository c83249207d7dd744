"""Figure 14: along Pythia's training "the" becomes a top prediction after prepositions within some ten steps."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Scale, Undecided, at_least, at_most
from lemmata.papers.association.claims._training import Window, draw as draw_curves
from lemmata.papers.association.run.checkpoints import POWERS, Checkpoints

MODELS = {"160M": "EleutherAI/pythia-160m", "410M": "EleutherAI/pythia-410m", "1B": "EleutherAI/pythia-1b"}
FAR = 100  # a mean rank at which a word is no top prediction
TOP, SOON = 10, 32  # a top prediction; "around 10 steps" between checkpoints that double


def runs_at(scale: Scale) -> dict[str, Checkpoints]:
    return {
        f"{size}/{prompts}": Checkpoints(model=model, steps=(*POWERS, 1000), prompts=prompts)
        for size, model in MODELS.items()
        for prompts in ("prepositions", "sentences")
    }


def mean_ranks(run: RunResult, name: str, step: int) -> float:
    return float(Window(run, step, step).read(f"rank of {name}").mean())


def at_start(subject: tuple[Runs, str]) -> np.ndarray:
    runs, name = subject
    return np.array([mean_ranks(run, name, 0) for run in runs.values()])


def soon(subject: tuple[Runs, str]) -> np.ndarray:
    """The best mean rank of the first steps, for each model and set of prompts."""
    runs, name = subject
    found = []
    for run in runs.values():
        steps = [step for step in run.config.steps if 0 < step <= SOON]
        if not steps:
            raise Undecided(f"no checkpoint from step 1 to {SOON}")
        found.append(min(mean_ranks(run, name, step) for step in steps))
    return np.array(found)


def later(subject: tuple[Runs, str]) -> np.ndarray:
    runs, name = subject
    return np.array([Window(run, 64, 512).read(f"rank of {name}").mean(axis=0).max() for run in runs.values()])


def draw(runs: Runs) -> Artefact:
    caption = "The mean rank of two words in the predictions after prepositions; step 0 is drawn at 0.5."
    return draw_curves(runs, caption, ("rank of the", "rank of answer"), ranks=True)


EXPERIMENT = Experiment(
    title='Figure 14: "the" after prepositions, along the training of Pythia',
    runs=runs_at,
    extra="lm",
    claims=(
        Claim(
            id="fig-14",
            locus="Appendix C.1 and Figure 14",
            statement='In Pythia-160M, 410M and 1B "the" becomes one of the top predictions around 10 steps, after 30 '
            "raw prepositions and after 40 sentences that end with one. Judged is that its mean rank falls from far "
            "away and stays there.",
            subject=lambda runs: (runs, "the"),
            wrong=lambda runs: (runs, "answer"),  # another word in its place
            parts={
                "mean rank at step 0": Part(at_start, at_least(FAR), carries=False),
                f"best mean rank in {SOON} steps": Part(soon, at_most(TOP)),
                "mean rank at steps 64 to 512": Part(later, at_most(TOP)),
            },
            remark="The word that is read in its place on the control is Spain.",
        ),
    ),
    draw=draw,
    notes="Checkpoints are the hub's revisions step0, step1, step2, ...: `lemmata lm fetch EleutherAI/pythia-160m "
    f"--revision step1`. A top prediction is read as a mean rank of at most `{TOP}`, soon as within `{SOON}` steps.",
)
