"""The digest of a claim's code moves with whatever decides a verdict, and with nothing else."""

import ast
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lemmata
from lemmata.core import Claim, Experiment
from lemmata.core.registry import experiments, papers, select
from lemmata.core.rule import RULES_VERSION
from lemmata.record.code_digest import LiveCode, code_digest, definition_in
from lemmata.record.code_form import CodeForm, Place, short

PACKAGE = Path(lemmata.__file__).parent
OURS = [id for id, paper in papers().items() if paper.package.startswith("lemmata.")]

RULES = ("rule", "sample", "judge", "condition", "verdict")
RULES_CODE = {1: "becf99030e9a09e82fe7"}  # by version


def test_another_judging_is_another_version_of_the_rules() -> None:
    """Where this fails, `RULES_VERSION` is raised, or the hash is written here anew because no verdict can move."""
    texts = []
    for name in RULES:
        module = f"lemmata.core.{name}"
        code = CodeForm(module, PACKAGE / "core" / f"{name}.py")
        source = code.source(module)
        assert source
        texts.append([code.digest(Place(module, bound)) for bound in sorted(source.bound)])
    assert RULES_CODE[RULES_VERSION] == short(texts)


def drawn() -> list[tuple[Experiment, Claim]]:
    """Five claims a paper."""
    stream = random.Random(31)
    every = {id: [(one, claim) for one in experiments(id).values() for claim in one.claims] for id in OURS}
    return [pair for id in OURS for pair in stream.sample(every[id], 5)]


def changes(nodes: Any, stream: random.Random) -> Iterator[Callable[[], Callable[[], None]]]:
    """Ways to change one small thing of a piece of code, each with its way back."""
    found = [one for node in nodes for one in ast.walk(node)]
    stream.shuffle(found)
    for node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield lambda node=node: _set(node, "value", node.value * 0.1 + 1)
        elif isinstance(node, ast.Attribute):
            yield lambda node=node: _set(node, "attr", f"{node.attr}_of_another")
        elif isinstance(node, ast.Compare):
            yield lambda node=node: _set(node, "ops", [ast.NotIn() for _ in node.ops])
        elif isinstance(node, ast.BinOp):
            yield lambda node=node: _set(node, "op", ast.MatMult())
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield lambda node=node: _set(node, "value", f"{node.value} of another")


def _set(node: ast.AST, name: str, value: Any) -> Callable[[], None]:
    before = getattr(node, name)
    setattr(node, name, value)
    return lambda: setattr(node, name, before)


def code_of(code: LiveCode, function: Any) -> list[ast.AST]:
    """The body of a function of the paper; nothing where it is another's."""
    source = code.source(function.__module__) if hasattr(function, "__code__") else None
    node = source and definition_in(source.tree, function.__code__)
    return [] if node is None else node.body if isinstance(node.body, list) else [node.body]


@pytest.mark.parametrize(("experiment", "claim"), drawn(), ids=lambda one: getattr(one, "id", ""))
def test_every_piece_of_a_claims_code_moves_its_digest(experiment: Experiment, claim: Claim) -> None:
    paper, stream = papers()[experiment.id.split("/")[0]], random.Random(claim.id)
    code = LiveCode(paper.package, paper.folder)
    first = code_digest(experiment, claim, code=code)

    def digest() -> str:
        anew = LiveCode(paper.package, paper.folder)
        anew.sources = code.sources  # read once; what is remembered of them is not
        return code_digest(experiment, claim, code=anew)

    assert digest() == first == code_digest(experiment, claim), "whichever claims were read before"
    pieces = {"subject": code_of(code, claim.subject), "control": code_of(code, claim.wrong)}
    parts = [*claim.named_parts().items()]
    for name, part in stream.sample(parts, min(len(parts), 2)):
        pieces |= {f"reading {name}": code_of(code, part.read), f"target {name}": code_of(code, part.rule.target)}
    constants = [
        statement.value
        for place in code.known
        for statement in code.definition(place)
        if isinstance(statement, ast.Assign)
    ]
    pieces["constant"] = stream.sample(constants, min(len(constants), 1))
    for needs in (claim.needs, experiment.needs):
        for name, given in needs.items():
            for one in given if isinstance(given, tuple) else (given,):
                pieces[f"condition on {name}"] = code_of(code, one.why)
    for name, piece in pieces.items():
        for change in itertools.islice(changes(piece, stream), 1):
            back = change()
            moved = digest()
            back()
            assert moved != first, name
    other = [replace(claim, subject=claim.wrong), replace(claim, wrong=claim.subject)]
    for name, part in claim.named_parts().items():
        rest = dict(claim.named_parts())
        other += [replace(claim, parts=rest | {name: replace(part, read=max)})]
        other += [replace(claim, parts=rest | {name: replace(part, carries=not part.carries)})]
    other += [replace(claim, needs={})] if claim.needs else []
    assert all(code_digest(experiment, one, code=code) != first for one in other)
    assert not experiment.needs or code_digest(replace(experiment, needs={}), claim, code=code) != first
    assert digest() == first


SCRIPT = """
import json, sys
from pathlib import Path
from lemmata.core import registry
from lemmata.record import code_digest
from reformatted import reformat

def digests(*ids):
    for module in [one for one in sys.modules if one.startswith("lemmata.papers.")]:
        del sys.modules[module]
    for cached in (registry.papers, registry.experiment, registry.experiments, code_digest._code_of):
        cached.cache_clear()
    return {
        claim.id: code_digest.code_digest(one.experiment, claim) for one in registry.select(ids) for claim in one.claims
    }

found = {}
for name, (path, before, after) in json.loads(sys.argv[1]).items():
    path = Path(path)
    text = path.read_text()
    assert before in text, name
    path.write_text(text.replace(before, after))
    found[name] = digests("association/fig-3")["association/fig-3"]
    path.write_text(text)
reformat(path.parents[2])
found["reformatted"] = digests(*sys.argv[2:])
print(json.dumps(found))
"""

PROBE, FIG_3 = "association/probe/readings.py", "association/claims/fig_3.py"
EDITS = {  # what a review changed on a copy, when no digest moved
    "nothing": (FIG_3, "import numpy as np", "import numpy as np"),
    "window": (FIG_3, "LAST = 0.5", "LAST = 0.05"),
    "control": (FIG_3, 'Edited(runs["fine-tuned"], phase=0)', 'Edited(runs["fine-tuned"], phase=1)'),
    "need": (FIG_3, 'needs={"main": learned_the_context}', "needs={}"),
    "reading": (PROBE, "1) :].mean(axis=1)", "1) :].max(axis=1)"),
}


def test_a_rule_changed_in_its_file_is_noticed_and_one_that_is_formatted_is_not(tmp_path: Path) -> None:
    """In another folder: fig-3 under each edit, then the drawn claims with the papers' files written anew."""
    shutil.copytree(PACKAGE, tmp_path / "lemmata", ignore=shutil.ignore_patterns("__pycache__"))
    edits = {name: (str(tmp_path / "lemmata" / "papers" / path), *rest) for name, (path, *rest) in EDITS.items()}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])}
    requested = list(dict.fromkeys(experiment.id for experiment, _ in drawn()))
    script = [sys.executable, "-c", SCRIPT, json.dumps(edits), *requested]
    done = subprocess.run(script, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    ours = {claim.id: code_digest(one.experiment, claim) for one in select(OURS) for claim in one.claims}
    assert (again := found.pop("reformatted")) == {id: ours[id] for id in again}
    assert len(again) >= 20
    assert found.pop("nothing") == ours["association/fig-3"]
    assert len({*found.values(), ours["association/fig-3"]}) == len(EDITS)


def small(folder: Path, **files: str) -> CodeForm:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "__init__.py").touch()
    return CodeForm("small", folder)


HELPER = "SIZE = 3\n\ndef inner(x: int) -> int:\n    y = x * SIZE\n    return y\n"


def test_moving_and_renaming_what_is_reached_do_not_count(tmp_path: Path) -> None:
    def digest(name: str, **files: str) -> str:
        (tmp_path / name).mkdir()
        return small(tmp_path / name, **files).digest(Place("small.a", "read"))

    first = digest("one", a=HELPER + "def read(run):\n    return inner(x=run.steps)\n")
    assert first == digest(
        "two", b=HELPER, a="from small.b import inner\ndef read(run):\n    return inner(x=run.steps)\n"
    )
    renamed = HELPER.replace("inner(x", "other(z").replace("x *", "z *").replace("SIZE", "WIDTH")
    assert first == digest("three", b=renamed, a="from small import b\ndef read(r):\n    return b.other(z=r.steps)\n")
    for number, (before, after) in enumerate({"3": "4", "x * SIZE": "x + SIZE", "return y": "return x"}.items()):
        changed = HELPER.replace(before, after)
        assert first != digest(f"{number}", a=changed + "def read(run):\n    return inner(x=run.steps)\n")


def test_cycles_end_and_loops_branches_and_methods_are_followed(tmp_path: Path) -> None:
    text = (
        "A = 1\nB = 2\nC = 3\nTABLE = {}\nTABLE['x'] = 4\n"
        "def even(n):\n    return n == 0 or odd(n - A)\n"
        "def odd(n):\n    return n != 0 and even(n - 1)\n"
        "class Reading:\n    def value(self, default=C):\n        for i in range(3):\n            if i > 5:\n"
        "                return B\n        return default + TABLE['x']\n"
        "def read(run):\n    return even(2), Reading().value()\n"
    )

    def digest(name: str, text: str) -> str:
        (tmp_path / name).mkdir()
        return small(tmp_path / name, a=text).digest(Place("small.a", "read"))

    first = digest("one", text)
    both = CodeForm("small", tmp_path / "one"), CodeForm("small", tmp_path / "one")
    assert [both[0].digest(Place("small.a", name)) for name in ("even", "odd", "read")] == [
        both[1].digest(Place("small.a", name)) for name in ("read", "odd", "even")
    ][::-1], "in any order"
    changes = {"A = 1": "A = 2", "B = 2": "B = 3", "C = 3": "C = 4", "['x'] = 4": "['x'] = 5", "n != 0": "n > 0"}
    found = {digest(str(number), text.replace(*change)) for number, change in enumerate(changes.items())}
    assert len({first, *found}) == 1 + len(changes)


def test_every_python_says_the_same(tmp_path: Path) -> None:
    """What is new in a Python's syntax trees is no part of the form."""
    text = "def f(x, /, *, k=1):\n    return f'{x!r:>{k}} {{and}} {x=}', [y for y in x if y], f'a' 'b' f'{k}'\n"
    (tmp_path / "small").mkdir()
    assert small(tmp_path / "small", a=text).digest(Place("small.a", "f")) == "01d59ea6ec688c7b791d"
