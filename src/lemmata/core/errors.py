"""What a reader should be told: a request that is not possible, and a measurement that is not there."""

import difflib
from collections.abc import Iterable

LONGEST = 200  # characters of a value that are said again


class UserError(Exception):
    """A mistake in the request, not in the program. The command line prints it in one line and exits 2."""


class EngineLost(Exception):
    """The machines that compute are gone. The command line says so in one line and exits 1; the same one goes on."""


class InvalidField(UserError):
    """A field whose value is out of range. It says itself which: whoever knows where the field stands can say it in
    full (`within`), and whoever knows who asked for it, where."""

    def __init__(self, field: str, value: object, allowed: str, where: str = ""):
        super().__init__(field, value, allowed, where)
        self.field, self.value, self.allowed, self.where = field, value, allowed, where

    def __str__(self) -> str:
        return f"{self.field} = {_said(self.value)} is not possible{self.where}: {self.allowed}"

    def within(self, outer: str) -> "InvalidField":
        """The same of a field of the config that `outer` names."""
        known = not outer or self.field.startswith(f"{outer}.")
        return self if known else InvalidField(f"{outer}.{self.field}", self.value, self.allowed)

    def bounded_by(self, where: str) -> "InvalidField":
        """The same, with who has this bound where others have another."""
        return InvalidField(self.field, self.value, self.allowed, f" in {where}")


class Undecided(Exception):
    """A measurement that cannot be made from these runs, and why. A reading returns or raises it; the verdict is then
    `undecided` with this reason."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


class OutsideSetting(Undecided):
    """The rule has no meaning under these settings, and why. Of a claim with several parts no other part decides."""

    def __init__(self, why: str):
        super().__init__(f"outside the rule's setting: {why}")
        self.why = why


class TooShort(Undecided):
    """The run stopped before what is asked of it can be seen, and how far it came. No other part decides either."""

    def __init__(self, why: str):
        super().__init__(f"too short a run to say: {why}")


def _said(value: object) -> str:
    said = repr(value)
    return said if len(said) <= LONGEST else f"{said[:LONGEST]}…"


def nearest(word: str, allowed: Iterable[str]) -> str | None:
    """The allowed word closest to the one that was typed, or None if none is close."""
    matches = difflib.get_close_matches(word, list(allowed), n=1, cutoff=0.5)
    return matches[0] if matches else None


def unknown(what: str, word: str, allowed: Iterable[str], also: Iterable[str] = ()) -> UserError:
    """The error for a name that is not among the allowed ones, with a did-you-mean; `also`: allowed too, and too many
    to be listed."""
    names = sorted(set(allowed))
    guess = nearest(word, [*names, *also])
    hint = f"did you mean {guess!r}? " if guess else ""
    shown = ", ".join(names[:40]) + (f", ... ({len(names)} in all)" if len(names) > 40 else "")
    return UserError(f"unknown {what} {_said(word)}: {hint}allowed: {shown}")


def invalid(field: str, value: object, allowed: str) -> InvalidField:
    """The error for a field whose value is out of range."""
    return InvalidField(field, value, allowed)


def require(condition: bool, field: str, value: object, allowed: str) -> None:
    """Raise the error for `field` unless `condition` holds."""
    if not condition:
        raise invalid(field, value, allowed)
