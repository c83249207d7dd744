"""Config -> stored result: one run, in this process."""

import contextlib
import json
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import lemmata
from lemmata.core import RunConfig, UserError
from lemmata.core.config import decode, encode
from lemmata.core.registry import papers, run_type
from lemmata.run.checkpoints import StoredContext, Watcher
from lemmata.run.compiling import Compiling
from lemmata.run.environment import environment, sources
from lemmata.run.outcome import Finished, Helped, Outcome, Raised, Refused, reason_of
from lemmata.run.shared import SharedRun
from lemmata.run.store import Store

Progress = Callable[[str, str, str, int, int], None]  # digest, kind, stage, done, total


def execute(config: RunConfig, store: Store, watch: Watcher, *, shared: bool = False) -> float:
    """Compute one run and keep it; return the seconds it took. `shared`: others may help with it meanwhile."""
    context = StoredContext(partial_folder(store, config.digest), watch)
    began, worked = time.monotonic(), time.process_time()
    with Compiling() as compiling:
        output = config.compute(SharedRun(context, lambda: False) if shared else context)
    seconds, worked = time.monotonic() - began, time.process_time() - worked
    # Seconds depend on what else the machine was doing; those of all its cores much less.
    cost = {"seconds": seconds, "core_seconds": worked, "compile_seconds": compiling.seconds}
    store.write(config, output, {**environment(), **{name: round(value, 3) for name, value in cost.items()}})
    context.discard()
    return seconds


def partial_folder(store: Store, digest: str) -> Path:
    return store.root / ".partial" / digest


def help_with(config: RunConfig, store: Store) -> None:
    """Execute a run that another process keeps, for the replicas that it has not begun; ends when it is complete."""
    folder = partial_folder(store, config.digest)
    context = SharedRun(StoredContext(folder, lambda *_: None), lambda: config.digest in store)
    with contextlib.suppress(Exception):  # what is wrong with the run is said by whoever keeps it
        config.compute(context)
    if config.digest in store:
        context.context.discard()


def attempt(config: RunConfig, store: Store, progress: Progress, *, shared: bool = False) -> Outcome:
    """Compute one run, and say how that ended."""
    digest, kind = config.digest, config.kind

    def watch(stage: str, done: int, total: int) -> None:
        progress(digest, kind, stage, done, total)

    watch("compile", 0, 1)
    try:
        return Finished(digest, execute(config, store, watch, shared=shared))
    except UserError as error:
        return Refused(digest, str(error))
    except Exception as error:  # whatever a paper's code raises ends this run alone
        return Raised(digest, reason_of(error), traceback.format_exc())


@dataclass(frozen=True)
class Task:
    """A run as it is sent to whoever computes it, with what it must come to there."""

    digest: str
    kind: str
    config: str  # as JSON
    code: tuple[str, ...]
    shared: bool = False  # whether others may help with it
    helps: bool = False  # whether this is such help

    @classmethod
    def of(cls, config: RunConfig, *, shared: bool = False, helps: bool = False) -> "Task":
        return cls(config.digest, config.kind, json.dumps(encode(config)), _code(config.kind), shared, helps)

    def attempt(self, store: Store, progress: Progress) -> Outcome:
        """In the process that was sent it. Another version of the code would compute another run under this name."""
        try:
            if self.code != (here := _code(self.kind)):
                versions = f"{self.code[0]} asks, {here[0]} computes"
                return Refused(self.digest, f"worker and command are of different code ({versions}): install the same")
            config = decode(run_type(self.kind), json.loads(self.config))
        except Exception as error:  # a paper that this process cannot load
            return Raised(self.digest, reason_of(error), traceback.format_exc())
        if self.helps:
            help_with(config, store)
            return Helped(self.digest)
        return attempt(config, store, progress, shared=self.shared)


def _code(kind: str) -> tuple[str, ...]:
    paper = papers().get(kind.partition("/")[0])
    packages = dict.fromkeys(["lemmata", *([paper.package] if paper else [])])
    return (f"lemmata {lemmata.__version__}", *map(sources, packages))


def missing(configs: Iterable[RunConfig], store: Store) -> list[RunConfig]:
    """Those of the configs that the store does not hold."""
    return [config for config in configs if config.digest not in store]
