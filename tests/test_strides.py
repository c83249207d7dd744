"""Twice the steps, or half the stride and twice the steps: no verdict that is decided moves. A sample of runs by a
seed, at smoke scale; all of them with `--walk-all` (`make test-all`)."""

import zlib

import pytest

from lemmata.core import Experiment, Scale, UserError
from lemmata.core.config import described
from lemmata.core.registry import experiments, papers, select
from lemmata.run import Store, apart, evaluate

SMOKE = Scale("smoke")
SEED, SAMPLED = 7, 2
LONGER = ("steps", "steps1", "steps2", "pretrain_steps")
FOLLOW_A_FLOW = {  # runs whose steps are those of a discretised flow: their rate is a stride
    "ic-recall/warmup-stages",
    "association/memory-descent",
    "association/random-memory",
    "association/simplified-descent",
}
Case = tuple[str, dict[str, str]]  # an experiment's id, and what is set


def cases() -> list[Case]:
    return [
        (experiment.id, one)
        for paper in papers()
        for experiment in experiments(paper).values()
        for one in _of(experiment)
    ]


def _of(experiment: Experiment) -> list[dict[str, str]]:
    held: dict[str, float] = {}  # of several runs the most steps, and the smallest stride
    for config in experiment.runs(SMOKE).values():
        mine = {key: value for key, _, value in described(config)}
        held |= {key: max(2 * mine[key], held.get(key, 0)) for key in LONGER if isinstance(mine.get(key), int)}
        strides = ("finest", *(["learning_rate"] * (config.kind in FOLLOW_A_FLOW)))
        held |= {key: min(mine[key] / 2, held.get(key, 1e9)) for key in strides if isinstance(mine.get(key), float)}
    said = {key: repr(value) for key, value in held.items()}
    longer = {key: said[key] for key in LONGER if key in said}
    finer = [{"learning_rate": said["learning_rate"], **longer}] if "learning_rate" in said else []
    finer += [{"finest": said["finest"]}] if "finest" in said else []
    return [*({key: value} for key, value in longer.items()), *finer]


def name(case: Case) -> str:
    return f"{case[0]} {','.join(case[1])}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        every = sorted(cases(), key=lambda case: zlib.crc32(f"{SEED} {name(case)}".encode()))
        chosen = every if metafunc.config.getoption("--walk-all") else every[:SAMPLED]
        metafunc.parametrize("case", chosen, ids=name)


def test_no_verdict_moves(case: Case, smoke_store: Store) -> None:
    id, changes = case
    can, cannot = apart(select([id]), SMOKE, smoke_store)
    if cannot:
        pytest.skip(cannot[0].reason)
    try:
        (longer,) = evaluate(can, SMOKE, smoke_store, changes=changes)
    except UserError as refused:
        pytest.skip(str(refused))
    (before,) = evaluate(can, SMOKE, smoke_store)
    statuses = {one.claim.id: one.status for one in before.judgements}
    moved = {
        one.claim.id: (statuses[one.claim.id], one.status)
        for one in longer.judgements
        if "undecided" not in (one.status, statuses[one.claim.id]) and one.status != statuses[one.claim.id]
    }
    assert moved == {}


def test_there_are_strides_and_steps_to_change() -> None:
    keys = {key for _, changes in cases() for key in changes}
    assert {"steps", "learning_rate", "steps1"} <= keys
    assert len(cases()) >= 30
