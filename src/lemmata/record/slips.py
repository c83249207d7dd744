"""Wrong versions of code, one slip each, made from its syntax tree: what the author of a formula gets wrong."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

FUNCTIONS = {"sqrt", "log", "log1p", "exp", "square", "abs"}  # without which an expression still has a meaning
LONGEST = 48  # characters of an expression that is shown
OPPOSITE: dict[type[ast.operator], tuple[str, ast.operator]] = {
    ast.Add: ("sign", ast.Sub()),
    ast.Sub: ("sign", ast.Add()),
    ast.Mult: ("over for times", ast.Div()),
    ast.Div: ("times for over", ast.Mult()),
}


@dataclass(frozen=True)
class Slip:
    """One place of a tree with something else in it."""

    kind: str  # "sign", "exponent", "a term dropped"
    node: Any  # whose field it is
    field: str
    place: int | None  # in a field that is a list
    instead: ast.expr

    @property
    def text(self) -> str:
        return f"{_short(self.now)} → {_short(self.instead)}"

    def compiled(self, tree: ast.Module | ast.Expression, filename: str) -> CodeType:
        """The code of the tree with this slip in it; the tree is as before."""
        before = self.now
        try:
            self._put(ast.copy_location(copy.copy(self.instead), before))
            mode = "exec" if isinstance(tree, ast.Module) else "eval"
            return compile(ast.fix_missing_locations(tree), filename, mode, dont_inherit=True)
        finally:
            self._put(before)

    @property
    def now(self) -> ast.expr:
        found = getattr(self.node, self.field)
        return found if self.place is None else found[self.place]

    def _put(self, value: ast.expr) -> None:
        if self.place is None:
            setattr(self.node, self.field, value)
        else:
            getattr(self.node, self.field)[self.place] = value


def slips(tree: ast.AST) -> Iterator[Slip]:
    """Every slip of an expression or of a function's body; names, annotations, defaults and options stay."""
    for field, value in ast.iter_fields(tree):
        if field in {"annotation", "returns", "args", "decorator_list"} and not isinstance(tree, ast.Call):
            continue
        for place, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(one, ast.keyword | ast.Slice | ast.JoinedStr | ast.Raise | ast.Compare):
                continue
            if isinstance(one, ast.expr):
                yield from (Slip(kind, tree, field, place, instead) for kind, instead in _instead_of(one, tree, field))
            if isinstance(one, ast.AST):
                yield from slips(one)


def _instead_of(node: ast.expr, parent: ast.AST, field: str) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.BinOp(op=ast.Pow(), left=left, right=ast.Constant(value=int(power))):
            for other in (power - 1, power + 1):
                yield "exponent", ast.BinOp(left, ast.Pow(), ast.Constant(other))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPPOSITE:
            kind, other = OPPOSITE[type(op)]
            yield kind, ast.BinOp(left, other, right)
            dropped = "a term dropped" if isinstance(op, ast.Add | ast.Sub) else "a factor dropped"
            yield dropped, left
            if isinstance(op, ast.Add | ast.Mult):
                yield dropped, right
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "sign", operand
        case ast.Constant(value=bool()):
            return
        case ast.Constant(value=int(number)) if field == "slice" or isinstance(parent, ast.Tuple):
            yield "index", ast.Constant(number + 1)
        case ast.Constant(value=int(number)) if not _is_power(parent, field):
            yield "off by one", ast.Constant(number + 1)
            if number:
                yield "factor 2", ast.Constant(2 * number)
        case ast.Constant(value=float(number)) if number and not _is_power(parent, field):
            yield "factor 2", ast.Constant(2 * number)
        case ast.Call(func=ast.Attribute(attr=name), args=[inner]) if name in FUNCTIONS:
            yield f"{name} left out", inner


def _is_power(parent: ast.AST, field: str) -> bool:
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and field == "right"


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def codes_in(code: CodeType) -> list[CodeType]:
    """A code object and all within it, in the order in which they stand."""
    within = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [code, *(inner for one in within for inner in codes_in(one))]


def node_of(code: CodeType, tree: ast.Module) -> ast.FunctionDef | ast.Lambda | None:
    """The function of a module's tree whose code this is; of several lambdas in a line the smallest around its code."""
    spans = [(a, c, b, d) for a, b, c, d in code.co_positions() if a and b and c is not None and d is not None]
    for one in ast.walk(tree):
        begin = (
            min([one.lineno, *(each.lineno for each in one.decorator_list)]) if isinstance(one, ast.FunctionDef) else 0
        )
        if isinstance(one, ast.FunctionDef) and (one.name, begin) == (code.co_name, code.co_firstlineno):
            return one
    lambdas = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Lambda) and one.lineno == code.co_firstlineno and code.co_name == "<lambda>"
        if all((one.lineno, one.col_offset) <= (a, c) and (b, d) <= _end(one) for a, c, b, d in spans)
    ]
    return min(lambdas, key=lambda one: (_end(one), -one.col_offset), default=None)


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
