"""What is missing is computed, whatever happens on the way: a worker dies, a run raises, another process helps."""

import contextlib
import math
import multiprocessing
import shutil
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Unpack

from lemmata.core import RunConfig, RunResult, UserError
from lemmata.core.engine import EngineName
from lemmata.run.compile_cache import trim_compile_cache
from lemmata.run.engines import NO_WORKERS, Engine, start_engine
from lemmata.run.execute import partial_folder
from lemmata.run.io_errors import writing
from lemmata.run.lease import FOLDER as LEASES, Leases, clear_abandoned
from lemmata.run.outcome import Died, Finished, Helped, Outcome, Raised, Refused, Stopped
from lemmata.run.queue_order import cost_of, largest_first, late_run, run_costs
from lemmata.run.reporter import Computing, Reporter
from lemmata.run.shared import SHARED_FROM, replicas_of
from lemmata.run.store import DamagedRun, Store

LARGE = 0.5  # of a worker's share of all that is left: such a run would end last if it waited
RESUMED_AT_MOST = 3  # a run whose process dies once more is left out
LOOK_AGAIN = 0.1  # seconds
FAILURES = "failures"  # the tracebacks of runs that raised

Failures = dict[str, str]  # digest -> why the run cannot be had
Arrival = tuple[str, str | None]  # a digest; why its run cannot be had, None if it is stored


class RunFailed(UserError):
    """A run that was asked for cannot be had."""


def load(config: RunConfig, store: Store, reporter: Reporter | None = None) -> RunResult:
    """A run that is stored; one whose numbers turn out to be damage is set aside and computed again, once."""
    try:
        return store.load(config)
    except DamagedRun as damage:
        (reporter or Reporter()).damaged(config.digest, str(damage))
        store.set_aside(config.digest)
    for digest, reason in compute_all([config], store, reporter=reporter).items():
        raise RunFailed(f"run {digest} of kind {config.kind}: {reason}")
    try:
        return store.load(config)
    except DamagedRun as damage:
        raise RunFailed(
            f"run {config.digest} of kind {config.kind} is damaged as soon as it is stored: {damage}"
        ) from None


def compute_all(configs: Iterable[RunConfig], store: Store, **how: Unpack[Computing]) -> Failures:
    """Compute what is missing or damaged, and read nothing back; return why some could not be computed."""
    return {digest: reason for digest, reason in compute_each(configs, store, **how) if reason is not None}


def compute_each(
    configs: Iterable[RunConfig],
    store: Store,
    *,
    jobs: int = 1,
    engine: EngineName = "local",
    reporter: Reporter | None = None,
    in_order: bool = False,
) -> Generator[Arrival, None, None]:
    """Each config as soon as its run is stored, or known not to be had: first what is there, then what is computed.

    The largest begin first, so that none is left alone at the end; or those that are named first, while one slot takes
    the last named.
    """
    reporter = reporter or Reporter()
    wanted = {config.digest: config for config in configs}
    lacking = [config for digest, config in wanted.items() if not _is_whole(store, digest)]
    there = wanted.keys() - {config.digest for config in lacking}
    if not lacking:
        clear_abandoned(store.root)
        yield from ((digest, None) for digest in wanted)
        return
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise UserError(NO_WORKERS)  # a worker that reads its parent's script would wait for its parent's runs
    existed = store.root.exists()
    store.ensure_writable()
    reporter.plan(len(lacking))
    if len(lacking) > 1 and (jobs > 1 or engine != "local") and not in_order:
        lacking = largest_first(lacking, store)
    try:
        with Leases(store.root) as leases:
            started = start_engine(
                engine, store, jobs if jobs >= SHARED_FROM else min(jobs, len(lacking)), reporter.progress
            )
            try:
                queue = _Queue(store, started, leases, reporter, both_ends=in_order)
                queue.begin(lacking)
                yield from ((digest, None) for digest in wanted if digest in there)
                yield from queue.arrivals()
            finally:
                started.close()  # before the leases are given back: nobody else begins what still runs here
    except UserError:
        if not existed and not store.digests() and not (store.root / LEASES).exists():
            shutil.rmtree(store.root, ignore_errors=True)  # a refused request leaves nothing behind
        raise
    finally:
        trim_compile_cache()


class _Queue:
    """Runs on their way from wanted to stored."""

    def __init__(
        self, store: Store, engine: Engine, leases: Leases, reporter: Reporter, *, both_ends: bool = False
    ) -> None:
        self._store, self._engine, self._leases, self._reporter = store, engine, leases, reporter
        self._both_ends, self._last = both_ends and engine.slots > 1, ""  # the digest that was taken from the end
        self._waiting: deque[RunConfig] = deque()
        self._warm: list[str] = []  # the kinds of runs just ended: whoever computed them has the programs
        self._arrived: list[Arrival] = []
        self._under_way: dict[str, RunConfig] = {}
        self._halves = store.halves()
        self._deaths: Counter[str] = Counter()
        self._elsewhere: set[str] = set()
        self._helpers: Counter[str] = Counter()  # of a run under way
        self._can_help_early = engine.slots == engine.workers >= SHARED_FROM  # else who is free is not ours to know
        self._costs: dict[str, float] = {}  # expected seconds of one worker; 0 where nothing tells
        self._began: dict[str, float] = {}

    def begin(self, configs: Sequence[RunConfig]) -> None:
        if self._can_help_early:
            known = run_costs(self._store)
            expected = ((one.digest, cost_of(one, known)) for one in configs)
            self._costs = {digest: cost if math.isfinite(cost) else 0.0 for digest, cost in expected}
        self._waiting.extend(configs)
        self._start_runs()

    def arrivals(self) -> Iterator[Arrival]:
        while self._waiting or self._under_way or self._arrived:
            self._start_runs()
            self._help()
            arrived, self._arrived = self._arrived, []
            yield from arrived
            if not self._under_way and self._waiting:  # all that is left is being computed elsewhere
                time.sleep(LOOK_AGAIN)
            for outcome in self._engine.outcomes(LOOK_AGAIN):
                self._take_in(outcome)

    def _next(self) -> RunConfig:
        """For whoever is free: the largest where it must not wait; else a run whose programs it has, else one of a
        paper whose programs it has."""
        if self._costs.get(self._waiting[0].digest, 0.0) > LARGE * sum(self._left().values()) / self._engine.workers:
            return self._waiting.popleft()
        while self._warm:
            kind = self._warm.pop()
            alike = self._first(lambda one, kind=kind: one.kind == kind)
            if alike is None and not self._both_ends:
                alike = self._first(lambda one, kind=kind: _paper(one.kind) == _paper(kind))
            if alike is not None:
                return alike
        if self._both_ends and self._last not in self._under_way:
            self._last = self._waiting[-1].digest
            return self._waiting.pop()
        if self._both_ends:
            return self._waiting.popleft()
        busy = {_paper(config.kind) for config in self._under_way.values()}
        fresh = self._first(lambda one: _paper(one.kind) not in busy and one.digest not in self._elsewhere)
        return fresh or self._waiting.popleft()

    def _first(self, suits: Callable[[RunConfig], bool]) -> RunConfig | None:
        """The first that waits and suits, which then waits no longer."""
        place = next((place for place, config in enumerate(self._waiting) if suits(config)), None)
        if place is None:
            return None
        config = self._waiting[place]
        del self._waiting[place]
        return config

    def _start_runs(self) -> None:
        """With runs that nobody else computes; each is looked at once."""
        for _ in range(len(self._waiting)):
            while len(self._under_way) + self._helpers.total() < self._engine.slots and (late := self._late()):
                self._help_with(late)
            if len(self._under_way) + self._helpers.total() >= self._engine.slots:
                return
            config = self._next()
            if not self._leases.take(config.digest):
                self._waiting.append(config)
                if config.digest not in self._elsewhere:
                    self._elsewhere.add(config.digest)
                    self._reporter.elsewhere(config.digest, config.kind)
            elif self._is_there_now(config):
                self._leases.release(config.digest)
                self._reporter.finished(config.digest, config.kind, 0.0)
                self._arrived.append((config.digest, None))
            else:
                self._under_way[config.digest] = config
                self._start(config)

    def _help(self) -> None:
        """Workers that are left over help with what is under way, where it has replicas that others can train; the run
        that was thought to be the largest first, and as evenly as it goes."""
        if self._waiting or not self._under_way:
            return
        free = self._engine.workers - len(self._under_way) - self._helpers.total()
        shared = {one: replicas_of(partial_folder(self._store, one)) for one in self._under_way} if free > 0 else {}
        for _ in range(free):
            open_ = [one for one, count in shared.items() if self._helpers[one] + 1 < count]
            if not open_:
                return
            self._help_with(min(open_, key=lambda one: self._helpers[one]))

    def _late(self) -> str | None:
        """The run under way that would end after everything else though whoever is free takes what waits."""
        if not self._can_help_early:
            return None
        left = self._left()
        waiting = sum(left.pop(config.digest) for config in self._waiting)
        digest = late_run(left, self._helpers, waiting, self._engine.workers)
        if digest is None or replicas_of(partial_folder(self._store, digest)) <= self._helpers[digest] + 1:
            return None
        return digest

    def _left(self) -> dict[str, float]:
        """Expected seconds of one worker, by what is under way or waits."""
        now, left = time.monotonic(), {config.digest: self._costs.get(config.digest, 0.0) for config in self._waiting}
        for digest in self._under_way:
            done = (now - self._began[digest]) * (1 + self._helpers[digest])
            left[digest] = max(self._costs.get(digest, 0.0) - done, 0.0)
        return left

    def _help_with(self, digest: str) -> None:
        self._helpers[digest] += 1
        self._engine.start(self._under_way[digest], helps=True)

    def _start(self, config: RunConfig) -> None:
        self._began[config.digest] = time.monotonic()
        for folder in self._halves.pop(config.digest, ()):  # under our lease: nobody is writing it any more
            self._store.clear(folder, config.digest)
        self._engine.start(config)

    def _is_there_now(self, config: RunConfig) -> bool:
        """Whether another process has finished the run meanwhile; what is damaged is removed, under our lease."""
        if config.digest not in self._store:
            return False
        try:
            self._store.verify(config.digest)
        except DamagedRun as damage:
            self._reporter.damaged(config.digest, str(damage))
            self._store.set_aside(config.digest)
            return False
        return True

    def _take_in(self, outcome: Outcome) -> None:
        if isinstance(outcome, Helped):
            self._helpers[outcome.digest] -= 1
            return
        config = self._under_way[outcome.digest]
        match outcome:
            case Stopped(digest, how):
                self._reporter.stopped(digest, config.kind, how)
                return
            case Refused(_, message):
                raise UserError(message)
            case Died(digest, how) if self._deaths[digest] < RESUMED_AT_MOST:
                self._deaths[digest] += 1
                self._reporter.resumed(digest, config.kind, how)
                self._halves |= {digest: self._store.halves().get(digest, [])}
                self._start(config)
                return
            case Died(_, how):
                self._fail(config, f"{how}, {RESUMED_AT_MOST + 1} times; the same command tries it again")
            case Raised(digest, reason, trace):
                log = self._store.root / FAILURES / f"{digest}.log"
                with writing(self._store.root):
                    log.parent.mkdir(parents=True, exist_ok=True)
                    log.write_text(trace)
                self._fail(config, f"{reason}; its traceback is {log}")
            case Finished(digest, seconds):
                with contextlib.suppress(OSError):
                    (self._store.root / FAILURES / f"{digest}.log").unlink(missing_ok=True)
                self._reporter.finished(digest, config.kind, seconds)
                self._arrived.append((digest, None))
        del self._under_way[outcome.digest]
        self._warm.append(config.kind)
        self._leases.release(outcome.digest)

    def _fail(self, config: RunConfig, reason: str) -> None:
        self._arrived.append((config.digest, reason))
        self._reporter.failed(config.digest, config.kind, reason)


def _paper(kind: str) -> str:
    return kind.split("/")[0]


def _is_whole(store: Store, digest: str) -> bool:
    try:
        return digest in store and bool(store.verify(digest))
    except DamagedRun:
        return False
