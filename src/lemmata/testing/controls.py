"""Is a claim's control a subject of its own, or arithmetic on what is measured? Told from the claim's code, unrun.

`wrong` may read another run, column, moment or formula than `subject`. It may not be the subject's own expression, or
one of its arguments, with something done to the numbers: an operator, a function of numpy, a reversed slice. (Settings
are no measurement: `read(run, config.lengths[::-1])` reads at other lengths. Nor is a whole run: with its rows in
another order, each point, world or temperature is read in another's place.)

It sees `1 - measured(runs)`, `flipped(measured(runs))`, `read(column[::-1])`, the subject itself, and a constant. It
does not see into loops, branches and methods, nor what a keyword like `shuffled=True` does inside a reading, nor
arithmetic into which another reading is mixed: those are for whoever reads the claim.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from lemmata.core import Claim
from lemmata.testing.inlining import DEPTH, RUNS, call_on_runs, inlined, levels, meaning_of

ARITHMETIC = {"jax", "math", "numpy", "operator", "random", "scipy"}  # packages
SHAPING = {"array", "asarray", "astype", "concatenate", "copy", "ravel", "reshape", "squeeze", "stack"}  # theirs
WORKING = {"abs", "max", "min", "pow", "round", "sorted", "sum"}  # builtins
HOLDING = {"dict", "enumerate", "float", "int", "len", "list", "range", "reversed", "set", "tuple", "zip"}
METHODS = {"_replace", "get", "items", "keys", "values"}
WHOLE_RUN = re.compile(rf"{RUNS}\['[^']*'\]")


@dataclass(frozen=True)
class Origin:
    """What an expression is made of: the subject's own expression, work on numbers, anything else that is read."""

    subject: bool = False
    worked: bool = False
    other: bool = False

    def __or__(self, more: "Origin") -> "Origin":
        return Origin(self.subject or more.subject, self.worked or more.worked, self.other or more.other)


NOTHING, SUBJECT, WORKED, OTHER = Origin(), Origin(subject=True), Origin(worked=True), Origin(other=True)


def control_problem(claim: Claim) -> str | None:
    """Why a control of the claim or of a part is none, as far as its code tells; None if nothing is seen."""
    subjects = (claim.wrong, *(part.wrong for part in claim.named_parts().values() if part.wrong is not None))
    return next(filter(None, (_problem(call_on_runs(claim.subject), call_on_runs(wrong)) for wrong in subjects)), None)


def _problem(subject: ast.expr, wrong: ast.expr) -> str | None:
    if ast.unparse(subject) == ast.unparse(wrong):
        return "its control is its subject"
    found = _origin(wrong, _texts(subject), {})
    if not found.subject and not found.other:
        return f"its control reads no run and no formula: {ast.unparse(wrong)}"
    for one in levels(wrong):
        if worked := next(_arithmetic(subject, one), None):  # the largest such place
            return f"its control is arithmetic on what is measured: {worked}"
    return None


def _texts(node: ast.expr) -> frozenset[str]:
    return frozenset(ast.unparse(one) for one in levels(node))


def _arithmetic(subject: ast.AST, wrong: ast.AST) -> Iterator[str]:
    """Where `wrong` is the subject, or holds one of its arguments, with work done to it and nothing else read."""
    if ast.dump(subject) == ast.dump(wrong):
        return
    if isinstance(subject, ast.expr) and isinstance(wrong, ast.expr):
        measured = not isinstance(subject, ast.Constant | ast.Name) and ".config" not in ast.unparse(subject)
        found = _origin(wrong, _texts(subject), {}) if measured else NOTHING
        if found.subject and found.worked and not found.other:
            yield ast.unparse(wrong)
    if _same_form(subject, wrong):
        for one, other in zip(ast.iter_child_nodes(subject), ast.iter_child_nodes(wrong), strict=False):
            yield from _arithmetic(one, other)


def _same_form(one: ast.AST, other: ast.AST) -> bool:
    if isinstance(one, ast.Call) and isinstance(other, ast.Call):
        return ast.dump(one.func) == ast.dump(other.func)
    return type(one) is type(other)


def _origin(node: ast.expr, subject: frozenset[str], bound: Mapping[str, Origin], depth: int = DEPTH) -> Origin:
    """What an expression is made of, where the texts of `subject` are the subject."""
    if ast.unparse(node) in subject:
        return SUBJECT

    def of(*nodes: ast.expr | None, within: Mapping[str, Origin] = bound) -> Origin:
        found = NOTHING
        for one in nodes:
            found |= NOTHING if one is None else _origin(one, subject, within, depth)
        return found

    match node:
        case ast.Constant() | ast.JoinedStr():
            return NOTHING
        case ast.Name(id=name):
            return OTHER if name == RUNS else bound.get(name, NOTHING)
        case ast.BinOp(left=left, right=right):
            return of(left, right) | WORKED
        case ast.UnaryOp(operand=operand):
            return of(operand) | WORKED
        case ast.Compare(left=left, comparators=others):
            return of(left, *others) | WORKED
        case ast.Attribute(value=value) | ast.Starred(value=value):
            return of(value)
        case ast.Subscript(value=value, slice=index):
            turned = "::-" in ast.unparse(index) and not any(map(WHOLE_RUN.fullmatch, subject))
            return of(value) | _chosen_by(of(index)) | (WORKED if turned else NOTHING)
        case ast.Slice(lower=lower, upper=upper, step=step):
            return of(lower, upper, step)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.BoolOp(values=items):
            return of(*items)
        case ast.Dict(keys=keys, values=values):
            return of(*keys, *values)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _chosen_by(of(test)) | of(body, orelse)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            found, inner = NOTHING, dict(bound)
            for loop in node.generators:
                over = of(loop.iter, within=inner)
                inner |= {name.id: over for name in ast.walk(loop.target) if isinstance(name, ast.Name)}
                found |= over | _chosen_by(of(*loop.ifs, within=inner))
            made = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            return found | of(*made, within=inner)
        case ast.Call(func=function, args=args, keywords=keywords):
            given = of(*args, *(keyword.value for keyword in keywords))
            if meaning_of(function) is None and isinstance(function, ast.Attribute):
                given |= of(function.value)
            works = _works(function)
            if works is None:
                body = inlined(node) if depth else None
                return given | OTHER if body is None else _origin(body, subject, bound, depth - 1)
            return given | (WORKED if works else NOTHING)
        case _:
            return OTHER


def _chosen_by(found: Origin) -> Origin:
    """An index or a condition chooses what is read: what is done there is no work on what is measured."""
    return Origin(found.subject, other=found.other)


def _works(function: ast.expr) -> bool | None:
    """Whether a call does arithmetic on its arguments, or only holds and reads them; None: its own code tells."""
    meaning, name = meaning_of(function), ast.unparse(function).split(".")[-1]
    if meaning is None:
        if not isinstance(function, ast.Attribute):
            return None
        return False if name in METHODS | SHAPING else True if hasattr(np.ndarray, name) else None
    if meaning is getattr(builtins, name, None):
        return True if name in WORKING else False if name in HOLDING else None
    package = (getattr(meaning, "__module__", None) or type(meaning).__module__).split(".")[0]
    if package in ARITHMETIC:
        return name not in SHAPING
    return False if isinstance(meaning, type) or package == "dataclasses" else None
