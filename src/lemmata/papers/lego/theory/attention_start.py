"""The gradient of Q at Q = 0 (appendix D, stage 2.1), to leading order in d: what its Theta(log d / d) amounts to.

Features are those of (17): in r_{g,y} the right action and value say psi each, every other one -psi. Then at step 1 the
right answer and the spurious g_2(y_0) are read at psi/3 each, and nothing else is; at step 2 two answers are read at
psi/2 where the two clauses share their action or their value, and none elsewhere.
"""

import math
from typing import NamedTuple


class Slopes(NamedTuple):
    """|X| times minus the gradient of Loss_5^{2,1} + Loss_5^{2,2}: of an entry on each diagonal, and |X| - 1 times that
    of one off it."""

    third: float
    third_rest: float
    fourth: float
    fourth_rest: float


def share(reading: float, vocabulary: int, smoothing: float, power: int) -> float:
    """The probability of each of two answers that are read alike, all other logits 0."""
    return 1 / (2 + (vocabulary - 2) * math.exp(smoothing * (1 - 1 / power) - reading))


def slopes(values: int, vocabulary: int, psi: float, bias: float, smoothing: float, power: int) -> Slopes:
    first, second = (share(psi / k + bias, vocabulary, smoothing, power) for k in (3, 2))
    apart = 1 - 1 / values  # of two uniform actions, or values
    third, rest = apart * psi / 9 * (2 + 2 * first), apart * psi / 9 * (2 * first - 4)
    fourth = apart * psi / 9 * (2 - 4 * first)
    both = apart / values * psi / 8  # step 2, one of the two shared
    small, large = 1 - 2 * second, 1 + 2 * second
    opposed = 2 * second - 3
    return Slopes(
        third + both * (small + large),
        rest + both * (small + opposed),
        fourth + both * (large + small),
        both * (opposed + small),
    )


def leading(values: int, constant: float) -> Slopes:
    """Without what vanishes with d, in units of log d: C_B alone decides."""
    one, two = constant * (1 - 1 / values) / 3, constant * (1 - 1 / values) / (4 * values)
    return Slopes(one + two, -one - two, two, -two)


# What neurons read at Q = 0, in units of psi (Lemmas D.11, D.12 and D.14): by step and event, the right answer, the
# spurious ones, and the largest of all other neurons that have learned something.
READ = {
    "D.12, step 1, right": 1 / 3,
    "D.12, step 1, spurious": 1 / 3,
    "D.11, step 1, others": -1 / 3,
    "D.14, step 1, same action": 1.0,
    "D.11, step 2, the four answers": 0.0,
    "D.11, step 2, others": -1 / 2,
    "D.14, step 2, same action, right": 1 / 2,
    "D.14, step 2, same action, spurious": 1 / 2,
    "D.14, step 2, same value, right": 1 / 2,
    "D.14, step 2, same value, spurious": 1 / 2,
    "D.14, step 2, same both": 1.0,
}


def powers(constant: float) -> dict[str, float]:
    """The exponents of d in Lemmas D.13 and D.15 that their proofs give: the right logits are C_B log d times what is
    read, and d tokens have none."""
    return {
        "D.13, step 1, neither right nor spurious": 1 - constant / 3,
        "D.13, step 2, any answer": -1.0,
        "D.15, step 1, same action, wrong": max(-2 * constant / 3, 1 - constant),
        "D.15, step 2, same action, neither": 1 - constant / 2,
        "D.15, step 2, same value, neither": 1 - constant / 2,
        "D.15, step 2, same both, wrong": 1 - constant,
    }
