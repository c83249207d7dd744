"""Figure 5 and section 4.1: the phases of Pythia-1B's training on IOI and on a fact, and when truncation helps."""

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, at_least, at_most
from lemmata.papers.association.claims._training import Prompts, Window, draw as draw_curves, more, raised, unequal
from lemmata.papers.association.run.checkpoints import Checkpoints

START, MIDDLE, LATE = (0, 0), (10, 512), (4000, 143000)  # "after 2000": from the next checkpoint that is read


def window(run: RunResult, steps: tuple[int, int]) -> Window:
    return Window(run, *steps)


def article_first(fact: tuple[Window, Window]) -> np.ndarray:
    """P(the) / P(answer) on one prompt, at each step of the earlier window."""
    early, _ = fact
    return (early.read("the") / early.read("answer"))[0]


def answer_grows(fact: tuple[Window, Window]) -> float:
    """The largest chance of the answer in the later window over that of the earlier one."""
    early, late = fact
    return float(late.read("answer").max() / early.read("answer").max())


def draw(runs: Runs) -> Artefact:
    caption = (
        "Mean probabilities along training: the answer, the distractor (of IOI) and the article, in the whole model, "
        "with the paper's truncation, and with a random subspace of the same rank; step 0 is drawn at 0.5."
    )
    return draw_curves(runs, caption, ("answer", "distractor", "the"))


def article_over_answer(windows: tuple[Window, Window, Window]) -> Prompts:
    return more(windows[1], "the", "answer")


EXPERIMENT = Experiment(
    title="Figure 5: the phases of Pythia-1B's training",
    runs=lambda scale: {
        "ioi": Checkpoints(prompts="ioi", layer=11, rank=0.008),
        "madrid": Checkpoints(prompts="madrid", layer=16, rank=0.0125),
    },
    extra="lm",
    claims=(
        Claim(
            id="fig-5-phases",
            locus="Section 4.1, training dynamics i to iii; Figure 5, left",
            statement="On IOI, Pythia-1B gives all words like chances at the start; between 10 and 512 steps it "
            'prefers "the" and cannot tell the two names apart; well after 2000 it prefers the right name to both.',
            subject=lambda runs: tuple(window(runs["ioi"], steps) for steps in (START, MIDDLE, LATE)),
            # Read at other moments: the end as the start, late as middle, middle as late.
            wrong=lambda runs: tuple(window(runs["ioi"], steps) for steps in (LATE, LATE, MIDDLE)),
            parts={
                "start: largest over smallest chance": Part(
                    lambda three: unequal(three[0], "answer", "distractor", "the"), at_most(3)
                ),
                'middle: "the" over the answer': Part(
                    article_over_answer, at_least(0, over_seeds=True, unit="prompts")
                ),
                "middle: the two names, larger over smaller": Part(
                    lambda three: unequal(three[1], "answer", "distractor"), at_most(2)
                ),
                "late: answer over distractor": Part(
                    lambda three: more(three[2], "answer", "distractor"), at_least(0, over_seeds=True, unit="prompts")
                ),
                'late: answer over "the"': Part(
                    lambda three: more(three[2], "answer", "the"), at_least(0, over_seeds=True, unit="prompts")
                ),
            },
            remark="The two names' chances are read as almost the same up to a factor of 2, similar logits at the "
            "start up to one of 3.",
        ),
        Claim(
            id="fig-5-benefit",
            locus="Section 4.1, phase iii; Figure 5, left",
            statement='Well after 2000 steps truncation raises the right name against "the" at every checkpoint, '
            "twofold and more; before 512 steps it does not.",
            subject=lambda runs: window(runs["ioi"], LATE),
            wrong=lambda runs: window(runs["ioi"], MIDDLE),
            parts={
                "log of answer over the, truncated - whole": Part(
                    raised, at_least(float(np.log(2)), over_seeds=True, unit="prompts")
                )
            },
            remark="The paper says that the benefit appears then; twofold is ours.",
        ),
        Claim(
            id="fig-5-fact-phases",
            locus="Section 4.1 and Figure 5, right: early learning of the generic answer, the fact later",
            statement='After "Madrid is located in" Pythia-1B prefers "the" to "Spain" from 10 to 512 steps; the '
            "chance of Spain later grows tenfold and more.",
            subject=lambda runs: (window(runs["madrid"], MIDDLE), window(runs["madrid"], LATE)),
            wrong=lambda runs: (window(runs["madrid"], LATE), window(runs["madrid"], MIDDLE)),
            parts={
                "P(the) / P(Spain), steps 10 to 512": Part(article_first, at_least(10)),
                "P(Spain), largest late over largest early": Part(answer_grows, at_least(10)),
            },
            remark="Tenfold is ours: at the end the printed ratio of the whole model is six.",
        ),
    ),
    draw=draw,
    notes="Templates and names of the IOI sentences are ours. Two checkpoints with the same weights are refused: "
    "public ones are known to be served under wrong names.",
)
