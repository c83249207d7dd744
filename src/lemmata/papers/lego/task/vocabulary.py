"""Token numbers of a LEGO world: variables, then actions, then values, and the blank last (Section 3)."""

from dataclasses import dataclass

CLAUSE = 5  # tokens a clause: predicate (x, g, x', blank, blank), answer (blank, blank, blank, x, y)


@dataclass(frozen=True)
class Vocabulary:
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
