"""Constraints as types: `steps: Count` says what a field may hold, `--help` shows it, and one function checks it."""

import dataclasses
import types
import typing
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union

from lemmata.core.errors import invalid, nearest

T = TypeVar("T")


@dataclass(frozen=True)
class Bound:
    """An interval of numbers, ends included (`least`, `most`) or not (`above`, `below`); of a tuple, its length."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def admits(self, value: Any) -> bool:
        size = len(value) if isinstance(value, tuple) else value
        return (
            (self.least is None or size >= self.least)
            and (self.above is None or size > self.above)
            and (self.most is None or size <= self.most)
            and (self.below is None or size < self.below)
        )

    def __str__(self) -> str:
        words = {"at least": self.least, "above": self.above, "at most": self.most, "below": self.below}
        shown = {
            word: bound if isinstance(bound, int) else f"{bound:g}"
            for word, bound in words.items()
            if bound is not None
        }
        return " and ".join(f"{word} {bound}" for word, bound in shown.items())


Positive = Annotated[float, Bound(above=0)]
NonNegative = Annotated[float, Bound(least=0)]
Share = Annotated[float, Bound(least=0, most=1)]  # ends included
Inside = Annotated[float, Bound(above=0, below=1)]  # ends left out
Count = Annotated[int, Bound(least=1)]
Natural = Annotated[int, Bound(least=0)]
Several = Annotated[int, Bound(least=2)]
Some = Annotated[tuple[T, ...], Bound(least=1)]  # a list with something in it


@cache
def annotations(config_type: type) -> dict[str, Any]:
    """Field name -> type of a config class, bounds included."""
    hints = typing.get_type_hints(config_type, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(config_type)}


def check_fields(config: Any) -> None:
    """Refuse a config whose fields are of another type or out of their bounds."""
    for name, annotation in annotations(type(config)).items():
        value = getattr(config, name)
        if not _fits(annotation, value):
            raise invalid(name, value, f"expected {describe(annotation)}{_meant(annotation, value)}")
        _check(annotation, value, name)


def _meant(annotation: Any, value: Any) -> str:
    """The value of the right type that is nearest to the one that was given, as a question."""
    options = (annotation, *typing.get_args(annotation))
    if isinstance(value, str):
        words = {word for option in options for word in typing.get_args(option) if isinstance(word, str)}
        guess = nearest(value, words)
    else:
        guess = tuple(value) if isinstance(value, list) else (value,)
        guess = guess if _fits(annotation, guess) else None
    return f"; did you mean {guess!r}?" if guess else ""


def _fits(annotation: Any, value: Any) -> bool:
    """Whether a value is of the annotation's type, bounds aside. A whole number may stand for a float."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _fits(arguments[0], value)
    if origin in (Union, types.UnionType):
        return any(_fits(option, value) for option in arguments)
    if origin is Literal:
        return value in arguments
    if origin is tuple:
        if not isinstance(value, tuple) or (arguments[-1] is not Ellipsis and len(value) != len(arguments)):
            return False
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        return all(_fits(kind, item) for kind, item in zip(kinds, value, strict=True))
    if annotation in (int, float):
        return isinstance(value, int if annotation is int else int | float) and not isinstance(value, bool)
    return not isinstance(annotation, type) or isinstance(value, annotation)


def _check(annotation: Any, value: Any, where: str) -> None:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        for bound in annotation.__metadata__:
            if isinstance(bound, Bound) and not bound.admits(value):
                prefix = "a list of length " if isinstance(value, tuple) else ""
                raise invalid(where, value, f"{prefix}{bound}")
        _check(arguments[0], value, where)
    elif origin in (Union, types.UnionType):
        if value is not None:
            for option in arguments:
                if typing.get_origin(option) is Annotated and isinstance(value, int | float | tuple):
                    _check(option, value, where)
    elif origin is tuple and isinstance(value, tuple):
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        for i, (kind, item) in enumerate(zip(kinds, value, strict=True)):
            _check(kind, item, f"{where}[{i}]")


def describe(annotation: Any) -> str:
    """What a field may hold, in words."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        bounds = [str(bound) for bound in annotation.__metadata__ if isinstance(bound, Bound)]
        if typing.get_origin(arguments[0]) is tuple:
            return f"{describe(arguments[0])}, {bounds[0].replace('at least', 'no fewer than')}"
        return ", ".join([describe(arguments[0]), *bounds])
    if origin in (Union, types.UnionType):
        return " or ".join(describe(option) for option in arguments)
    if origin is Literal:
        return "one of " + ", ".join(str(item) for item in arguments)
    if origin is tuple:
        kinds = (arguments[0],) if arguments[-1] is Ellipsis else arguments
        return "list of " + ", ".join(describe(kind) for kind in kinds)
    return {"NoneType": "None"}.get(name := getattr(annotation, "__name__", str(annotation)), name)
