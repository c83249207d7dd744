"""The rooms of the design: who may import whom."""

import ast
from pathlib import Path

import pytest

import lemmata

ROOT = Path(lemmata.__file__).parent
ALLOWED = {
    "core": set(),
    "tasks": {"core"},
    "models": {"core"},
    "theory": {"core"},
    "train": {"core", "tasks", "models", "theory"},
    "probes": {"core", "tasks", "models", "theory"},
    "papers": {"core", "tasks", "models", "theory", "train", "probes", "report.plots"},
    "run": {"core"},
    "report": {"core"},
    "commands": {"core", "run", "report"},
}
FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


def imported_modules(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide directions"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_import_directions(path: Path) -> None:
    room, *inside = path.relative_to(ROOT).parts
    for module in imported_modules(path):
        top, *rest = module.split(".")
        assert top not in {"torch", "transformers"}, f"{path}: the core never imports {top}"
        if top != "lemmata" or not rest:
            continue
        target = rest[0]
        if target == room:
            # One paper never leans on another, so that a folder can be deleted.
            if room == "papers" and len(inside) > 1 and len(rest) > 1:
                assert rest[1] == inside[0], f"{path} imports another paper: {module}"
            continue
        allowed = ALLOWED[room]
        assert target in allowed or ".".join(rest[:2]) in allowed, f"{path}: {room} may not import {module}"


def test_a_wrong_direction_would_be_seen(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f():\n    from lemmata.papers import ic_recall\n")
    assert imported_modules(wrong) == {"lemmata.papers.ic_recall"}
    assert "papers" not in ALLOWED["theory"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
