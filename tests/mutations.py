"""Changes one number of a plain file or of a shortcut at a time, in a copy, and sees whether an equality test fails.

    python tests/mutations.py --seed 0 --count 10

Not changed: what the headline alone has, its sizes and prints, and defaults of settings.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[1]
PAPERS = "src/lemmata/papers"
FILES = {
    "association": ("plain.py", "model/fast/batched_nll.py"),
    "ic_recall": ("plain.py", *(f"model/fast/{name}.py" for name in ("attention", "frozen_memory", "full_attention"))),
    "knowledge": (
        "plain.py",
        *(f"run/fast/{n}.py" for n in ("finetuning_gradient", "sentence_gradient", "token_descent")),
    ),
    "lego": (
        "plain.py",
        "plain_decoder.py",
        "model/fast/four_scores.py",
        "run/fast/population_loss.py",
        "run/fast/one_step_flow.py",
    ),
}
HEADLINE = {
    "main",
    "train",
    "shown",
    "theorem",
    "theorem_world",
    "experiment",
    "theorem_4_2",
    "figures_2_and_3",
    "reach",
}
SIZES = {"N", "T", "D", "BATCH", "STEPS", "ALPHA"}


def numbers(tree: ast.Module) -> Iterator[ast.Constant]:
    """Of everything but the headline; of annotations and keys none."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef) and top.name in HEADLINE:
            continue
        if isinstance(top, ast.Assign) and SIZES & {one.id for one in ast.walk(top) if isinstance(one, ast.Name)}:
            continue
        if isinstance(top, ast.ClassDef):  # defaults of settings, which tests give
            top.body = [one for one in top.body if not isinstance(one, ast.AnnAssign)]
        for one in ast.walk(top):
            if isinstance(one, ast.Constant) and type(one.value) in (int, float):
                yield one


def mutants() -> list[tuple[str, str, int, int, str]]:
    """Paper, file, line, column and the number as it stands."""
    found = []
    for paper, files in FILES.items():
        for name in files:
            text = (TOP / PAPERS / paper / name).read_text()
            for one in numbers(ast.parse(text)):
                said = ast.get_source_segment(text, one) or ""
                place = len(text.splitlines()[one.lineno - 1].encode()[: one.col_offset].decode())
                found.append((paper, name, one.lineno, place, said))
    return sorted(found)


def survives(paper: str, name: str, line: int, column: int, said: str) -> bool:
    other = str(int(said) + 1) if said.isdecimal() else repr(1.5 * float(said) + 0.25 * (float(said) == 0))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(TOP / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        file = source.parent / PAPERS / paper / name
        lines = file.read_text().splitlines(keepends=True)
        before = lines[line - 1]
        lines[line - 1] = before[:column] + other + before[column + len(said) :]
        file.write_text("".join(lines))
        tests = [
            path
            for path in (f"tests/{paper}/test_plain.py", f"tests/{paper}/test_plain_data.py")
            if Path(path).exists()
        ]
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *tests]
        environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        ended = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, timeout=900)
    verdict = "survives" if ended.returncode == 0 else "fails"
    failed = next((one for one in ended.stdout.splitlines() if one.startswith(("FAILED", "ERROR"))), "")
    print(f"{verdict}: {paper}/{name}:{line}: {said} -> {other}: {before.strip()[:90]} | {failed[:110]}", flush=True)
    return ended.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    drawn = random.Random(options.seed).sample(mutants(), options.count)
    sys.exit(sum(survives(*one) for one in drawn) and 1)


if __name__ == "__main__":
    main()
