"""LEGO sentences that a person can read, and their five-token clauses (Definitions 2.2 and 3.1), both ways.

`x3 = (0 2 1)(x1)` is a predicate, `x1 = 2` an answer; clauses are separated by commas or lines.
"""

import re
from collections.abc import Iterable

import numpy as np
from jaxtyping import Int, Integer

from lemmata.core import UserError, nearest, require
from lemmata.papers.lego.task.actions import Action
from lemmata.papers.lego.task.vocabulary import CLAUSE, Vocabulary

PREDICATE = re.compile(r"x(\d+)\s*=\s*(.+)\(\s*x(\d+)\s*\)")
ANSWER = re.compile(r"x(\d+)\s*=\s*(\d+)")


def to_text(clauses: Integer[np.ndarray, "clauses 5"], action: Action, variables: int) -> str:
    """A sentence from its clauses."""
    vocabulary = Vocabulary(variables, action.num_actions, action.num_values)
    return ", ".join(_clause_text(clause, action, vocabulary) for clause in np.asarray(clauses).tolist())


def from_text(text: str, action: Action, variables: int) -> Int[np.ndarray, "clauses 5"]:
    """A sentence's clauses; every mistake is named with its clause."""
    vocabulary = Vocabulary(variables, action.num_actions, action.num_values)
    names = {_squeeze(name): index for index, name in enumerate(action.element_names)}
    parts = [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]
    require(bool(parts), "sentence", text, "at least one clause such as 'x1 = 2'")
    return np.array([_clause(part, action, names, vocabulary) for part in parts])


def _clause_text(clause: Iterable[int], action: Action, vocabulary: Vocabulary) -> str:
    new, acting, old, named, value = clause
    blank = vocabulary.blank
    an_action = vocabulary.first_action <= acting < vocabulary.first_value
    a_value = vocabulary.first_value <= value < blank
    if named == value == blank and an_action and max(new, old) < vocabulary.variables:
        return f"x{new} = {action.element_names[acting - vocabulary.first_action]}(x{old})"
    if new == acting == old == blank and a_value and named < vocabulary.variables:
        return f"x{named} = {value - vocabulary.first_value}"
    raise UserError(f"{list(clause)} is not a clause: (x, g, x', blank, blank) or (blank, blank, blank, x, y)")


def _clause(part: str, action: Action, names: dict[str, int], vocabulary: Vocabulary) -> list[int]:
    blank = vocabulary.blank
    if match := PREDICATE.fullmatch(part):
        name = _squeeze(match[2])
        if name not in names:
            guess = nearest(name, names)
            hint = f"; did you mean {guess!r}?" if guess else ""
            raise UserError(f"clause {part!r}: {match[2]!r} is not an element of {action.group.name}{hint}")
        new, old = (_variable(match[i], part, vocabulary) for i in (1, 3))
        return [new, vocabulary.first_action + names[name], old, blank, blank]
    if match := ANSWER.fullmatch(part):
        value = int(match[2])
        require(value < vocabulary.values, f"clause {part!r}: value", value, f"0, ..., {vocabulary.values - 1}")
        return [*[blank] * (CLAUSE - 2), _variable(match[1], part, vocabulary), vocabulary.first_value + value]
    raise UserError(f"clause {part!r} is neither a predicate such as 'x3 = (0 2 1)(x1)' nor an answer such as 'x1 = 2'")


def _variable(digits: str, part: str, vocabulary: Vocabulary) -> int:
    which = int(digits)
    allowed = f"x0, ..., x{vocabulary.variables - 1}"
    require(which < vocabulary.variables, f"clause {part!r}: variable", f"x{which}", allowed)
    return which


def _squeeze(name: str) -> str:
    """Cycle notation with single spaces, so that `( 0 2  1 )` is found as `(0 2 1)`."""
    return re.sub(r"\s*([()])\s*", r"\1", re.sub(r"\s+", " ", name.strip()))
