"""Figure 5, left, and section 4.1: the phases of Pythia-1B's training on IOI."""

from lemmata.core import Claim, Part, at_least, at_most
from lemmata.papers.association.claims._training import LATE, MIDDLE, START, Window, more, phases, unequal

LIKE = 3  # times, up to which probabilities are "similar"
SAME = 2  # times, up to which two are "almost the same"
WINDOWS = (START, MIDDLE, LATE)
OVER_0 = at_least(0, over_seeds=True, unit="prompts")

EXPERIMENT = phases(
    "ioi",
    title="Figure 5: the phases of Pythia-1B's training on indirect objects",
    claim=Claim(
        id="fig-5-phases",
        locus="Section 4.1, training dynamics i to iii; Figure 5, left",
        statement="On IOI Pythia-1B gives all words similar probabilities at initialization. Between 10 and 1000 steps "
        '(read up to 512) it prefers "the" and gives the two names almost the same; well after 2000 steps it prefers '
        'the indirect object to the subject and to "the".',
        subject=lambda runs: tuple(Window(runs["ioi"], *steps) for steps in WINDOWS),
        # Read at other moments: the end as the start, late as middle, middle as late.
        wrong=lambda runs: tuple(Window(runs["ioi"], *steps) for steps in (LATE, LATE, MIDDLE)),
        parts={
            "start: largest over smallest chance": Part(
                lambda three: unequal(three[0], "answer", "distractor", "the"), at_most(LIKE)
            ),
            'middle: "the" over the answer': Part(lambda three: more(three[1], "the", "answer"), OVER_0),
            "middle: the two names, larger over smaller": Part(
                lambda three: unequal(three[1], "answer", "distractor"), at_most(SAME)
            ),
            "late: answer over distractor": Part(lambda three: more(three[2], "answer", "distractor"), OVER_0),
            'late: answer over "the"': Part(lambda three: more(three[2], "answer", "the"), OVER_0),
        },
    ),
)
