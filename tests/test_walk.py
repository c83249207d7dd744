"""Any assumption can be changed: each field of each run of each experiment, set to another value at smoke scale, ends
in a result, an `undecided` with its reason, or one line of refusal. A sample of the fields here, all of them with
`--walk-all` (`make test-all`)."""

import json
import re
import typing
import zlib
from collections.abc import Iterator
from typing import Any

import jax
import pytest

from lemmata.core import RunConfig, Scale, UserError, described, experiments, override, papers, select
from lemmata.core.config import fields
from lemmata.run import Store, change as changes_of, examine

SHARE = 1000  # one case in so many belongs to the sample
CRASHED_ONCE = (
    ("association/fig-8", {"clean_steps": "0"}),
    ("association/fig-9", {"task.triggers": "1"}),
    ("association/fig-13", {"model.feeds": "mlp,mlp"}),
    ("lego/regime-map", {"action": "C3"}),
    ("lego/self-training", {"action": "C3"}),
    ("lego/features", {"task.action": "C4", "model.actions": "4", "model.values": "4"}),
    ("ic-recall/fig-3", {"trained": "position block"}),
    ("ic-recall/low-temperature", {"sample_constants": "1.0"}),
    ("ic-recall/one-large-step", {"constant": "0.01"}),
)


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


def cases() -> list[tuple[str, dict[str, str]]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for paper in papers():
        for experiment in experiments(paper).values():
            for config in experiment.runs(Scale("smoke")).values():
                for key, _, value in described(config):
                    if (experiment.id, key) not in found:
                        found[experiment.id, key] = {key: change(config, key, value)}
    return [(experiment_id, changes) for (experiment_id, _), changes in found.items()]


def name(case: tuple[str, dict[str, str]]) -> str:
    return f"{case[0]} {' '.join(f'{key}={value}' for key, value in case[1].items())}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        chosen = cases()
        if not metafunc.config.getoption("--walk-all"):
            chosen = [case for case in chosen if zlib.crc32(f"{case[0]} {list(case[1])}".encode()) % SHARE == 0]
        here = [case for case in CRASHED_ONCE if case[0].split("/")[0] in papers()]
        found = {name(case): case for case in (*here, *chosen)}
        apart = sorted(found, key=lambda text: zlib.crc32(text.encode()))  # neighbours would wait for each other's runs
        metafunc.parametrize("case", [found[text] for text in apart], ids=name)


def not_a_number(text: str) -> list[str]:
    return re.findall(r"(?<![\w/])(?:-?Infinity|NaN|-?inf|nan)(?![\w/])", text)


def test_a_changed_field_ends_in_an_answer(case: tuple[str, dict[str, str]], smoke_store: Store) -> None:
    experiment_id, changes = case
    refusal = ""
    try:
        (examined,) = examine(select([experiment_id]), Scale("smoke"), smoke_store, changes=changes)
    except UserError as error:
        refusal = str(error)
    assert "\n" not in refusal
    if refusal:
        return
    assert not examined.runs.failed
    touched = set(changes_of(select([experiment_id])[0].experiment, Scale("smoke"), changes).touched)
    assert all(any(line.startswith(f"changed: {key} = ") for line in examined.head) for key in changes)
    for judgement in examined.judgements:
        assert judgement.status != "undecided" or judgement.detail
        assert touched & set(judgement.reads), f"{judgement.claim.id} rests on nothing that changed"
        assert not_a_number(json.dumps(judgement.row())) == []
    assert len(examined.judgements) + len(examined.left_out) == len(examined.experiment.claims)
    assert examined.draw().caption
    jax.clear_caches()


def test_there_are_hundreds_of_cases() -> None:
    everything = cases()
    assert len(everything) > 60 * len(papers())
    assert len(everything) == len(set(map(name, everything)))
