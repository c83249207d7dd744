"""Which in-context answers a relation gives to which in-context subjects: a partial matching.

At the first decoding step a relation's logit depends on the sequence through this pattern alone (eq. 16), so a
sequence is, exactly, a vector of counts: how many relations show each pattern.
"""

import numpy as np
from jaxtyping import Bool

from lemmata.core import require
from lemmata.papers.ic_recall.matchings import Matching, partial_matchings


def patterns(k: int) -> tuple[Matching, ...]:
    """All partial matchings of k + 1 subjects x k answers, as (subject, answer) pairs: 13 for k = 2, 73 for k = 3."""
    require(1 <= k <= 5, "k", k, "between 1 and 5 in-context pairs (the patterns grow like k!)")
    return partial_matchings(k + 1, k)


def correct_pattern(k: int) -> int:
    """The index of the true relation's pattern: every in-context subject has its own answer."""
    return patterns(k).index(tuple((i, i) for i in range(k)))


def confusing_patterns(k: int) -> Bool[np.ndarray, " patterns"]:
    """Patterns that permute the in-context pairs: they match the same tokens, but in other pairs (Section 4.2)."""
    right = patterns(k)[correct_pattern(k)]
    return np.array([len(p) == k and all(i < k for i, _ in p) and p != right for p in patterns(k)])


def confusing_pattern(k: int) -> int:
    """The one confusing pattern of two pairs, r(s_1) = a_2 and r(s_2) = a_1 (r_2 in Table 1)."""
    require(k == 2, "k", k, "2: with more pairs there are several (see confusing_patterns)")
    return int(np.flatnonzero(confusing_patterns(k))[0])


def mismatched_patterns(k: int) -> Bool[np.ndarray, " patterns"]:
    """Patterns with k matches, one of them the query subject's (r_3 ... r_6 in Table 1)."""
    return np.array([len(p) == k and any(i == k for i, _ in p) for p in patterns(k)])
