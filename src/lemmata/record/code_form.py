"""The code of a package in a form in which only its meaning counts, and digests of what it reaches by name.

Gone are comments, docstrings, annotations and formatting; locals and arguments are numbered; a name of the package
stands for the digest of what it names, so that functions may move and be renamed. A cycle is named by its length. What
comes from outside stands by its name, and of the engine by its last name alone, wherever in the engine it is.

Syntax trees alone, standard library alone: nothing is imported or run, and every Python from 3.11 on says the same.
"""

import ast
import builtins
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

ENGINE = "lemmata"
SILENT = {"ctx", "returns", "annotation", "type_comment", "type_params", "kind", "lineno"}
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
IMPORTS = ast.Import | ast.ImportFrom


class Place(NamedTuple):
    """A module, or a name at its top; "Class.method" is a method."""

    module: str
    name: str = ""

    @property
    def words(self) -> str:
        """Of what comes from outside."""
        whole = f"{self.module}.{self.name}".strip(".")
        return f"{ENGINE}.{whole.rpartition('.')[2]}" if self.module.split(".")[0] == ENGINE else whole


@dataclass(frozen=True)
class Value:
    """What a name stands for that was defined around a live function."""

    value: Any


@dataclass
class Frame:
    """A definition under way: the attributes it asks for, the outermost definition under way that it reaches, and
    whether others reach it from within: then its digest is of its cycle as it is entered here."""

    place: Place | None
    attributes: set[str] = field(default_factory=set)
    outermost: int = 10**9
    is_entered: bool = False


Scope = dict[str, Any]  # a local name -> its number, a Place that it imports, a Value, or (in a class) itself


def short(form: Any) -> str:
    return hashlib.sha256(json.dumps(form).encode()).hexdigest()[:20]


class Source:
    """A module's syntax tree, and what binds the names at its top."""

    def __init__(self, module: str, path: Path) -> None:
        self.module, self.is_package = module, path.name == "__init__.py"
        self.tree = ast.parse(path.read_text())

    @cached_property
    def bound(self) -> dict[str, list[ast.stmt] | Place]:
        found: dict[str, list[ast.stmt] | Place] = {}
        for statement in self.tree.body:
            imports = imported(statement, self.module, self.is_package)
            found |= imports
            if not isinstance(statement, IMPORTS):
                for name in dict.fromkeys([*names_bound([statement]), *_changed(statement)]):
                    known = found.setdefault(name, [])
                    if isinstance(known, list):
                        known.append(statement)
        return found


class CodeForm:
    """The package in `folder`; what it says of a place is remembered."""

    def __init__(self, package: str, folder: Path) -> None:
        self.package, self.folder = package, folder
        self.sources: dict[str, Source | None] = {}
        self.known: dict[Place, tuple[str, frozenset[str]]] = {}
        self.frames = [Frame(None)]

    # Where names lead.

    def is_inside(self, module: str) -> bool:
        return module == self.package or module.startswith(f"{self.package}.")

    def source(self, module: str) -> Source | None:
        if module not in self.sources:
            base = self.folder.joinpath(*module.removeprefix(self.package).split("."))
            paths = (base.with_suffix(".py"), base / "__init__.py")
            if module == self.package:
                paths = (self.folder / "__init__.py", self.folder) if self.folder.is_dir() else (self.folder,)
            path = next((path for path in paths if path.is_file()), None)
            self.sources[module] = Source(module, path) if path else None
        return self.sources[module]

    def meaning(self, place: Place) -> Place:
        """Where it is defined, imports followed."""
        if not (place.name and self.is_inside(place.module)):
            return place
        source, (top, *_) = self.source(place.module), place.name.split(".")
        bound = source.bound.get(top) if source else None
        if isinstance(bound, Place) and bound != place:
            return self.meaning(bound)
        if not isinstance(bound, list):
            if self.source(f"{place.module}.{place.name}"):
                return Place(f"{place.module}.{place.name}")
            if hasattr(builtins, place.name):
                return Place("", place.name)
        return place

    def definition(self, place: Place) -> list[ast.stmt]:
        source, (top, *inner) = self.source(place.module), place.name.split(".")
        found = source.bound.get(top, []) if source else []
        statements = [] if isinstance(found, Place) else found
        for name in inner:
            members = [one for whole in statements if isinstance(whole, ast.ClassDef) for one in whole.body]
            statements = [one for one in members if isinstance(one, DEFINITIONS) and one.name == name]
        return list(statements)

    def dotted(self, node: ast.expr, module: str, scopes: Sequence[Scope]) -> Place | None:
        """The place that a dotted name leads to, where imports alone tell."""
        if isinstance(node, ast.Name):
            known = next((scope[node.id] for scope in reversed(scopes) if node.id in scope), Place(module, node.id))
            return self.meaning(known) if isinstance(known, Place) else None
        if not isinstance(node, ast.Attribute):
            return None
        place = self.dotted(node.value, module, scopes)
        if place is None or (self.is_inside(place.module) and place.name) or not place.module:
            return None
        whole = f"{place.module}.{place.name}".strip(".")
        return self.meaning(Place(whole, node.attr))

    def is_run(self, place: Place) -> bool:
        """Whether it is a class of runs: its own code computes, and decides no verdict."""
        if not self.is_inside(place.module):
            return place.words == f"{ENGINE}.RunConfig"
        bases = [base for one in self.definition(place) if isinstance(one, ast.ClassDef) for base in one.bases]
        return any(found and self.is_run(found) for base in bases if (found := self.dotted(base, place.module, ())))

    # Digests.

    def digest(self, place: Place) -> str:
        """Of what stands at a place, with all that it reaches."""
        place = self.meaning(place)
        if not (self.is_inside(place.module) and place.name):
            return place.words
        if place in self.known:
            text, attributes = self.known[place]
            self.frames[-1].attributes |= attributes
            return text
        under_way = [frame.place for frame in self.frames]
        if place in under_way:
            index = under_way.index(place)
            self.frames[-1].outermost = min(self.frames[-1].outermost, index)
            self.frames[index].is_entered |= index < len(self.frames) - 1
            return f"cycle of {len(under_way) - index}"
        frame = Frame(place)
        self.frames.append(frame)
        text = short(self._form(place))
        self.frames.pop()
        above = self.frames[-1]
        above.attributes |= frame.attributes
        if frame.outermost < len(self.frames):
            above.outermost = min(above.outermost, frame.outermost)
        elif not frame.is_entered:  # the same whoever reaches it
            self.known[place] = text, frozenset(frame.attributes)
        return text

    def _form(self, place: Place) -> Any:
        statements = self.definition(place)
        if self.is_run(place):
            return ["run", *(self._class_value(place, name) for name in ("kind", "version"))]
        source, beside = self.source(place.module), dict.fromkeys(names_bound(statements))
        bound_here = {name: None for name in beside if source and source.bound.get(name) == statements}
        own: Scope = bound_here | {place.name: "itself"}  # `A, B = 1, 2` defines each without the other
        writer = Writer(self, place.module)
        if len(statements) == 1 and isinstance(statements[0], FUNCTIONS):
            return writer.function(statements[0], [])
        if len(statements) == 1 and isinstance(statements[0], ast.ClassDef):
            return writer.class_form(statements[0], [])
        return writer.write(statements, [own]) or place.words

    def _class_value(self, place: Place, name: str) -> str:
        for one in self.definition(place):
            for statement in one.body if isinstance(one, ast.ClassDef) else ():
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
                    return ast.unparse(statement.value)
        return ""

    def parameters(self, place: Place | None) -> list[str]:
        """The names of a function's arguments, in order."""
        found = self.definition(place) if place and place.name and self.is_inside(place.module) else []
        return argument_names(found[0].args) if len(found) == 1 and isinstance(found[0], FUNCTIONS) else []


class Writer:
    """Writes nodes of one module."""

    def __init__(self, code: CodeForm, module: str) -> None:
        self.code, self.module = code, module

    def write(self, node: Any, scopes: Sequence[Scope]) -> Any:
        match node:
            case list():
                return [self.write(one, scopes) for one in node if not _is_silent(one)]
            case ast.Name(id=name):
                return self.name(name, scopes)
            case ast.Constant(value=value):
                return [type(value).__name__, repr(value)]
            case ast.Attribute(value=value, attr=attribute):
                if place := self.code.dotted(node, self.module, scopes):
                    return self.code.digest(place)
                self.code.frames[-1].attributes.add(attribute)
                return ["Attribute", self.write(value, scopes), attribute]
            case ast.Call(func=function, args=given, keywords=named):
                return ["Call", self.write(function, scopes), self.write(given, scopes), self.keywords(node, scopes)]
            case ast.JoinedStr(values=values):
                return ["JoinedStr", *self.joined(values, scopes)]
            case ast.AnnAssign(target=target, value=value):
                return ["Assign", [self.write(target, scopes)], self.write(value, scopes)]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                made = self.class_form(node, scopes) if isinstance(node, ast.ClassDef) else self.function(node, scopes)
                return ["define", self.name(name, scopes), made]
            case ast.Lambda():
                return self.function(node, scopes)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node, scopes)
            case ast.AST():
                named = type(node).__name__ in ("ExceptHandler", "MatchAs", "MatchStar", "MatchMapping")
                values = [getattr(node, name) for name in node._fields if name not in SILENT]
                return [
                    type(node).__name__,
                    *(self.name(v, scopes) if named and isinstance(v, str) else self.write(v, scopes) for v in values),
                ]
        return node

    def name(self, name: str, scopes: Sequence[Scope]) -> Any:
        for depth, scope in reversed(list(enumerate(scopes))):
            if name in scope:
                known = scope[name]
                if isinstance(known, Place):
                    return self.code.digest(known)
                if isinstance(known, Value):
                    return self.code.value(known.value)  # pyright: ignore[reportAttributeAccessIssue]
                if known is None:
                    known = scope[name] = f"{depth}.{sum(isinstance(one, str) for one in scope.values())}"
                return known
        return self.code.digest(Place(self.module, name))

    def keywords(self, call: ast.Call, scopes: Sequence[Scope]) -> Any:
        """By the argument's number, where the function is known: its arguments may be renamed."""
        function = self.code.dotted(call.func, self.module, scopes)
        if function and function.words == "functools.partial" and call.args:
            function = self.code.dotted(call.args[0], self.module, scopes)
        names = self.code.parameters(function)
        given = [
            [names.index(one.arg) if one.arg in names else one.arg, self.write(one.value, scopes)]
            for one in call.keywords
        ]
        return sorted(given, key=lambda one: str(one[0]))

    def joined(self, values: list[ast.expr], scopes: Sequence[Scope]) -> Iterable[Any]:
        """Pythons cut the words of an f-string differently."""
        words = ""
        for value in values:
            if isinstance(value, ast.Constant):
                words += str(value.value)
                continue
            yield from [words] if words else []
            yield self.write(value, scopes)
            words = ""
        yield from [words] if words else []

    def function(self, node: Any, scopes: Sequence[Scope], live_defaults: Any = None) -> Any:
        wanted = node.args
        defaults = [wanted.defaults, wanted.kw_defaults] if live_defaults is None else None
        around = self.write([defaults, getattr(node, "decorator_list", [])], scopes)
        body = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
        inner = _scope(self.code, self.module, argument_names(wanted), body)
        counts = [len(wanted.posonlyargs), len(wanted.args), len(wanted.kwonlyargs)]
        counts += [wanted.vararg is not None, wanted.kwarg is not None]
        outside = [scope for scope in scopes if "" not in scope]  # a class's names are not its methods'
        for name in argument_names(wanted):
            self.name(name, [*outside, inner])
        kind = "async" if isinstance(node, ast.AsyncFunctionDef) else "function"
        return [kind, counts, around if live_defaults is None else [live_defaults], self.write(body, [*outside, inner])]

    def comprehension(self, node: Any, scopes: Sequence[Scope]) -> Any:
        inner: Scope = dict.fromkeys(names_bound([loop.target for loop in node.generators]))
        every = [*scopes, inner]
        loops = []
        for place, loop in enumerate(node.generators):
            source = self.write(loop.iter, every if place else scopes)
            loops.append([source, self.write(loop.target, every), self.write(loop.ifs, every), loop.is_async])
        made = [self.write(getattr(node, name), every) for name in ("elt", "key", "value") if hasattr(node, name)]
        return [type(node).__name__, loops, made]

    def class_form(self, node: ast.ClassDef, scopes: Sequence[Scope]) -> Any:
        """Its members are asked for by their names, which stay."""
        about = self.write([node.decorator_list, node.bases, [[k.arg, k.value] for k in node.keywords]], scopes)
        own: Scope = {"": ""} | {name: f".{name}" for name in names_bound(node.body)}
        return ["class", about, self.write(node.body, [*scopes, own])]


def argument_names(wanted: ast.arguments) -> list[str]:
    every = [*wanted.posonlyargs, *wanted.args, *wanted.kwonlyargs, wanted.vararg, wanted.kwarg]
    return [one.arg for one in every if one]


def _scope(code: CodeForm, module: str, arguments: Iterable[str], body: list[Any]) -> Scope:
    source, own = code.source(module), _own_nodes(body)
    given = {one for node in own if isinstance(node, ast.Global | ast.Nonlocal) for one in node.names}
    scope: Scope = dict.fromkeys([*arguments, *(name for name in names_bound(body) if name not in given)])
    for node in own:
        scope |= imported(node, module, source is not None and source.is_package)
    return scope


def _own_nodes(body: Iterable[ast.AST]) -> list[ast.AST]:
    """All nodes of this scope; of scopes within, the node alone."""
    found, waiting = [], list(body)[::-1]
    while waiting:
        found.append(node := waiting.pop())
        if not isinstance(node, FUNCTIONS | ast.ClassDef):
            waiting += list(ast.iter_child_nodes(node))[::-1]
    return found


def names_bound(body: Iterable[ast.AST]) -> list[str]:
    """The names that statements bind in their own scope, in order."""
    found: list[str] = []
    own = _own_nodes(body)
    inside = {id(one) for node in own if isinstance(node, COMPREHENSIONS) for one in _targets(node)}
    for node in own:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if id(node) not in inside:
                found.append(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.append(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.append(name)
            case ast.MatchMapping(rest=str(name)):
                found.append(name)
    return list(dict.fromkeys(found))


def _targets(node: Any) -> Iterable[ast.AST]:
    return (one for loop in node.generators for one in ast.walk(loop.target))


def _changed(statement: ast.stmt) -> list[str]:
    """Names of whose objects a statement changes something: an element set, a method called for its effect."""
    if isinstance(statement, DEFINITIONS):
        return []
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        targets = [statement.value.func]
    found = [target for target in targets if isinstance(target, ast.Attribute | ast.Subscript)]
    return [one.id for target in found for one in ast.walk(target.value) if isinstance(one, ast.Name)]


def imported(node: ast.AST, module: str, is_package: bool) -> dict[str, Place]:
    """The names that an import binds, and where they lead; of an import within `if`, too."""
    if isinstance(node, ast.Import):
        return {
            one.asname or one.name.split(".")[0]: Place(one.name if one.asname else one.name.split(".")[0])
            for one in node.names
        }
    if isinstance(node, ast.ImportFrom):
        parts = module.split(".")
        base = ".".join(parts[: len(parts) - node.level + is_package]) if node.level else ""
        whence = ".".join(part for part in (base, node.module) if part)
        return {one.asname or one.name: Place(whence, one.name) for one in node.names}
    if isinstance(node, ast.If | ast.Try):
        inner = [imported(one, module, is_package) for one in (*node.body, *node.orelse)]
        return {name: place for one in inner for name, place in one.items()}
    return {}


def _is_silent(node: Any) -> bool:
    """Docstrings, words alone, and what only binds names that know where they lead."""
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return words or isinstance(node, ast.Pass | ast.Global | ast.Nonlocal | IMPORTS)
