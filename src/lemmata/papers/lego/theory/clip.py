"""What the clip of Assumption 3.4 leaves: the least loss, and the largest accuracy in the sense of equation (5).

With the right logit at B and every other one at 0, a token has the probability 1 / (1 + (d - 1) / e^B).
"""

import math


def floor(vocab: int, bound: float) -> float:
    """The least nll of a token: log(1 + (d - 1) / e^B)."""
    return math.log1p((vocab - 1) * math.exp(-bound))


def ceiling(vocab: int, bound: float, tokens: int = 2) -> float:
    """Acc_L at most. Equation (5) is the mean over steps of the probability that a sampled clause is right, so it does
    not shrink with L: a clause's tokens are drawn independently, and two of the five are ever uncertain."""
    return math.exp(-tokens * floor(vocab, bound))
