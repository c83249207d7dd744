"""Figure 5, right, and section 4.1: the generic answer early, the fact later."""

import numpy as np

from lemmata.core import Claim, Part, at_least
from lemmata.papers.association.claims._training import LATE, MIDDLE, Window, phases

TENFOLD = 10


def article_first(fact: tuple[Window, Window]) -> np.ndarray:
    """P(the) / P(answer) on one prompt, at each step of the earlier window."""
    early, _ = fact
    return (early.read("the") / early.read("answer"))[0]


def answer_grows(fact: tuple[Window, Window]) -> float:
    """The answer's largest probability in the later window over that of the earlier one."""
    early, late = fact
    return float(late.read("answer").max() / early.read("answer").max())


EXPERIMENT = phases(
    "madrid",
    title="Figure 5: the phases of Pythia-1B's training on a fact",
    claim=Claim(
        id="fig-5-fact-phases",
        locus="Section 4.1 and Figure 5, right: early learning of the generic answer, the fact later",
        statement='After "Madrid is located in" Pythia-1B learns the generic "the" early and "Spain" later. Judged is '
        'that it prefers "the" tenfold from 10 to 512 steps, and that P(Spain) later grows tenfold and more.',
        subject=lambda runs: (Window(runs["madrid"], *MIDDLE), Window(runs["madrid"], *LATE)),
        wrong=lambda runs: (Window(runs["madrid"], *LATE), Window(runs["madrid"], *MIDDLE)),
        parts={
            "P(the) / P(Spain), steps 10 to 512": Part(article_first, at_least(TENFOLD)),
            "P(Spain), largest late over largest early": Part(answer_grows, at_least(TENFOLD)),
        },
        remark="Tenfold is ours: at the end the printed ratio of the whole model is six.",
    ),
)
