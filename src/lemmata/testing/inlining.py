"""Functions as expressions of their arguments, from their source: what a call would return, written out, unrun.

Followed are lambdas and functions that consist of assignments, small functions of their own and a `return`. Names know
what they mean (`meaning_of`), so that an expression can be followed from file to file.
"""

import ast
import builtins
import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from lemmata.record.code_digest import definition_in

RUNS = "runs"
DEPTH = 6  # of calls within calls


@dataclass(frozen=True)
class Local:
    """A function that was defined inside another: its code, and what the names around it stand for."""

    code: ast.FunctionDef
    around: Mapping[str, ast.expr]
    scope: Mapping[str, Any]


def call_on_runs(function: Callable[..., Any]) -> ast.expr:
    """The call of a function on the runs, as an expression; of a lambda, its body."""
    if isinstance(function, partial):
        call = call_on_runs(function.func)
        if isinstance(call, ast.Call):
            call.args += map(_expression, function.args)
            call.keywords += [ast.keyword(name, _expression(value)) for name, value in function.keywords.items()]
        return call
    call = ast.Call(_expression(function), [_name(RUNS, None)], [])
    return inlined(call) or call if getattr(function, "__name__", "") == "<lambda>" else call


def levels(node: ast.expr) -> list[ast.expr]:
    """An expression as written, and with its outermost call written out, again and again."""
    found = [node]
    while len(found) <= DEPTH and isinstance(last := found[-1], ast.Call) and (body := inlined(last)) is not None:
        found.append(body)
    return found


def meaning_of(node: ast.expr) -> Any:
    """The object that a name or a dotted name stood for where it was written; None if only running would tell."""
    if isinstance(node, ast.Attribute):
        return getattr(meaning_of(node.value), node.attr, None)
    return getattr(node, "meaning", None)


def inlined(call: ast.Call) -> ast.expr | None:
    """What a call returns, in terms of its arguments; None where its function cannot be followed."""
    function = meaning_of(call.func)
    if isinstance(function, Local):
        code, scope, around = function.code, function.scope, function.around
    elif inspect.isfunction(function) and (found := _code(function)) is not None:
        code, scope = found, vars(builtins) | function.__globals__
        around = {name: _expression(value) for name, value in inspect.getclosurevars(function).nonlocals.items()}
    else:
        return None
    given = _arguments(code.args, call)
    if given is None:
        return None
    local = {**around, **given}
    return substituted(code.body, local, scope) if isinstance(code, ast.Lambda) else _returned(code, local, scope)


def _arguments(wanted: ast.arguments, call: ast.Call) -> dict[str, ast.expr] | None:
    names = [one.arg for one in (*wanted.posonlyargs, *wanted.args)]
    if wanted.vararg or wanted.kwarg or len(call.args) > len(names):
        return None
    if any(isinstance(one, ast.Starred) for one in call.args) or not all(one.arg for one in call.keywords):
        return None
    given = dict(zip(reversed(names), reversed(wanted.defaults), strict=False))
    given |= {one.arg: value for one, value in zip(wanted.kwonlyargs, wanted.kw_defaults, strict=True) if value}
    given |= dict(zip(names, call.args, strict=False)) | {one.arg or "": one.value for one in call.keywords}
    return given if {*names, *(one.arg for one in wanted.kwonlyargs)} <= set(given) else None


def _returned(code: ast.FunctionDef, local: dict[str, ast.expr], scope: Mapping[str, Any]) -> ast.expr | None:
    for statement in code.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.FunctionDef(name=name):
                local[name] = _name(name, Local(statement, dict(local), scope))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                local[name] = substituted(value, local, scope)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if all(
                isinstance(n, ast.Name) for n in names
            ):
                whole = substituted(value, local, scope)
                for place, name in enumerate(names):
                    local[ast.unparse(name)] = ast.Subscript(whole, ast.Constant(place), ast.Load())
            case ast.Return(value=ast.expr() as value):
                return substituted(value, local, scope)
            case _:
                return None
    return None


def substituted(node: ast.expr, local: Mapping[str, ast.expr], scope: Mapping[str, Any]) -> ast.expr:
    """The expression with what its local names stand for in their place; its other names know what they mean."""
    return _Substitute(local, scope).visit(copy.deepcopy(node))


class _Substitute(ast.NodeTransformer):
    def __init__(self, local: Mapping[str, ast.expr], scope: Mapping[str, Any]) -> None:
        self.local, self.scope = local, scope

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.local[node.id] if node.id in self.local else _name(node.id, self.scope.get(node.id))

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.body = self._without({one.arg for one in node.args.args}).visit(node.body)
        return node

    def _comprehension(self, node: Any) -> ast.expr:
        inner = self
        for loop in node.generators:
            loop.iter = inner.visit(loop.iter)
            inner = inner._without({one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)})
            loop.ifs = [inner.visit(one) for one in loop.ifs]
        for name in {"elt", "key", "value"} & set(node._fields):
            setattr(node, name, inner.visit(getattr(node, name)))
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def _without(self, names: set[str]) -> "_Substitute":
        outer = {name: value for name, value in self.local.items() if name not in names}
        return _Substitute(outer | {name: ast.Name(name, ast.Load()) for name in names}, self.scope)


def _name(id: str, meaning: Any) -> ast.expr:
    node = ast.Name(id, ast.Load())
    node.meaning = meaning  # pyright: ignore[reportAttributeAccessIssue]
    return node


def _expression(value: Any) -> ast.expr:
    """An object as it could have been written."""
    if value is None or isinstance(value, str | int | float):
        return ast.Constant(value)
    name = getattr(value, "__name__", "")
    return _name(name if name.isidentifier() else f"object_{id(value)}", value)


@cache
def _tree(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text())


def _code(function: Any) -> ast.FunctionDef | ast.Lambda | None:
    """The syntax tree of a function."""
    code = function.__code__
    return definition_in(_tree(code.co_filename), code) if Path(code.co_filename).is_file() else None
