"""Groups and actions against brute force: closure, associativity, orbits, stabilizers, solvability."""

import itertools
import math

import numpy as np
import pytest

from lemmata.core import UserError
from lemmata.papers.lego.task import action, action_of, cycles, from_generators, group

GROUPS = ("C1", "C2", "C6", "D3", "D4", "D5", "F5", "A3", "A4", "S3", "S4", "C2xC3", "C2xC2xC3", "S3xC2")


def compose(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a[b[p]] for p in range(len(b)))


def brute_closure(generators: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    found = set(generators)
    while True:
        more = found | {compose(a, b) for a in found for b in found}
        if more == found:
            return found
        found = more


@pytest.mark.parametrize("name", GROUPS)
def test_table_is_brute_force_composition(name: str) -> None:
    found = group(name)
    elements = [tuple(row) for row in found.elements.tolist()]
    assert brute_closure(set(elements)) == set(elements)
    assert len(set(elements)) == found.order
    assert elements[found.identity] == tuple(range(len(elements[0])))
    for a, b in itertools.product(range(found.order), repeat=2):
        assert elements[found.table[a, b]] == compose(elements[a], elements[b])
        assert (found.table[a, found.inverses[a]], found.table[found.inverses[a], a]) == (0, 0)


@pytest.mark.parametrize(
    ("name", "order", "abelian", "series"),
    [
        ("C6", 6, True, (6, 1)),
        ("D4", 8, False, (8, 2, 1)),
        ("D5", 10, False, (10, 5, 1)),
        ("F5", 20, False, (20, 5, 1)),
        ("A4", 12, False, (12, 4, 1)),
        ("S4", 24, False, (24, 12, 4, 1)),
        ("A5", 60, False, (60,)),
        ("S5", 120, False, (120, 60)),
        ("A5xC2", 120, False, (120, 60)),
    ],
)
def test_known_groups(name: str, order: int, abelian: bool, series: tuple[int, ...]) -> None:
    found = group(name)
    assert (found.order, found.abelian, found.derived_series) == (order, abelian, series)
    assert found.solvable == (series[-1] == 1)


def test_symmetric_group_has_all_permutations_and_alternating_the_even_ones() -> None:
    assert [tuple(e) for e in group("S5").elements.tolist()] == sorted(itertools.permutations(range(5)))
    even = [p for p in itertools.permutations(range(5)) if round(np.linalg.det(np.eye(5)[list(p)])) == 1]
    assert [tuple(e) for e in group("A5").elements.tolist()] == sorted(even)


def test_any_permutations_generate_a_group() -> None:
    klein = from_generators("V4", [(1, 0, 3, 2), (2, 3, 0, 1)])
    assert (klein.order, klein.abelian, klein.solvable) == (4, True, True)
    assert np.array_equal(klein.inverses, np.arange(4))


@pytest.mark.parametrize("name", ["C6", "D4", "F5", "A4", "S4", "S5", "S4:pairs", "S3:self", "C2xC3", "S5:pairs"])
def test_actions_are_actions_and_obey_orbit_stabilizer(name: str) -> None:
    acting = action(name)
    table, order = acting.table, acting.group.order
    again = action_of(acting.group, table)
    assert np.array_equal(again.table, table)
    for y in range(acting.num_values):
        orbit = next(orbit for orbit in acting.orbits if y in orbit)
        assert len(orbit) * acting.stabilizer_sizes[y] == order
        fibres = [np.flatnonzero(table[:, y] == j) for j in range(acting.num_values)]
        assert sorted(np.concatenate(fibres).tolist()) == list(range(order))
        assert {len(fibres[j]) for j in orbit} == {acting.stabilizer_sizes[y]}
    assert acting.simply_transitive == (acting.transitive and order == acting.num_values)


def test_the_papers_two_families() -> None:
    cyclic, symmetric = action("C6"), action("S5")
    assert cyclic.simply_transitive
    assert (symmetric.transitive, symmetric.free, symmetric.stabilizer_size) == (True, False, math.factorial(4))
    assert np.array_equal(cyclic.table, (np.arange(6)[:, None] + np.arange(6)) % 6)
    assert np.array_equal(cyclic.table, action("C6:self").table)
    regular = action("S5:self")
    assert (regular.simply_transitive, regular.num_values, regular.solvable) == (True, 120, False)
    assert action("S3:self").table.shape == (6, 6)
    assert action("C2").table.tolist() == [[0, 1], [1, 0]], "parity"


def test_a_table_of_ones_own() -> None:
    mod_two = action("C4:[[0,1],[1,0],[0,1],[1,0]]")
    assert (mod_two.faithful, mod_two.transitive, mod_two.stabilizer_size) == (False, True, 2)
    split = action_of(group("C2"), [[0, 1, 2], [1, 0, 2]])
    assert (split.transitive, split.orbits, split.stabilizer_sizes.tolist()) == (False, ((0, 1), (2,)), [1, 1, 2])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("B7", "unknown group"),
        ("C0", "unknown group"),
        ("S5x", "unknown group"),
        ("S9", "at most S6"),
        ("D2", "polygon"),
        ("F6", "modulo a prime"),
        ("S5xS5", "14400 elements"),
        ("C6:natrual", "did you mean 'natural'"),
        ("C1:pairs", "at least two points"),
        ("C3:[[0,1,2],[1,2,0]]", "each of the 3 elements"),
        ("C3:[[0,1,2],[1,2,0],[2,0]]", "as many values"),
        ("C3:[[0,1,2],[1,2,0],[2,0,3]]", "values are 0, ..., 2"),
        ("C3:[[1,2,0],[0,1,2],[2,0,1]]", "the identity"),
        ("C3:[[0,1,2],[1,0,2],[2,0,1]]", "not an action: (0 1 2) after (0 1 2) is not the row"),
        ("C3:[[0,1,2],[1,2,0", "a table such as"),
    ],
)
def test_what_is_not_an_action_is_refused(name: str, says: str) -> None:
    with pytest.raises(UserError, match=says.replace("(", r"\(").replace(")", r"\)").replace("[", r"\[")) as error:
        action(name)
    assert "\n" not in str(error.value)


def test_cycle_notation() -> None:
    assert cycles((0, 1, 2)) == "()"
    assert cycles((2, 0, 1, 4, 3)) == "(0 2 1)(3 4)"
    assert len(set(action("S5").element_names)) == 120
