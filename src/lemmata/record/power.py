"""What a claim's verdict would have refuted: wrong versions of its theory, judged on the stored runs without training.

Mutated are the functions and tables of the paper's `theory` that the verdict calls, and what its file says of the
prediction: one slip each (`slips`). A target that is a number has wrong values. A paper names more of them in its
`claims/_wrong_versions.py`: `WRONG_VERSIONS = {claim: {name: {part: target}}}`.
"""

import ast
import gc
import importlib
import importlib.util
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Literal

import numpy as np

from lemmata.core import Claim, Paper, Runs, Undecided, judge
from lemmata.core.claim import NOTHING, Judgement, Part, attempt
from lemmata.core.condition import Needs
from lemmata.core.evidence import values_of
from lemmata.core.resolution import resolution
from lemmata.core.rng import named_generator, replicated
from lemmata.core.rule import Rule, at_least, at_most, exactly, mean_near, near, slope_near
from lemmata.record.slips import Slip, codes_in, node_of, slips

Outcome = Literal["rejected", "accepted", "weaker"]
About = Literal["formula", "bound", "loose", "other"]
Values = dict[str, tuple[Any, Any]]  # by part: what is predicted, what is measured
Place = tuple[str, Slip, Callable[[Slip], Any]]  # what puts a slip in force
MOST, TRIED = 24, 5  # versions of a claim; slips that are tried for each, as many change nothing of what it reads
SLOW = 0.5  # seconds: of a claim that takes longer to read a quarter of them
SECONDS = 5  # a version that takes longer is rejected: its formula does not end
EQUAL = 1e-9  # relative: less is no change


@dataclass(frozen=True)
class Version:
    """A wrong version of a claim's theory, and what the verdict said of it."""

    kind: str
    place: str
    text: str
    outcome: Outcome


@dataclass(frozen=True)
class Power:
    """Of one claim. `about`: a formula, a bound that the paper states (loose: three times what is needed), or other."""

    claim: str
    about: About
    versions: tuple[Version, ...]

    def count(self, outcome: Outcome) -> int:
        return sum(one.outcome == outcome for one in self.versions)


@dataclass(frozen=True)
class Trial:
    """A claim that is judged again and again. What was accepted of it: the printed form, or the corrected one."""

    claim: Claim
    base: Judgement
    runs: Runs
    needs: Needs

    @property
    def parts(self) -> Mapping[str, Part]:
        return self.claim.named_parts()

    def target(self, name: str) -> Any:
        part = self.parts[name]
        return part.corrected if self.base.status == "erratum" and part.corrected is not NOTHING else part.rule.target

    def predicted(self, name: str) -> Any:
        return attempt(replace(self.parts[name].rule, target=self.target(name)).expected, self.runs.watched(self.needs))

    def read(self) -> Values:
        subject = self.claim.subject(self.runs.watched(self.needs))
        return {name: (self.predicted(name), attempt(part.read, subject)) for name, part in self.parts.items()}


def power_of(claim: Claim, runs: Runs, paper: Paper, needs: Needs | None = None) -> Power | None:
    """Of a claim that holds, or whose corrected form does; None of another."""
    base = judge(claim, runs, needs)
    if base.status not in ("holds", "erratum"):
        return None
    trial, begun = Trial(claim, base, runs, needs or {}), time.perf_counter()
    with replicated(runs.replication):
        before = trial.read()
        most = MOST if time.perf_counter() - begun < SLOW else MOST // 4
        found = [*_of_targets(paper, trial, before)]
        for place, slip, in_force in _shuffled(claim, _places(paper, trial)):
            if len(found) >= most:
                break
            with suppress(SyntaxError, _Unfit), in_force(slip):
                if outcome := _outcome(trial, before):
                    found.append(Version(slip.kind, place, slip.text, outcome))
    rules = [part.rule for part in claim.named_parts().values() if part.carries]
    about: About = "formula" if any(map(_is_equality, rules)) else "other"
    if any(map(_is_bound, rules)):
        about = "loose" if any(one.is_loose for one in map(resolution, base.evidence) if one) else "bound"
    return Power(claim.id, about, tuple(found))


def _is_bound(rule: Rule) -> bool:
    return isinstance(rule, at_most | at_least) and bool(rule.paper)


def _is_equality(rule: Rule) -> bool:
    return isinstance(rule, near | mean_near | exactly | slope_near)


def _outcome(trial: Trial, before: Values) -> Outcome | None:
    """What the verdict says of the version that is in force; None where nothing that the claim reads has changed."""
    try:
        with _limit(), np.errstate(all="ignore"):
            return compared(trial.parts, before, trial.read())
    except Exception:  # a formula that cannot be computed is seen by everybody
        return "rejected"


def compared(parts: Mapping[str, Part], before: Values, after: Values) -> Outcome | None:
    """The same of what is predicted and measured under the right theory and under a wrong one."""
    changed = [name for name in parts if not _same(before[name], after[name])]
    for name in changed:
        expected, measured = after[name]
        broken = isinstance(expected, Undecided) or isinstance(measured, Undecided) or not _equal(expected, expected)
        if broken or parts[name].rule(expected, measured).status == "fails":
            return "rejected"
    weaker = all(_is_weaker(parts[name].rule, before[name], after[name]) for name in changed)
    return ("weaker" if weaker else "accepted") if changed else None


def _same(before: tuple[Any, Any], after: tuple[Any, Any]) -> bool:
    """Whether nothing is said otherwise; a unit in which both are read may be another."""
    if _equal(before[0], after[0]):
        return _equal(before[1], after[1])
    with suppress(TypeError, ValueError):
        (old, found), (new, anew) = ([np.asarray(values_of(x), float) for x in pair] for pair in (before, after))
        return _equal(new * found, old * anew) and not _equal(found, anew)
    return False


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return all(map(_equal, one, other))
    one, other = values_of(one), values_of(other)
    with suppress(TypeError, ValueError):
        return bool(np.allclose(np.asarray(one, float), np.asarray(other, float), EQUAL, 0))
    return bool(np.all(one == other))


def _is_weaker(rule: Rule, before: tuple[Any, Any], after: tuple[Any, Any]) -> bool:
    """Whether a bound asks for no more than it did, wherever it is asked: then a true statement cannot be rejected."""
    if not isinstance(rule, at_most | at_least):
        return False
    room = [np.asarray(values_of(expected), float) - values_of(measured) for expected, measured in (before, after)]
    return bool(np.all(room[1] >= room[0] if isinstance(rule, at_most) else room[1] <= room[0]))


def _of_targets(paper: Paper, trial: Trial, before: Values) -> Iterator[Version]:
    """Versions that the paper's own file names; wrong values of targets that are numbers, thresholds of ours aside."""
    wrong: list[tuple[str, str, Mapping[str, Any]]] = []
    if importlib.util.find_spec(f"{paper.package}.claims._wrong_versions") is not None:
        module = importlib.import_module(f"{paper.package}.claims._wrong_versions")
        named = module.WRONG_VERSIONS.get(trial.claim.id.partition("/")[2], {})
        wrong += [("by name", name, targets) for name, targets in named.items()]
    for name, part in trial.parts.items():
        value = trial.target(name)
        if callable(value) or isinstance(value, bool) or not (_is_equality(part.rule) or _is_bound(part.rule)):
            continue
        with suppress(TypeError, ValueError):
            number = np.asarray(value, float)
            scaled = {"factor 2": 2 * number, "a half": number / 2, "sign": -number}
            moved = {"off by one": number + 1, "one less": number - 1}
            others = moved if isinstance(part.rule, slope_near | exactly) else scaled if np.any(number) else {}
            wrong += [(kind, name, {name: other}) for kind, other in others.items()]
    for kind, text, targets in wrong:
        values = {name: t(trial.runs.watched(trial.needs)) if callable(t) else t for name, t in targets.items()}
        after = before | {name: (value, before[name][1]) for name, value in values.items()}
        if outcome := compared(trial.parts, before, after):
            yield Version(kind, "target", text, outcome)


def _shuffled(claim: Claim, places: Iterator[Place]) -> list[Place]:
    every = list(places)
    order = named_generator(0, "power", claim.id).permutation(len(every))
    return [every[i] for i in order[: TRIED * MOST]]


def _places(paper: Paper, trial: Trial) -> Iterator[Place]:
    """Every slip of what the verdict calls."""
    of_targets = _called(lambda: [trial.predicted(name) for name in trial.parts])
    reached = [one for one in _called(trial.read) if paper.folder / "theory" in Path(one.co_filename).parents]
    reached += [one for one in of_targets if paper.folder / "claims" in Path(one.co_filename).parents]
    live = _functions(paper)
    for code in dict.fromkeys(reached):
        if code in live and (node := node_of(code, _tree(code.co_filename))):
            for slip in slips(node):
                yield _place(code), slip, lambda slip, code=code: _with_code(live[code], slip, code)
    names = {name for one in reached for code in codes_in(one) for name in code.co_names}
    for module in [one for id, one in sys.modules.items() if id.startswith(f"{paper.package}.theory.")]:
        for name, whole in _tables(module):
            for slip in slips(whole) if name in names else ():
                change = lambda slip, m=module, n=name, w=whole: _with_table(paper, m, n, slip, w)  # noqa: E731
                yield f"{module.__name__.rpartition('.')[2]}.{name}", slip, change


def _place(code: CodeType) -> str:
    return f"{Path(code.co_filename).stem}.{code.co_name}"


def _tables(module: ModuleType) -> Iterator[tuple[str, ast.Expression]]:
    """What a module's names stand for, as it is written."""
    for one in _tree(str(module.__file__)).body:
        match one:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                yield name, ast.Expression(value)


@contextmanager
def _with_code(function: FunctionType, slip: Slip, code: CodeType) -> Iterator[None]:
    tree = _tree(code.co_filename)
    every = codes_in(compile(tree, code.co_filename, "exec", dont_inherit=True))
    changed = codes_in(slip.compiled(tree, code.co_filename))
    new = changed[every.index(code)] if len(changed) == len(every) and code in every else None
    if new is None or new.co_freevars != code.co_freevars:
        raise _Unfit
    try:
        function.__code__ = new
        _forget()
        yield
    finally:
        function.__code__ = code
        _forget()


@contextmanager
def _with_table(paper: Paper, module: ModuleType, name: str, slip: Slip, whole: ast.Expression) -> Iterator[None]:
    old = getattr(module, name)
    try:
        new = eval(slip.compiled(whole, str(module.__file__)), vars(module))
    except Exception:
        raise _Unfit from None
    inside = [one for id, one in list(sys.modules.items()) if id.startswith(paper.package)]
    holding = [one for one in inside if vars(one).get(name) is old]
    try:
        for one in holding:
            setattr(one, name, new)
        _forget()
        yield
    finally:
        for one in holding:
            setattr(one, name, old)
        _forget()


class _Unfit(Exception):
    """A slip that leaves nothing to put in the old one's place."""


@cache
def _tree(filename: str) -> ast.Module:
    return ast.parse(Path(filename).read_text())


@cache
def _functions(paper: Paper) -> dict[CodeType, FunctionType]:
    """The paper's functions, by their code."""
    every = (one for one in gc.get_objects() if isinstance(one, FunctionType))
    return {one.__code__: one for one in every if one.__code__.co_filename.startswith(str(paper.folder))}


def _forget() -> None:
    """What cached functions of a theory remember was computed by other code."""
    for one in _cached():
        one.cache_clear()


@cache
def _cached() -> list[Any]:
    every = (one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper))
    return [one for one in every if ".theory." in f"{one.__module__}."]


def _called(function: Callable[[], Any]) -> list[CodeType]:
    """The code of every Python function that a call enters, each once."""
    found: dict[CodeType, None] = {}
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: found.setdefault(frame.f_code) if event == "call" else None)
    try:
        function()
    finally:
        sys.setprofile(before)
    return list(found)


@contextmanager
def _limit() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
