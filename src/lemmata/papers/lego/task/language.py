"""Token numbers of a LEGO world (Section 3), and sentences that a person can read (Definitions 2.2 and 3.1)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer

from lemmata.core import UserError
from lemmata.papers.lego.task.actions import Action

CLAUSE = 5  # tokens a clause: predicate (x, g, x', blank, blank), answer (blank, blank, blank, x, y)


@dataclass(frozen=True)
class Vocabulary:
    """Variables, then actions, then values, and the blank last."""

    variables: int
    actions: int
    values: int

    @property
    def first_action(self) -> int:
        return self.variables

    @property
    def first_value(self) -> int:
        return self.variables + self.actions

    @property
    def blank(self) -> int:
        return self.variables + self.actions + self.values

    @property
    def size(self) -> int:
        """d, the blank included."""
        return self.blank + 1


def to_text(clauses: Integer[np.ndarray, "clauses 5"], action: Action, variables: int) -> str:
    """`x3 = (0 2 1)(x1)` is a predicate, `x1 = 2` an answer; clauses are separated by commas."""
    v = Vocabulary(variables, action.num_actions, action.num_values)
    text = []
    for new, acting, old, named, value in np.asarray(clauses).tolist():
        if named == value == v.blank and v.first_action <= acting < v.first_value and max(new, old) < variables:
            text.append(f"x{new} = {action.element_names[acting - v.first_action]}(x{old})")
        elif new == acting == old == v.blank and v.first_value <= value < v.blank and named < variables:
            text.append(f"x{named} = {value - v.first_value}")
        else:
            clause = [new, acting, old, named, value]
            raise UserError(f"{clause} is not a clause: (x, g, x', blank, blank) or (blank, blank, blank, x, y)")
    return ", ".join(text)
