"""Tasks of a Ray cluster: the one at $RAY_ADDRESS, or one that is started on this machine and ends with the command.

Each run is a task named by its digest. Its result goes into the store, which every machine must see under the same
path; nothing but the outcome comes back through Ray. Leases are held here, by the process that asked.
"""

import contextlib
import importlib
import json
import os
import sys
import warnings
from typing import Any

from lemmata.core import RunConfig, UserError, encode
from lemmata.run.execute import Progress
from lemmata.run.outcome import Died, Outcome, Raised
from lemmata.run.store import Store

ABSENT = "--engine ray needs Ray, which is not installed: pip install 'lemmata[ray]'"
ENVIRONMENT = ("LEMMATA_PAPER_PATH", "JAX_PLATFORMS", "XLA_FLAGS", "JAX_COMPILATION_CACHE_DIR")  # what a run depends on


class Ray:
    def __init__(self, store: Store, progress: Progress) -> None:
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError:
            raise UserError(ABSENT) from None
        self._ray = ray
        self._store, self._progress = store, progress
        self._tasks: dict[Any, RunConfig] = {}
        self._began = not ray.is_initialized()
        if self._began:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # JAX warns of forks, Ray of its next version: not the reader's
                    _start(ray)
            except (ConnectionError, RuntimeError, ValueError) as error:
                told = str(error).splitlines()[0]
                raise UserError(f"RAY_ADDRESS = {os.environ.get('RAY_ADDRESS')!r} is not possible: {told}") from None
        self._aside = contextlib.redirect_stdout(sys.stderr)  # Ray speaks on standard output, where our results go
        self._aside.__enter__()
        # Twice as many as can run: a machine that is done finds the next one waiting.
        self.slots = max(1, 2 * int(ray.cluster_resources().get("CPU", 1)))

    def start(self, config: RunConfig) -> None:
        asked = config.resources()
        options: dict[str, Any] = {"num_cpus": asked.cpus, "name": config.digest, "max_retries": 0}
        options |= {"num_gpus": asked.gpus} if asked.gpus else {}
        options |= {"memory": asked.memory} if asked.memory else {}
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        task = (config.digest, config.kind, json.dumps(encode(config)), str(self._store.root.resolve()), environment)
        self._tasks[self._ray.remote(_compute).options(**options).remote(*task)] = config
        self._progress(config.digest, config.kind, "ray", 0, 1)

    def outcomes(self, seconds: float) -> list[Outcome]:
        if not self._tasks:
            return []
        found: list[Outcome] = []
        done, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=seconds)
        for task in done:
            digest = self._tasks.pop(task).digest
            try:
                found.append(self._ray.get(task))
            except (
                self._ray.exceptions.WorkerCrashedError,
                self._ray.exceptions.OutOfMemoryError,
                self._ray.exceptions.NodeDiedError,
            ) as error:
                found.append(Died(digest, f"its Ray worker is gone ({type(error).__name__})"))
            except self._ray.exceptions.RayError as error:
                found.append(Raised(digest, f"{type(error).__name__}: {str(error).splitlines()[0]}", str(error)))
        return found

    def close(self) -> None:
        self._aside.__exit__(None, None, None)
        for task in self._tasks:
            self._ray.cancel(task, force=True)
        if self._began:
            self._ray.shutdown()


def _start(ray: Any) -> None:
    """Join the cluster at $RAY_ADDRESS, or begin one here; a cluster that is there has its own settings."""
    own = {} if os.environ.get("RAY_ADDRESS") else {"include_dashboard": False}
    ray.init(log_to_driver=False, configure_logging=False, **own)


def _compute(digest: str, kind: str, text: str, root: str, environment: dict[str, str]) -> Outcome:
    """On a machine of the cluster."""
    import traceback
    from pathlib import Path

    os.environ.update(environment)
    from lemmata.core import decode, registry, run_type
    from lemmata.run.execute import attempt
    from lemmata.run.outcome import reason_of
    from lemmata.run.programs import keep_programs

    registry.forget()
    try:
        config = decode(run_type(kind), json.loads(text))
    except Exception as error:  # a paper that this machine cannot load
        return Raised(digest, reason_of(error), traceback.format_exc())
    keep_programs(Path(root))
    return attempt(config, Store(Path(root)), lambda *_: None)
