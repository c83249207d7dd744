"""Which run comes next: one whose programs the free worker has, of its kind or else of its paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from lemmata.core import RunConfig, RunContext, RunOutput
from lemmata.run import Store, scheduler, shape
from lemmata.run.lease import Leases
from lemmata.run.outcome import Finished, Helped, Outcome
from lemmata.run.queue_order import late_run
from lemmata.run.reporter import Reporter
from lemmata.run.scheduler import _Queue


@dataclass(frozen=True, kw_only=True)
class OfOne(RunConfig):
    kind = "one/first"
    number: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        raise AssertionError("never computed")


@dataclass(frozen=True, kw_only=True)
class OfOneToo(OfOne):
    kind = "one/second"


@dataclass(frozen=True, kw_only=True)
class OfAnother(OfOne):
    kind = "another/first"


class Noting:
    """An engine of two slots that computes nothing: each look ends the run that began first."""

    slots = workers = 2

    def __init__(self) -> None:
        self.started: list[RunConfig] = []
        self.under_way: list[RunConfig] = []

    def start(self, config: RunConfig) -> None:
        self.started.append(config)
        self.under_way.append(config)

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        return [Finished(self.under_way.pop(0).digest, 0.0)] if self.under_way else []

    def close(self) -> None: ...


def started(store: Store, configs: Sequence[RunConfig], *, both_ends: bool = False) -> list[str]:
    engine = Noting()
    with Leases(store.root) as leases:
        queue = _Queue(store, engine, leases, Reporter(), both_ends=both_ends)
        queue.begin(configs)
        assert len(list(queue.arrivals())) == len(configs)
    return [f"{config.kind} {getattr(config, 'number', 0)}" for config in engine.started]


MIXED = (OfOne(number=1), OfOneToo(number=1), OfAnother(number=1), OfOne(number=2), OfOneToo(number=2))


def test_workers_keep_to_a_kind_then_to_a_paper(store: Store) -> None:
    store.ensure_writable()
    assert started(store, MIXED) == ["one/first 1", "another/first 1", "one/first 2", "one/second 1", "one/second 2"]


def test_a_report_that_grows_is_filled_from_both_ends(store: Store) -> None:
    """The cheapest first, while one slot takes the dearest: a paper is not kept to."""
    store.ensure_writable()
    order = started(store, MIXED, both_ends=True)
    assert order[:2] == ["one/second 2", "one/first 1"]
    assert sorted(order) == sorted(f"{config.kind} {config.number}" for config in MIXED)


class Three(Noting):
    """Of three workers; what began last ends first, so that the largest stays under way."""

    slots = workers = 3

    def __init__(self) -> None:
        super().__init__()
        self.helped_after: list[int] = []

    def start(self, config: RunConfig, *, helps: bool = False) -> None:
        if helps:
            self.helped_after.append(len(self.started))
        else:
            super().start(config)

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        ended = [Finished(self.under_way.pop().digest, 0.0)] if self.under_way else []
        return ended + [Helped(one.digest) for one in self.started[:1] for _ in self.helped_after if not self.under_way]


@pytest.mark.parametrize(("largest", "helped"), [(100.0, True), (2.0, False)])
def test_a_run_that_would_end_last_is_helped_before_others_begin(
    store: Store, monkeypatch: pytest.MonkeyPatch, largest: float, helped: bool
) -> None:
    runs = [OfAnother(), *(OfOne(number=number) for number in range(6))]
    costs = {shape(run): 1.0 for run in runs} | {shape(runs[0]): largest}
    monkeypatch.setattr(scheduler, "run_costs", lambda _: costs)
    monkeypatch.setattr(scheduler, "replicas_of", lambda _: 2)
    store.ensure_writable()
    engine = Three()
    with Leases(store.root) as leases:
        queue = scheduler._Queue(store, engine, leases, Reporter())
        queue.begin(runs)
        assert len(list(queue.arrivals())) == len(runs)
    early = [count for count in engine.helped_after if count < 4]
    assert bool(early) == helped


def test_a_late_run_is_one_that_outlasts_a_fair_share() -> None:
    assert late_run({"long": 90.0, "short": 10.0}, {}, 50.0, 3) == "long"
    assert late_run({"long": 90.0, "short": 10.0}, {"long": 1}, 50.0, 3) is None
    assert late_run({"long": 90.0}, {}, 200.0, 3) is None
    assert late_run({}, {}, 5.0, 3) is None


@pytest.mark.parametrize(("seconds", "place"), [(100.0, 3), (0.01, 9)])
def test_a_large_run_does_not_wait_for_small_ones_whose_programs_are_there(
    store: Store, monkeypatch: pytest.MonkeyPatch, seconds: float, place: int
) -> None:
    large, unknown = OfOneToo(), [OfOne(number=number) for number in range(3)]
    costs = dict.fromkeys(unknown, math.inf) | {large: seconds}
    monkeypatch.setattr(scheduler, "cost_of", lambda run, _: costs.get(run, 1.0))
    store.ensure_writable()
    engine = Three()
    with Leases(store.root) as leases:
        queue = scheduler._Queue(store, engine, leases, Reporter())
        queue.begin([*unknown, large, *(OfOne(number=number) for number in range(3, 9))])
        assert len(list(queue.arrivals())) == 10
    assert engine.started.index(large) == place
