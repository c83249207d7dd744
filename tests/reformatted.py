"""The papers' code written again: other formatting, comments, no docstrings, locals of other names."""

import ast
from pathlib import Path

from lemmata.record.code_form import argument_names, imported, names_bound


def reformat(folder: Path) -> None:
    """Every file of a folder."""
    for path in folder.rglob("*.py"):
        path.write_text(f"# A comment.\n\n\n{ast.unparse(_Renamed().visit(ast.parse(path.read_text())))}\n")


class _Renamed(ast.NodeTransformer):
    def __init__(self) -> None:
        self.scopes: list[dict[str, str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        same = {name for inner in ast.walk(node) for name in imported(inner, "", False)}
        same |= {
            name for inner in ast.walk(node) if isinstance(inner, ast.Global | ast.Nonlocal) for name in inner.names
        }
        same |= set(argument_names(node.args))
        node.args, node.decorator_list = self.visit(node.args), [self.visit(one) for one in node.decorator_list]
        node.name = self.renamed(node.name)
        local = {name: f"{name}_again" for name in names_bound(node.body) if name not in same}
        self.scopes.append({name: name for name in same} | local)
        node.body = [self.visit(one) for one in node.body if not _is_docstring(one)] or [ast.Pass()]
        self.scopes.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self.renamed(node.name)
        self.scopes.append({name: name for name in names_bound(node.body)})
        self.generic_visit(node)
        self.scopes.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        node.args = self.visit(node.args)
        self.scopes.append({name: name for name in argument_names(node.args)})
        node.body = self.visit(node.body)
        self.scopes.pop()
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.renamed(node.id)
        return node

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.MatchAs:
        node.name = node.name and self.renamed(node.name)
        self.generic_visit(node)
        return node

    visit_ExceptHandler = visit_MatchAs  # type: ignore[assignment]

    def renamed(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), name)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
