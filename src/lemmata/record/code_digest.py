"""The digest of a claim's code: all that decides its verdict, besides words and settings.

Followed is what the claim reaches by name, run or not: subject, control, readings, computed targets, conditions of the
claim and of its experiment, with every function, class and constant of the paper that those name, `theory` and `probe`
among them. Of the runs' configs, which nobody names, the methods count that this code asks for (`config.chain`).

Not followed is what computes the runs: of a class of runs its kind and version stand, as the store's names have it. Nor
is the engine: it has one version of its rules, `RULES_VERSION`.
"""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache, partial
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from lemmata.core.claim import NOTHING, Claim, Part
from lemmata.core.condition import Needs, each_condition
from lemmata.core.config import encode
from lemmata.core.experiment import Experiment
from lemmata.core.registry import papers
from lemmata.core.rule import RULES_VERSION
from lemmata.core.run import RunConfig
from lemmata.core.scale import Scale, ScaleName
from lemmata.core.to_json import to_json
from lemmata.record.code_form import FUNCTIONS, CodeForm, Place, Value, Writer, short

COUNTED: tuple[ScaleName, ...] = ("laptop", "paper")  # the scales whose runs a rule is about
COMPUTES = {"execute", "compute", "cross_check"}  # of a config: what its run does


def code_digest(experiment: Experiment, claim: Claim, scale: str | None = None, code: "LiveCode | None" = None) -> str:
    """Of the code that decides the claim's verdicts, and of its runs: of all of the rule but its words."""
    paper = papers()[experiment.id.split("/")[0]]
    code = code or _code_of(paper.package, paper.folder)
    with code.asking() as attributes:
        reached = [
            [code.value(claim.subject), code.value(claim.wrong)],
            sorted(_part(code, part) for part in claim.named_parts().values()),
            sorted(_needs(code, claim.needs)),
            sorted(_needs(code, experiment.needs)),
            [bool(claim.protocol.ours), claim.protocol.below_paper, claim.correction is not None],
        ]
        methods = code.methods(_config_classes(experiment.runs), attributes)
    return short([RULES_VERSION, reached, methods, runs_at(experiment.runs, scale)])


@cache  # an experiment's claims share its runs
def runs_at(runs: Callable[[Scale], Mapping[str, RunConfig]], scale: str | None) -> dict[str, Any]:
    """At the scales that count, or at the paper's alone."""
    scales: tuple[ScaleName, ...] = ("paper",) if scale == "paper" else COUNTED
    return {
        scale: {name: [config.kind, stable(encode(config))] for name, config in runs(Scale(scale)).items()}
        for scale in scales
    }


def stable(value: Any) -> Any:
    """As JSON data that is the same on every machine: the last digits of a computed number are the library's."""
    if value is NOTHING or callable(value):
        return None if value is NOTHING else "computed from the runs"
    if isinstance(value, dict):
        return {str(key): stable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [stable(item) for item in value]
    if isinstance(value, float):
        return f"{value:.9g}"
    return value if value is None or isinstance(value, str | bool | int) else stable(to_json(value, limit=10**9))


@cache
def _code_of(package: str, folder: Path) -> "LiveCode":
    return LiveCode(package, folder)


def _part(code: "LiveCode", part: Part) -> str:
    corrected = None if part.corrected is NOTHING else code.value(part.corrected)
    wrong = [] if part.wrong is None else [code.value(part.wrong)]  # most parts share the claim's
    return short([code.value(part.read), code.value(part.rule), corrected, part.carries, *wrong])


def _needs(code: "LiveCode", needs: Needs) -> Iterator[str]:
    return (short([name, code.value(condition)]) for name, condition in each_condition(needs))


@cache
def _config_classes(runs: Callable[[Scale], Mapping[str, RunConfig]]) -> tuple[type, ...]:
    """Of an experiment's runs, and of the configs within them."""
    found: dict[type, None] = {}
    waiting: list[Any] = [config for scale in COUNTED for config in runs(Scale(scale)).values()]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting += one
        elif dataclasses.is_dataclass(one):
            found |= dict.fromkeys(type(one).__mro__)
            waiting += [getattr(one, field.name) for field in dataclasses.fields(one)]
    return tuple(found)


class LiveCode(CodeForm):
    """A package's code as its objects have it: what is around a function when it was made is part of it."""

    def __init__(self, package: str, folder: Path) -> None:
        super().__init__(package, folder)
        self.objects: dict[Any, tuple[Any, frozenset[str]]] = {}
        self.under_way: list[int] = []
        self.cycles = 0

    def asking(self) -> Any:
        return _Asking(self)

    def methods(self, classes: Iterable[type], attributes: Set[str]) -> list[list[str]]:
        """Those of these classes that are asked for, and what they ask for in turn."""
        places = {
            Place(one.__module__, f"{one.__qualname__}.{name}"): name
            for one in classes
            if self.is_inside(one.__module__)
            for name, value in vars(one).items()
            if name not in COMPUTES and isinstance(value, FunctionType | property | classmethod | staticmethod)
        }
        found: dict[Place, str] = {}
        while wanted := [place for place, name in places.items() if name in attributes and place not in found]:
            found |= {place: self.digest(place) for place in wanted}
        return sorted([places[place], text] for place, text in found.items())

    def value(self, value: Any) -> Any:
        """The form of an object."""
        if isinstance(value, bool | int | str | bytes | complex) or value is None or value is Ellipsis:
            return [type(value).__name__, repr(value)]
        if isinstance(value, float):
            return ["float", f"{value:.9g}"]  # the last digits of a computed number are the library's
        if id(value) in self.under_way:
            self.cycles += 1
            return f"cycle of {len(self.under_way) - self.under_way.index(id(value))}"
        self.under_way.append(id(value))
        try:
            return self._object(value)
        finally:
            self.under_way.pop()

    def _object(self, value: Any) -> Any:
        match value:
            case FunctionType():
                return self._function(inspect.unwrap(value))
            case MethodType():
                return ["method", self.value(value.__self__), self.value(value.__func__)]
            case partial():
                names = argument_names_of(value.func)
                given = [[names.index(k) if k in names else k, self.value(v)] for k, v in value.keywords.items()]
                return ["partial", self.value(value.func), self.value(value.args), sorted(given, key=str)]
            case type():
                return self.digest(Place(value.__module__, value.__qualname__))
            case ModuleType():
                return Place(value.__name__).words
            case RunConfig():
                return [value.kind, value.version, encode(value)]
            case Mapping():
                return ["mapping", [[self.value(key), self.value(item)] for key, item in value.items()]]
            case tuple() | list():
                return [self.value(type(value)), [self.value(item) for item in value]]
            case set() | frozenset():
                return ["set", sorted((self.value(item) for item in value), key=str)]
            case np.ndarray() | np.generic():
                return ["array", list(np.shape(value)), [self.value(item) for item in np.ravel(value).tolist()]]
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            if isinstance(value, Part) and value.wrong is None:
                del fields["wrong"]  # as in `_part`: most parts share the claim's
            return [self.value(type(value)), {name: self.value(item) for name, item in fields.items()}]
        if hasattr(value, "__wrapped__"):  # compiled, or cached
            return [type(value).__name__, self.value(inspect.unwrap(value))]
        if name := getattr(value, "__qualname__", getattr(value, "__name__", "")):
            return f"{str(getattr(value, '__module__', None)).split('.')[0]}.{name}"
        if hasattr(value, "__array__"):
            return self.value(np.asarray(value))
        return [self.value(type(value)), self.value(value.__reduce__()[1:3])]

    def _function(self, function: Any) -> Any:
        if not self.is_inside(function.__module__):
            around = {name: self.value(item) for name, item in _around(function).items()}
            return [f"{function.__module__.split('.')[0]}.{function.__qualname__}", around]
        top, *inner = function.__qualname__.split(".")
        if "<" not in function.__qualname__:
            whole = self.digest(Place(function.__module__, top))  # a method with its class
            return ["method", whole, inner] if inner else whole
        if function in self.objects:
            form, attributes = self.objects[function]
        else:
            cycles = self.cycles
            with self.asking() as attributes:
                form = self._local(function)
            if cycles == self.cycles:  # the same whoever reaches it
                self.objects[function] = form, frozenset(attributes)
        self.frames[-1].attributes |= attributes
        return form

    def _local(self, function: Any) -> Any:
        """A function that was made in another, or a lambda."""
        source = self.source(function.__module__)
        node = source and definition_in(source.tree, function.__code__)
        if node is None:
            return function.__qualname__
        around = {name: Value(item) for name, item in _around(function).items()}
        defaults = self.value([function.__defaults__, function.__kwdefaults__])
        return short(Writer(self, function.__module__).function(node, [around], defaults))


class _Asking:
    """The attributes that code asks for while it is read; whoever reads it asks for them too."""

    def __init__(self, code: CodeForm) -> None:
        self.code, self.attributes = code, set[str]()

    def __enter__(self) -> set[str]:
        self.before, self.code.frames[-1].attributes = self.code.frames[-1].attributes, self.attributes
        return self.attributes

    def __exit__(self, *_: object) -> None:
        self.code.frames[-1].attributes = self.before


def _around(function: Any) -> dict[str, Any]:
    """What the names that a function takes from around it stand for; a cell that is still empty stands for nothing."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found[name] = None
    return found


def argument_names_of(function: Any) -> list[str]:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) if code else []


@cache
def _functions(tree: ast.Module) -> dict[tuple[str, int], list[Any]]:
    """By name and line: of a decorated one that of its first decorator, as code objects have it."""
    found: dict[tuple[str, int], list[Any]] = {}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            lines = [node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]
            for line in {min(lines), node.lineno}:
                found.setdefault((getattr(node, "name", "<lambda>"), line), []).append(node)
    return found


def definition_in(tree: ast.Module, code: Any) -> Any:
    """The syntax tree of a function; of several lambdas in one line, the one whose body holds the code's places."""
    nodes = _functions(tree).get((code.co_name, code.co_firstlineno), [])
    if len(nodes) < 2:
        return nodes[0] if nodes else None
    places = {(line, column) for line, _, column, end in code.co_positions() if line and column is not None and end}
    for node in nodes:
        body = node.body
        if not isinstance(body, list):
            ends = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
            if all(ends[0] <= place <= ends[1] for place in places):
                return node
    return None
