"""How often a wrong clause gives the right answer (Section 5), exactly.

At a step the state is y and the right action g; another clause with action g' is a distractor when g'(y) = g(y). The
state is uniform whatever the actions before it, since each permutes the values, so the probability is a count of
fibres: by the orbit-stabilizer theorem it is 1/|Y| for every transitive action, simply transitive or not.
"""

import math
from fractions import Fraction


def context_probability(per_clause: Fraction, length: int) -> Fraction:
    """That a sentence of L predicates holds a distractor for a given step: its L - 1 wrong clauses are independent
    (for a transitive action, whose probability is the same at every value)."""
    return 1 - (1 - per_clause) ** (length - 1)


def printed_count(values: int) -> int:
    """What Section 5 counts in S_n: the elements that send one value to another, (n_y - 1)!."""
    return math.factorial(values - 1)
