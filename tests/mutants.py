"""Slips in the code of papers' models, tasks, probes and runs: does a test or a verdict at smoke scale notice them?

    python tests/mutants.py --seed 1 --count 60 [ic_recall/run ...]

A slip is made in a copy of the package. The paper's tests run first, those that name the file before the others; where
all pass, the verdicts of the experiments that import the file are compared with those of the right code.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from lemmata.record.slips import Slip, slips

TOP = Path(__file__).parent.parent
PAPERS = TOP / "src/lemmata/papers"
FOLDERS = ("model", "task", "probe", "run")
LONGEST = 900  # seconds: what takes longer is noticed
NEEDS_LM = "lemmata.lm"  # those have their tests where the extra is installed (`make test-lm`)
NOT_CODE = {"cross_check", "lacks", "resources"}  # what only refuses or names


def places(wanted: list[str]) -> list[tuple[Path, Slip]]:
    """Every slip of every function of these folders (all: of every paper)."""
    folders = [PAPERS / one for one in wanted] or [p / name for p in sorted(PAPERS.iterdir()) for name in FOLDERS]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.rglob("*.py"))]
    texts = {file: file.read_text() for file in files}
    return [(file, slip) for file, text in texts.items() if NEEDS_LM not in text for slip in _of(ast.parse(text))]


def _of(tree: ast.Module) -> Iterator[Slip]:
    for node in (one for top in tree.body for one in ([top] if isinstance(top, ast.FunctionDef) else _methods(top))):
        if node.name not in NOT_CODE:
            yield from slips(node)


def _methods(node: ast.stmt) -> list[ast.FunctionDef]:
    return [one for one in node.body if isinstance(one, ast.FunctionDef)] if isinstance(node, ast.ClassDef) else []


def with_slip(source: str, slip: Slip) -> str:
    """The text with the slip in its place; comments stay, as they are the help of `--set`."""
    node, lines = slip.now, source.encode().splitlines(keepends=True)
    begin = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: (node.end_lineno or 0) - 1])) + (node.end_col_offset or 0)
    text = source.encode()
    return (text[:begin] + f"({ast.unparse(slip.instead)})".encode() + text[end:]).decode()


def run(package: Path, *words: str) -> tuple[int, str]:
    path = os.pathsep.join((str(package), os.environ.get("PYTHONPATH", "")))
    env = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run([sys.executable, *words], cwd=TOP, env=env, capture_output=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return -1, "it does not end"
    return done.returncode, done.stdout.decode()


def verdicts(package: Path, file: Path) -> dict[str, str]:
    """At smoke scale, of the experiments whose claims reach the file; computed in a store that is thrown away."""
    paper = file.relative_to(PAPERS).parts[0]
    code = (
        "import importlib, json, sys\nfrom lemmata.core.registry import experiment_names, papers\n"
        f"name, paper = {'.'.join(file.relative_to(PAPERS.parent.parent).with_suffix('').parts)!r}, None\n"
        f"paper = next(one for one in papers().values() if one.package.endswith({paper!r}))\nfound = []\n"
        "for one in experiment_names(paper):\n"
        "    for id in [id for id in sys.modules if id.startswith(paper.package + '.')]: del sys.modules[id]\n"
        "    importlib.import_module(f'{paper.package}.claims.' + one.replace('-', '_'))\n"
        "    found += [f'{paper.id}/{one}'] if name in sys.modules else []\nprint(json.dumps(found))"
    )
    reached = json.loads(run(package, "-c", code)[1] or "[]")
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as store:
        for one in reached:  # an experiment that cannot be run here is not: under the slip as without it
            status, told = run(package, "-m", "lemmata", "check", one, "--scale", "smoke", "--json", "--store", store)
            found |= (
                {row["id"]: str(row["status"]) for row in json.loads(told)} if status in (0, 1) else {one: str(status)}
            )
    return found


def noticed(file: Path, slip: Slip) -> str:
    """By what; empty where nothing notices."""
    paper = file.relative_to(PAPERS).parts[0]
    tests = sorted((TOP / "tests" / paper).glob("test_*.py"), key=lambda one: file.stem not in one.read_text())
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder)
        shutil.copytree(TOP / "src", package, dirs_exist_ok=True)
        (package / file.relative_to(TOP / "src")).write_text(with_slip(file.read_text(), slip))
        if run(package, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *map(str, tests))[0]:
            return "a test"
        return "a verdict" if verdicts(package, file) != verdicts(TOP / "src", file) else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", help="as in ic_recall/run; none: models, tasks, probes, runs of all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1, help="slips that are looked at side by side")
    given = parser.parse_args()
    chosen = random.Random(given.seed).sample(places(given.folders), given.count)
    survivors = 0
    with ThreadPoolExecutor(given.jobs) as side_by_side:
        looked = {side_by_side.submit(noticed, file, slip): (file, slip) for file, slip in chosen}
        for one in as_completed(looked):
            (file, slip), by = looked[one], one.result()
            survivors += not by
            where = f"{file.relative_to(PAPERS)}:{slip.now.lineno}"
            print(f"{by or 'NOTHING':10} {where:44} {slip.kind}: {slip.text}", flush=True)
    print(f"seed {given.seed}: {given.count - survivors} of {given.count} slips noticed")
    sys.exit(survivors > given.count / 20)


if __name__ == "__main__":
    main()
