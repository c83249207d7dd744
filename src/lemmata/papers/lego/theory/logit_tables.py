"""What the neurons of a symmetry action read on sentences of T^2: Lemmas E.13 to E.18 and E.25 to E.30 as one table.

Neuron r_{j,y} is named by the action and the value that it answers: g2.y1 has j = g_2(y_1) and y = y_1. With the
features of Theorem C.1 it reads a of an action in its fibre and -b of another, b of its value and -a of another, where
a + b = 2B and a / b = C_alpha. The appendix puts 2B for a and 2B / n_y for b, and leaves most terms with b out.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

SEEN = ("pred2", "pred1", "ans1", "ans0")  # the attention on each clause
EVENTS = (1, 2, 3, 4, 5, 6)
LEMMAS = {1: "E.13", 2: "E.14", 3: "E.15", 4: "E.16", 5: "E.17", 6: "E.18"}


class Row(NamedTuple):
    """One line of a lemma: the reading over 2B as printed is `whole` + `part` / n_y, both linear in the attention."""

    event: int
    neuron: str
    whole: tuple[int, int, int, int]
    part: tuple[int, int, int, int] = (0, 0, 0, 0)


RIGHT = ((1, 0, 0, -1), (0, -1, 1, 0))  # of g2.y1 in E_1 and E_2
SPURIOUS = (1, 0, -1, 0)  # pred,2 - ans,1
SMALL = (-1, 0, 1, 0)  # (ans,1 - pred,2) / n_y
TABLE = (
    Row(1, "g2.y1", *RIGHT),
    Row(1, "g2.y0", SPURIOUS),
    Row(1, "g1.y0", (0, 1, -1, 0), (-1, 0, 0, 1)),
    Row(1, "g1.y1", (0, 0, 0, 0), SMALL),
    Row(1, "shared", SPURIOUS),
    Row(2, "g2.y1", *RIGHT),
    Row(2, "g2.y0", (1, 1, -1, 0)),
    Row(2, "g1.y1", (0, 0, 0, 0), SMALL),
    Row(2, "shared", SPURIOUS),
    Row(3, "g2.y1", (1, 0, 0, 0)),
    Row(3, "g1.y1", (0, 1, 0, 0)),
    Row(3, "neither.y1", (0, 0, 0, 0), SMALL),
    Row(3, "shared", SPURIOUS),
    Row(4, "g2.y1", (1, 0, 0, 0)),
    Row(4, "g2.y0", (1, 1, -1, 0)),
    Row(4, "shared", SPURIOUS),
    Row(5, "g2.y1", (1, 0, 0, 0)),
    Row(5, "g2.y0", SPURIOUS),
    Row(5, "g1.y0", (0, 1, -1, 0), (-1, 0, 0, 1)),
    Row(5, "shared", SPURIOUS),
    Row(6, "g2.y1", (1, 1, 0, 0)),
    Row(6, "neither.y1", (0, 0, 0, 0), SMALL),
    Row(6, "shared", SPURIOUS),
)


def event(table: Int[np.ndarray, "action value"]) -> Int[np.ndarray, "first second value"]:
    """Which of E_1, ..., E_6 (103 to 108) each (g_1, g_2, y_0) is in; 0 where in none, -1 where in several."""
    g1, g2, y0 = (np.arange(size) for size in (len(table), len(table), table.shape[1]))
    start, y1 = y0[None, None, :], table[:, None, :]
    first, second = table[g1][:, None, :], table[g2][None, :, :]  # g_1(y_0) = y_1, g_2(y_0)
    at_start = first == second
    rows, columns = g1[:, None, None], g2[None, :, None]
    at_next = table[rows, y1] == table[columns, y1]
    stays = y1 == start
    members = (
        ~stays & ~at_start & ~at_next,
        ~stays & at_start & ~at_next,
        stays & ~at_next,
        ~stays & at_start & at_next,
        ~stays & ~at_start & at_next,
        stays & at_next,
    )
    members = [np.broadcast_to(one, (len(g1), len(g2), len(y0))) for one in members]
    count = sum(one.astype(int) for one in members)
    found = sum(number * one for number, one in zip(EVENTS, members, strict=True))
    return np.where(count == 1, found, np.where(count == 0, 0, -1))


def printed(row: Row, seen: Float[np.ndarray, "points 4"], values: int) -> Float[np.ndarray, " points"]:
    """Over 2B."""
    return seen @ np.array(row.whole, float) + seen @ np.array(row.part, float) / values


def exact(
    seen: Float[np.ndarray, "points 4"], in_fibre: tuple[bool, bool], is_value: tuple[bool, bool], ratio: float
) -> Float[np.ndarray, " points"]:
    """Over 2B, of a neuron whose fibre has g_2, g_1 or not and whose value is y_1, y_0 or not; `ratio` is C_alpha."""
    a, b = ratio / (1 + ratio), 1 / (1 + ratio)
    weights = [a if member else -b for member in in_fibre] + [b if member else -a for member in is_value]
    return seen @ np.array(weights)


def membership(row: Row) -> tuple[tuple[bool, bool], tuple[bool, bool]]:
    """Whether g_2 and g_1 are in the neuron's fibre, and y_1 and y_0 its value, in a row of the table."""
    action, _, value = row.neuron.partition(".")
    stays, at_start, at_next = row.event in (3, 6), row.event in (2, 4), row.event in (4, 5, 6)
    if action == "shared":
        return (True, True), (False, False)
    both = at_next if value == "y1" else at_start
    fibre = {"g2": (True, both), "g1": (both, True), "neither": (False, False)}[action]
    return fibre, (value == "y1" or stays, value == "y0" or stays)


def ratio(values: int, fibre: int) -> float:
    """C_alpha of Theorem C.1C for n_G = values x fibre."""
    return (1 + fibre * (values - 1)) / (values - 1 + fibre)
