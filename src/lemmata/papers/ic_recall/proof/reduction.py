"""Why the best attention lies on the pairwise line, at every T and in every full world: the exact part.

With v_5 = v_6 = 0 write a, b = v_1, v_3 and c, e = v_2, v_4. A relation's logit is twice the sum of the products that
it keeps among ac, be (r_1's), ae, bc, plus squares that all relations share. Everything the argument uses is which
relation keeps which products, and how many relations do: facts about integers.
"""

from collections import Counter

import numpy as np

from lemmata.papers.ic_recall.theory.relations import MATCHINGS, TABLE_2, quadratic_form
from lemmata.proofs import Exact, Step

KEPT = {(0, 0): "ac", (1, 1): "be", (0, 1): "ae", (1, 0): "bc"}
Kept = frozenset[str]


def table_2_is_eq_16() -> bool:
    """Each logit of Table 2 is the sum of the first five squares and twice the matched products of eq. (16)."""
    squares = np.diag([1.0, 1, 1, 1, 1, 0])
    products = []
    for number in range(1, 7):
        form = quadratic_form(TABLE_2[f"r_{number}"]) - squares
        products.append(frozenset((i + 1, j + 1) for i, j in zip(*np.nonzero(np.triu(form)), strict=True)))
        if not np.array_equal(form, form.astype(bool).astype(float)):
            return False
    expected = {
        frozenset(tuple(sorted((2 * i + 1, 2 * j + 2))) for i, j in matching)
        for matching in MATCHINGS
        if len(matching) == 2
    }
    return set(products) == expected


def fifth_score_only_helps_others(right: int) -> bool:
    """The right relation's logit has no product with v_5, so that v_5 raises every gap or leaves it; v_6 has none."""
    mine = quadratic_form(TABLE_2[f"r_{right}"]) - np.diag([1.0, 1, 1, 1, 1, 0])
    alone = all(not (quadratic_form(squares)[5]).any() for name, squares in TABLE_2.items() if name.startswith("r_"))
    return alone and not mine[4].any() and not mine[:, 4].any()


def groups(n: int) -> dict[Kept, int]:
    """How many relations of the full world of n subjects keep which products at v_5 = 0."""
    per_size = {2: 1, 1: n - 3, 0: (n - 3) * (n - 4)}
    found: Counter[Kept] = Counter()
    for matching in MATCHINGS:
        found[frozenset(KEPT[pair] for pair in matching if pair in KEPT)] += per_size[len(matching)]
    return dict(found)


def groups_are_as_argued() -> bool:
    """1, 1, n-2 four times and (n-2)(n-3), as polynomials of degree 2 in n: at more than three n."""
    for n in (3, 4, 5, 6, 101):
        one, single = 1, n - 2
        expected = {frozenset({"ac", "be"}): one, frozenset({"ae", "bc"}): one, frozenset(): (n - 2) * (n - 3)}
        expected |= {frozenset({kept}): single for kept in KEPT.values()}
        if groups(n) != expected:
            return False
    return True


def exchange_is_a_symmetry() -> bool:
    """Exchanging c and e maps the groups onto each other, count by count, and r_1's onto r_2's."""
    exchanged = {"ac": "ae", "ae": "ac", "be": "bc", "bc": "be"}
    counts = groups(7)
    return {frozenset(exchanged[kept] for kept in group): count for group, count in counts.items()} == counts


def right_keeps_the_pairs(right: int) -> bool:
    """The right relation keeps v_1 v_2 and v_3 v_4, whose geometric means the argument puts in their places."""
    form = quadratic_form(TABLE_2[f"r_{right}"])
    return bool(form[0, 1] == 1 and form[2, 3] == 1 and form[0, 3] == 0 and form[2, 1] == 0)


def reduction_steps(right: int) -> tuple[Step, ...]:
    return (
        Exact("Table 2 is eq. (16) with n = 3", table_2_is_eq_16),
        Exact(
            f"r_{right} has no product with v_5, and no logit holds v_6", lambda: fifth_score_only_helps_others(right)
        ),
        Exact(f"r_{right} keeps v_1 v_2 and v_3 v_4", lambda: right_keeps_the_pairs(right)),
        Exact("at v_5 = 0 the groups have 1, 1, n-2 (four times) and (n-2)(n-3) relations", groups_are_as_argued),
        Exact("exchanging v_2 and v_4 exchanges groups of equal size", exchange_is_a_symmetry),
    )
