"""The walls of the design: who may import whom. (A paper's own walls are checked with the paper, by `check_paper`.)"""

import re
import tomllib
from pathlib import Path

import lemmata
from lemmata.testing import breach, imported_modules

ROOT = Path(lemmata.__file__).parent
ENGINE = {  # room -> what it may import besides itself
    "core": set(),
    "train": {"core"},
    "models": {"core"},
    "proofs": {"core"},
    "record": {"core"},
    "run": {"core", "record"},
    "report": {"core", "record"},
    "lm": {"core", "report", "record"},
    "commands": {"core", "record", "run", "report", "lm", "proofs"},
    "serve": {"core", "record", "run", "report", "commands"},
}
WEB = {"starlette", "uvicorn", "httpx", "anyio"}
TORCH = {"torch", "transformers", "peft", "lm_eval"}


def breaches(room: str, modules: set[str]) -> list[str]:
    """What a file of the engine's room may not import."""
    names = [module.split(".") for module in modules]
    inside = {name[1] for name in names if name[0] == "lemmata" and len(name) > 2}
    return sorted({name[0] for name in names} & TORCH) + sorted(inside - {room, *ENGINE[room]})


def test_the_engine_imports_no_paper_and_no_torch() -> None:
    found = {}
    for room in ENGINE:
        files = list((ROOT / room).rglob("*.py"))
        assert files
        found |= {str(file): wrong for file in files if (wrong := breaches(room, imported_modules(file)))}
    assert found == {}


def test_only_the_live_page_imports_a_web_package() -> None:
    files = [file for file in ROOT.rglob("*.py") if ROOT / "serve" not in file.parents]
    tops = {file: {module.split(".")[0] for module in imported_modules(file)} for file in files}
    assert [file for file, names in tops.items() if names & WEB] == []
    requested = [file for file in files if any(module.startswith("lemmata.serve") for module in imported_modules(file))]
    assert requested == []


def test_core_keeps_what_an_author_needs() -> None:
    names = re.findall(r"\b(\w+) as \1\b", (ROOT / "core" / "__init__.py").read_text())
    assert len(names) <= 90, "the rest is imported from its own module"


def test_only_the_lm_commands_need_lm() -> None:
    files = [file for file in (ROOT / "commands").glob("*.py") if file.name not in ("lm.py", "lm_cover.py")]
    files += [
        file for room in ("core", "record", "train", "models", "run", "report") for file in (ROOT / room).rglob("*.py")
    ]
    assert not [file for file in files if any("lemmata.lm" in module for module in imported_modules(file))]


def test_every_test_is_run_by_one_of_the_two_targets() -> None:
    """`make test` names its folders, so that it needs no torch; `make test-lm` runs the one that is left out."""
    tests = Path(__file__).parents[1]
    with (tests.parent / "pyproject.toml").open("rb") as stream:
        named = set(tomllib.load(stream)["tool"]["pytest"]["ini_options"]["testpaths"])
    holding = {path for path in tests.rglob("test_*.py") if "toy" not in path.relative_to(tests).parts}
    first = {f"tests/{path.relative_to(tests).parts[0]}" for path in holding}
    assert first - named == {"tests/lm"}
    assert named <= first


def test_a_wrong_direction_would_be_seen(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f():\n    from lemmata.papers.lego import task\n    import torch\n")
    modules = imported_modules(wrong)
    assert modules == {"lemmata.papers.lego.task", "torch"}
    assert breaches("core", modules) == ["torch", "papers"]
    lego = "lemmata.papers.lego"
    for room in ("theory", ""):
        assert breach(lego, room, f"{lego}.task.Lego")
    assert breach("lemmata.papers.association", "claims", f"{lego}.task.Lego")
    assert breach(lego, "claims", "lemmata.commands.compute.check")
    assert breach(lego, "run", ".task")
    assert breach(lego, "theory", "lemmata.train.fit")
    assert not breach(lego, "run", f"{lego}.task.Lego")
    assert not breach(lego, "theory", "lemmata.core.Claim")
    assert not breach(lego, "run", "lemmata.lm.keep.Largest")
    assert breach(lego, "theory", "lemmata.lm.keep.Largest")


def test_files_are_short() -> None:
    assert {str(p): n for p in ROOT.rglob("*.py") if (n := len(p.read_text().splitlines())) > 400} == {}
