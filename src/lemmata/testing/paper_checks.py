"""The checks that every paper must pass, for anyone's paper: `check_paper(PAPER)` in a test of its package."""

import ast
import dataclasses
import importlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lemmata.core import Paper, Sample, Scale, Undecided, UserError, exactly, mean_near
from lemmata.core.claim import Judgement
from lemmata.core.config import canonical, decode, encode
from lemmata.core.registry import experiments, exported_by, papers, run_types, select
from lemmata.core.scale import SCALES
from lemmata.record import LEDGER, ExperimentResult, NotRun, coverage, current_rule, findings, ledger, replies
from lemmata.run import Store, apart, evaluate
from lemmata.testing.controls import control_problem
from lemmata.testing.settings import setting_problems
from lemmata.testing.words import tex_problems

ROOMS = {  # room of a paper -> rooms of the same paper it may import
    "theory": set(),
    "task": set(),
    "model": {"task"},
    "probe": {"task", "model"},
    "proof": {"theory"},
    "run": {"task", "model", "probe", "theory", "proof"},
    "claims": {"task", "model", "probe", "run", "theory"},
}
ENGINE = {  # room of a paper -> what it may import of the engine
    "theory": {"core"},
    "task": {"core", "models", "lm"},
    "model": {"core", "models", "train"},
    "probe": {"core", "models", "train", "lm"},
    "proof": {"core", "proofs"},
    "run": {"core", "models", "train", "lm", "proofs"},
    "claims": {"core", "models", "train", "lm", "proofs", "report.plots"},
}
PLACES = "Theorem|Theorems|Lemma|Lemmas|Corollary|Proposition|Section|Sections|Appendix|Figure|Table|Assumption"
MEASURED = re.compile(rf"\b(?:{PLACES}) [\w.]+|(?<![\w.-])(\d+\.\d+)")  # a number, not a place of the paper


def check_paper(paper: Paper, store: Path | str | None = None) -> list[NotRun]:
    """Raise an AssertionError that lists everything wrong with a paper, at smoke scale.

    Experiments that cannot be run on this machine are checked as far as that goes, and returned.
    """
    if paper.id not in papers():
        raise UserError(f"paper {paper.id!r} is not among the papers: install its package (it needs an entry point)")
    problems = list(package_problems(papers()[paper.id]))
    with tempfile.TemporaryDirectory() as folder:
        kept = Store(Path(store or folder))
        can, cannot = apart(select([paper.id]), Scale("smoke"), kept)
        for selection in can:
            problems += experiment_problems(selection.experiment.id, kept)
    assert not problems, "\n".join(problems)
    return cannot


def package_problems(paper: Paper) -> Iterator[str]:
    """What is wrong with a paper before anything is run: walls, configs, kinds, glossary."""
    yield from wall_problems(paper)
    yield from glossary_problems(paper)
    yield from randomness_problems(paper)
    yield from ledger_problems(paper)
    yield from coverage_problems(paper)
    yield from findings_problems(paper)
    types = run_types(paper)
    for kind in types:
        if kind.split("/")[0] != paper.id:
            yield f"kind {kind!r}: a run's kind begins with its paper's id, {paper.id!r}"
    names = [one.id.partition("/")[2] for one in experiments(paper.id).values()]
    for name in paper.order:
        if name not in names:
            yield f"PAPER.order names {name!r}, and no file of claims/ does"
    claim_names: set[str] = {
        claim.id.partition("/")[2] for experiment in experiments(paper.id).values() for claim in experiment.claims
    }
    for one in replies(paper):
        if one.claim not in claim_names:
            yield f"a reply of {one.by} is to {one.claim!r}, which is no claim of the paper"
    for name in sorted(set(paper.headlines) - claim_names):
        yield f"PAPER.headlines names {name!r}, which is no claim of the paper"
    for experiment in experiments(paper.id).values():
        for scale in SCALES:
            for name, config in experiment.runs(Scale(scale)).items():
                if types.get(config.kind) is not type(config):
                    yield f"{experiment.id}: the class of run {name!r} is not in the paper's run folder"
                elif canonical(decode(type(config), encode(config))) != canonical(config):
                    yield f"{experiment.id}: run {name!r} at scale {scale} does not survive JSON"
        yield from tex_problems(experiment)
        for claim in experiment.claims:
            if not (claim.statement and claim.locus):
                yield f"{claim.id}: it says neither what the paper claims nor where"
            if not any(part.carries for part in claim.named_parts().values()):
                yield f"{claim.id}: none of its parts carries it"
            yield from setting_problems(experiment, claim)
            if problem := control_problem(claim):
                yield f"{claim.id}: {problem}"
            if claim.correction and not _is_slip(claim.correction.root, paper):
                yield f"{claim.id}: the root of its correction, {claim.correction.root!r}, is no slip of the paper"
            for one in sorted(set(claim.uses) - claim_names):
                yield f"{claim.id}: it rests on {one!r}, which is no claim of the paper"
            if isinstance(claim.remark, str) and (numbers := list(filter(None, MEASURED.findall(claim.remark)))):
                yield f"{claim.id}: its remark quotes {', '.join(numbers)}; a remark that quotes numbers computes them"


def experiment_problems(experiment_id: str, store: Store) -> list[str]:
    """What is wrong with an experiment when it is run, judged and drawn at smoke scale."""
    (result,) = evaluate(select([experiment_id]), Scale("smoke"), store)
    return [*_judged(result), *_drawn(result)]


def _judged(result: ExperimentResult) -> Iterator[str]:
    for name, reason in result.runs.failed.items():
        yield f"{result.experiment.id}: run {name!r} could not be computed: {reason}"
    if not result.judgements:
        yield f"{result.experiment.id} has no claims"
    for judgement in result.judgements:
        id, status = judgement.claim.id, judgement.status
        yield from _seeds_said(judgement)
        yield from _axes_named(judgement)
        if status == "undecided" and not judgement.detail:
            yield f"{id}: undecided without a reason"
        if status != "undecided" and judgement.control_status != "fails":
            yield f"{id}: its control passed the check"
        if status == "fails" and not judgement.remark:
            yield f"{id} fails ({judgement.detail}) and no reason is given"


def _seeds_said(judgement: Judgement) -> Iterator[str]:
    """A rule's words say that it decides by an interval over seeds where, and only where, the reading gives one."""
    parts = judgement.claim.named_parts()
    measured = judgement.measured if set(parts) != {""} else {"": judgement.measured}
    for name, part in parts.items() if isinstance(measured, Mapping) else ():
        value = measured[name]
        if isinstance(value, Undecided) or isinstance(part.rule, mean_near | exactly):  # these take seeds as they are
            continue
        given = isinstance(value[1] if isinstance(value, tuple) and len(value) == 2 else value, Sample)
        if given != part.rule.over_seeds:
            says, gives = ("says", "gives no") if part.rule.over_seeds else ("does not say", "gives")
            yield f"{judgement.claim.id} {name}: its rule {says} over_seeds, its reading {gives} Seeds or Successes"


def _axes_named(judgement: Judgement) -> Iterator[str]:
    """Axes that a part names must be those of what it reads: numbers under wrong labels are worse than none."""
    for one in judgement.evidence:
        shape = one.shape()
        lengths = tuple(len(values) for values in one.along.values() if not isinstance(values, Undecided))
        if one.along and shape is not None and lengths != shape:
            axes = f"axes {list(one.along)} have lengths {lengths}"
            yield f"{judgement.claim.id} {one.part}: its {axes}, and what it reads is {shape}"


def _drawn(result: ExperimentResult) -> Iterator[str]:
    artefact = result.draw()
    if any(not view.title for view in result.experiment.live.views(result.runs)):
        yield f"{result.experiment.id}: a view has no title"
    if not artefact.caption:
        yield f"{result.experiment.id}: its drawing has no caption"
    lengths = {len(column) for column in artefact.table.values()}
    if len(lengths) > 1 or (artefact.figure and not lengths):
        yield f"{result.experiment.id}: the columns of its table have lengths {sorted(lengths)}"


def imported_modules(path: Path) -> set[str]:
    """Dotted names that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def wall_problems(paper: Paper) -> Iterator[str]:
    """What a paper's files may not import: theory stands on core alone, nothing crosses from paper to paper."""
    for path in sorted(paper.folder.rglob("*.py")):
        inside = path.relative_to(paper.folder)
        for module in sorted(imported_modules(path)):
            if problem := breach(paper.package, inside.parts[0] if len(inside.parts) > 1 else "", module):
                yield f"{paper.id}/{inside}: {problem}"


def breach(package: str, room: str, module: str) -> str | None:
    """Why a file of this room (or of the paper's root, "") may not import a module; None if it may."""
    if module.startswith("."):
        return f"relative imports hide directions: {module}"
    if module.startswith(f"{package}."):
        target = module.removeprefix(f"{package}.").split(".")[0]
        if target in ROOMS and target not in {room, *ROOMS.get(room, set())}:
            return f"{room or 'the root'} may not import {module}"
        return None
    top, *rest = module.split(".")
    if top == "lemmata" and rest:
        allowed = ENGINE.get(room, {"core", "record"})
        if rest[0] == "papers":
            return f"imports another paper: {module}"
        if rest[0] not in allowed and ".".join(rest[:2]) not in allowed:
            return f"{room or 'the root'} may not import {module}"
    return None


def ledger_problems(paper: Paper) -> Iterator[str]:
    """Claims that were changed, or added, in silence. A paper that keeps no ledger has nothing to compare."""
    if not (paper.folder / LEDGER).is_file():
        return
    last = {line.claim: line for line in ledger(paper)}
    for experiment in experiments(paper.id).values():
        for claim in experiment.claims:
            line, cure = last.get(claim.id), f'`lemmata ledger {claim.id} --write --why "..." --seen "..."`'
            if line is None:
                yield f"{claim.id} is not in the ledger: {cure} adds it"
            elif current_rule(experiment, claim).line is None:
                what = "statement, parts, runs or code"
                yield f"{claim.id}: its {what} are not those of its ledger's line of {line.date[:10]}: {cure} adds one"


def coverage_problems(paper: Paper) -> Iterator[str]:
    """Where the paper lists its statements: claims not there, claims not named, statements unexplained."""
    stated = coverage(paper)
    if stated is None:
        return
    claims = {claim.id.partition("/")[2] for one in experiments(paper.id).values() for claim in one.claims}
    named = {name for one in stated for name in one.claims}
    for name in sorted(named - claims):
        yield f"{paper.id}/coverage.py names {name!r}, and no claim has that id"
    for name in sorted(claims - named):
        yield f"{paper.id}/coverage.py names no statement that {name!r} judges"
    for one in stated:
        if not one.claims and not one.why:
            yield f"{paper.id}/coverage.py: {one.place} has no claim and no reason why"


def findings_problems(paper: Paper) -> Iterator[str]:
    """Findings that rest on claims, or are shown by experiments, that are not there, or whose numbers are typed."""
    claims = {claim.id: one.id for one in experiments(paper.id).values() for claim in one.claims}
    for place, finding in enumerate(findings(paper), 1):
        where = f"{paper.id}/findings.py, finding {place}"
        for name in finding.rests_on:
            if f"{paper.id}/{name}" not in claims:
                yield f"{where} rests on {name!r}, and no claim has that id"
        if f"{paper.id}/{finding.shown_by}" not in claims.values():
            yield f"{where} is shown by {finding.shown_by!r}, and no file of claims/ does"
        if typed := list(filter(None, MEASURED.findall(finding.text))):
            yield f"{where} quotes {', '.join(typed)}; a finding reads its numbers from verdicts"


def _is_slip(root: str, paper: Paper) -> bool:
    """Whether a correction's root is none, or a claim that is corrected itself and follows from no other."""
    claims = {claim.id: claim.correction for one in experiments(paper.id).values() for claim in one.claims}
    correction = claims.get(f"{paper.id}/{root}")
    return not root or (correction is not None and not correction.root)


RAW = {"key", "PRNGKey", "default_rng", "RandomState", "Random", "SeedSequence"}  # of jax.random, np.random, random


def randomness_problems(paper: Paper) -> Iterator[str]:
    """Randomness that another replication would not reach: drawn without a name, or remembered between calls. A plain
    file imports nothing of lemmata, and no run reads it."""
    for path in sorted(paper.folder.rglob("*.py")):
        if path.parent == paper.folder and path.stem.startswith("plain"):
            continue
        for line, problem in unnamed_randomness(path.read_text()):
            yield f"{paper.id}/{path.relative_to(paper.folder)}:{line}: {problem}"


def unnamed_randomness(source: str) -> Iterator[tuple[int, str]]:
    """Lines of a file whose randomness is not by name, or is called by name where a cache would keep it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (made := ast.unparse(node.func)).split(".")[-1] in RAW and "random" in made:
            yield node.lineno, f"{made}(...): take named_key, named_keys or named_generator"
        if isinstance(node, ast.FunctionDef) and any("cache" in ast.unparse(one) for one in node.decorator_list):
            called = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            for name in sorted(name for name in called if name.startswith("named_")):
                yield node.lineno, f"{node.name} is cached and calls {name}: it would remember another replication's"


def glossary_problems(paper: Paper) -> Iterator[str]:
    """Places a paper's glossary names, in backticks, that are not there."""
    glossary: dict[str, str] = exported_by(paper, "glossary", {})
    for symbol, meaning in glossary.items():
        for place in re.findall(r"`(\w+(?:\.\w+)+)`", meaning):
            if not (_found(paper.package, place) or _found("lemmata", place)):
                yield f"{paper.id}/glossary.py: {symbol!r} points at `{place}`, which is not there"


def _found(package: str, place: str) -> bool:
    parts = place.split(".")
    here: Any = importlib.import_module(package)
    for done, part in enumerate(parts, start=1):
        if dataclasses.is_dataclass(here) and part in {field.name for field in dataclasses.fields(here)}:
            return done == len(parts)
        if not hasattr(here, part):
            try:
                importlib.import_module(".".join([package, *parts[:done]]))
            except ModuleNotFoundError:
                return False
        here = getattr(here, part)
    return True
