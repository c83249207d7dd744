"""Changes of assumptions to try: each field of each run of each experiment, and random ones of several fields."""

import io
import json
import random
import re
import typing
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import jax
from rich.console import Console, RenderableType

from lemmata.core import Experiment, RunConfig, Scale, UserError
from lemmata.core.config import described, fields, override
from lemmata.core.registry import experiments, papers, select
from lemmata.record.record_of import record_of
from lemmata.report.show import claim_panel
from lemmata.report.verdicts import Verdicts
from lemmata.run import Store, change as changes_of, evaluate

Case = tuple[str, dict[str, str]]  # an experiment's id, and what is set
SMOKE = Scale("smoke")


def other_values(annotation: Any, value: Any) -> Iterator[str]:
    """Values of a field's type that differ from the one it holds, cheap ones first."""
    arguments = typing.get_args(annotation)
    if isinstance(value, bool):
        yield str(not value).lower()
    elif isinstance(value, int):
        yield from (str(value // 2), str(value + 1), str(value + 2), "1")
    elif isinstance(value, float):
        yield from (repr(value / 2), repr(value * 1.5))
    elif isinstance(value, str):
        yield from (str(other) for other in arguments if other != value)
        yield from ("C3", "S3", "x")
    elif isinstance(value, list) and value:
        if len(value) > 1:
            yield ",".join(map(str, value[:-1])) if not isinstance(value[0], dict | list) else "[]"
        yield from (other for other in other_values(arguments[0] if arguments else Any, value[0]))
    elif value is None:
        yield from ("1", "2")
    else:
        yield "1"


def holder(config: Any, key: str) -> Any:
    for name in key.split(".")[:-1]:
        config = getattr(config, name)
    return type(config)


def change(config: RunConfig, key: str, value: Any) -> str:
    """Another value for a field: the first that the config accepts, else one that it refuses."""
    candidates = list(other_values(fields(holder(config, key))[key.split(".")[-1]], value))
    for text in candidates:
        try:
            if override(config, {key: text}) != config:
                return text
        except UserError:
            continue
    return candidates[0]


@cache
def cases() -> list[Case]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for paper in papers():
        for experiment in experiments(paper).values():
            for config in experiment.runs(Scale("smoke")).values():
                for key, _, value in described(config):
                    if (experiment.id, key) not in found:
                        found[experiment.id, key] = {key: change(config, key, value)}
    return [(experiment_id, changes) for (experiment_id, _), changes in found.items()]


def name(case: Case) -> str:
    return f"{case[0]} {' '.join(f'{key}={value}' for key, value in case[1].items())}"


def not_a_number(text: str) -> list[str]:
    return re.findall(r"(?<![\w/\"])(?:-?Infinity|NaN|-?inf|nan)(?![\w/])", text)


def near_values(annotation: Any, value: Any, draw: random.Random) -> str:
    """A random value of a field's kind, not far from the one it holds: at smoke scale any of them is cheap."""
    if isinstance(value, float):
        return repr(value * draw.choice((0.1, 0.3, 0.7, 0.95, 1.05, 1.3, 2.0, 10.0)))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(draw.choice((value // 3, value // 2, value - 1, value + 1, value + value // 2, 2 * value)))
    if isinstance(value, list) and value and not isinstance(value[0], dict | list):
        inner = (typing.get_args(annotation) or (Any,))[0]
        kept = draw.sample(value, draw.randint(1, len(value)))
        changed = [near_values(inner, one, draw) if draw.random() < 0.5 else str(one) for one in kept]
        return ",".join(changed)
    return draw.choice([*other_values(annotation, value), str(value)])


def random_case(number: int) -> Case:
    """One to three fields of a random experiment, set to values that its runs accept. Seeded by name."""
    draw = random.Random(f"random change {number}")
    while True:
        experiment = draw.choice([one for one in experiments(draw.choice(sorted(papers()))).values() if not one.extra])
        config = draw.choice(list(experiment.runs(SMOKE).values()))
        places = draw.sample(keys := described(config), draw.randint(1, min(3, len(keys))))
        kinds = {key: fields(holder(config, key))[key.split(".")[-1]] for key, _, _ in places}
        changes = {key: near_values(kinds[key], value, draw) for key, _, value in places}
        if is_valid(experiment, changes):
            return experiment.id, changes


def is_valid(experiment: Experiment, changes: dict[str, str]) -> bool:
    try:
        changes_of(experiment, SMOKE, changes)
    except UserError:
        return False
    return True


def ends_in_an_answer(case: Case, store: Store) -> None:
    """Run a case: a result that says what changed and judges nothing else, or one line of refusal. (Warnings are
    errors in these tests, so no RuntimeWarning is printed on the way.)"""
    experiment_id, changes = case
    (selection,) = select([experiment_id])
    refusal = ""
    try:
        (result,) = evaluate([selection], SMOKE, store, changes=changes)
    except UserError as error:
        refusal = str(error)
    assert "\n" not in refusal
    if refusal:
        return
    assert not result.runs.failed
    touched = set(changes_of(selection.experiment, SMOKE, changes).touched)
    assert all(any(line.startswith(f"changed: {key} = ") for line in result.head) for key in changes)
    assert any(line.startswith("claims that rest on ") for line in result.head)
    for judgement in result.judgements:
        assert judgement.status != "undecided" or judgement.detail
        assert touched & set(judgement.reads), f"{judgement.claim.id} rests on nothing that changed"
        record = replace(record_of(judgement), statement="")  # which may speak of an infimum
        assert not_a_number(json.dumps(record.to_json())) == []
        assert not_a_number(printed(claim_panel(record))) == []
    assert not_a_number(printed(Verdicts(result.records()))) == []
    assert len(result.judgements) + len(result.left_out) == len(result.experiment.claims)
    assert result.draw().caption
    jax.clear_caches()


def printed(shown: RenderableType) -> str:
    """As a terminal would have it."""
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as capture:
        console.print(shown)
    return capture.get()
