"""Actions of a group on values: natural, on itself, on pairs of points, or a table the user gives.

The stabilizer decides the paper's two families: trivial and transitive is Assumption 4.1 (simply transitive), S_n on n
points is Assumption 5.1 (symmetry).
"""

import itertools
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Int

from lemmata.core import invalid, require, unknown
from lemmata.papers.lego.task.groups import Group, cycles, group


@dataclass(frozen=True, eq=False)
class Action:
    """`table[g, y]` is g(y). Make one with `action` or `action_of`, which check that it is an action."""

    name: str
    group: Group
    table: Int[np.ndarray, "actions values"]

    @property
    def num_actions(self) -> int:
        return self.table.shape[0]

    @property
    def num_values(self) -> int:
        return self.table.shape[1]

    @property
    def element_names(self) -> tuple[str, ...]:
        """The group's elements in cycle notation."""
        return tuple(cycles(tuple(element)) for element in self.group.elements.tolist())

    @property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        return tuple(sorted({tuple(sorted(set(column))) for column in self.table.T.tolist()}))

    @property
    def transitive(self) -> bool:
        return len(self.orbits) == 1

    @property
    def stabilizer_sizes(self) -> Int[np.ndarray, " values"]:
        """At each value, how many elements leave it in place."""
        return np.sum(self.table == np.arange(self.num_values), axis=0)

    @property
    def stabilizer_size(self) -> int:
        """The largest of them (they are equal on an orbit)."""
        return int(self.stabilizer_sizes.max())

    @property
    def free(self) -> bool:
        return self.stabilizer_size == 1

    @property
    def simply_transitive(self) -> bool:
        return self.free and self.transitive

    @property
    def faithful(self) -> bool:
        """Whether different elements move the values differently."""
        return len(np.unique(self.table, axis=0)) == self.num_actions

    @property
    def solvable(self) -> bool:
        return self.group.solvable


@cache
def action(name: str) -> Action:
    """`C6` and `S5` act naturally; `S5:self` by multiplication; `S4:pairs` on pairs of points; `C3:[[0,1,2],...]` by
    a table with one row an element, in the order of `group(...).elements`."""
    group_name, _, kind = name.partition(":")
    acting = group(group_name)
    if kind.startswith("["):
        try:
            return action_of(acting, json.loads(kind), name)
        except json.JSONDecodeError:
            raise invalid("action", name, "a group and a table such as C2:[[0,1],[1,0]]") from None
    tables = {"natural": lambda: acting.elements, "self": lambda: acting.table, "pairs": lambda: _on_pairs(acting)}
    if (kind := kind or "natural") not in tables:
        raise unknown("action of a group", kind, (*tables, "a table [[...], ...]"))
    return Action(name, acting, tables[kind]())


def action_of(acting: Group, table: Any, name: str | None = None) -> Action:
    """The action with this table, one row an element of the group; refuses a table that is not an action."""
    name = name or f"{acting.name}:table"
    try:
        rows = np.array(table, dtype=np.int64)
    except (ValueError, TypeError):
        raise invalid("action", name, "every row of the table must list as many values") from None
    rows_needed = f"a row of values for each of the {acting.order} elements of {acting.name}"
    require(rows.ndim == 2 and len(rows) == acting.order and rows.shape[1] > 0, "action", name, rows_needed)
    values = rows.shape[1]
    require(bool(np.all((rows >= 0) & (rows < values))), "action", name, f"values are 0, ..., {values - 1}")
    fixed = bool(np.array_equal(rows[acting.identity], np.arange(values)))
    require(fixed, "action", name, "not an action: the identity (row 0) must leave every value in place")
    composed = rows[np.arange(acting.order)[:, None, None], rows[None, :, :]]  # [a, b, y] = a(b(y))
    wrong = np.argwhere(np.any(composed != rows[acting.table], axis=2))
    if len(wrong):
        a, b = (cycles(tuple(acting.elements[i].tolist())) for i in wrong[0])
        raise invalid("action", name, f"not an action: {a} after {b} is not the row of their product")
    return Action(name, acting, rows)


def _on_pairs(acting: Group) -> Int[np.ndarray, "actions values"]:
    """The group on unordered pairs of its points."""
    points = acting.elements.shape[1]
    pairs = np.array(list(itertools.combinations(range(points), 2)))
    require(len(pairs) > 0, "action", f"{acting.name}:pairs", "a group that acts on at least two points")
    index = np.zeros((points, points), dtype=np.int64)
    index[pairs[:, 0], pairs[:, 1]] = index[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    moved = acting.elements[:, pairs]
    return index[moved[..., 0], moved[..., 1]]
