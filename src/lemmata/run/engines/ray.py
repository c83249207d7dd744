"""Tasks of a Ray cluster: the one at $RAY_ADDRESS, or one that is started on this machine and ends with the command.

Each run is a task named by its digest. Its result goes into the store, which every machine must see under the same
path; nothing but the outcome comes back through Ray. Leases are held here, by the process that asked. A cluster that is
started here listens on the loopback only, and to nobody without its token.
"""

import contextlib
import importlib
import io
import ipaddress
import os
import secrets
import socket
import sys
import threading
import time
import warnings
from typing import Any, TextIO

from lemmata.core import RunConfig, UserError
from lemmata.core.errors import EngineLost
from lemmata.run.execute import Progress, Task
from lemmata.run.outcome import Died, Helped, Outcome, Raised
from lemmata.run.shared import SHARED_FROM
from lemmata.run.store import Store
from lemmata.run.threads import THREADS, compute_in_one_thread
from lemmata.run.xla_flags import compile_lightly

ABSENT = "--engine ray needs Ray, which is not installed: pip install 'lemmata[ray]'"
ENVIRONMENT = (  # what a run depends on
    *("LEMMATA_PAPER_PATH", "JAX_PLATFORMS", "XLA_FLAGS", "JAX_COMPILATION_CACHE_DIR"),
    *("XLA_PYTHON_CLIENT_PREALLOCATE", THREADS),
)
READ_ONCE = {"JAX_PLATFORMS": "jax_platforms", "JAX_COMPILATION_CACHE_DIR": "jax_compilation_cache_dir"}  # on import
LOST = ("WorkerCrashedError", "OutOfMemoryError", "NodeDiedError", "LocalRayletDiedError", "ObjectLostError")
# Ray reads these when it is imported. Without the first it listens on all interfaces, whatever address it is given.
OWN_CLUSTER = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}
ON_NETWORK = "Ray was imported before and would listen on all interfaces: call ray.init() yourself, or import it later"
ANSWERS_WITHIN = COUNT_EVERY = 5.0  # seconds
GONE = f"the Ray cluster is lost: its head has not answered for {ANSWERS_WITHIN:.0f} s"
LOOK_AGAIN = 0.5  # seconds


class Ray:
    def __init__(self, store: Store, progress: Progress) -> None:
        if not os.environ.get("RAY_ADDRESS") and "ray" not in sys.modules:
            os.environ |= {**OWN_CLUSTER, "RAY_AUTH_TOKEN": secrets.token_hex()}
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError:
            raise UserError(ABSENT) from None
        self._ray = ray
        self._store, self._progress = store, progress
        self._tasks: dict[Any, Task] = {}
        self._began = not ray.is_initialized()
        if self._began:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # JAX warns of forks, Ray of its next version: not the reader's
                    _start(ray)
            except (OSError, OverflowError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
                message, address = str(error).strip().partition("\n")[0], os.environ.get("RAY_ADDRESS")
                what = f"RAY_ADDRESS = {address!r} is not possible" if address else "Ray cannot be started here"
                raise UserError(f"{what}: {message}") from None
        self._aside = contextlib.redirect_stdout(_WithoutRay(sys.stdout))
        self._aside.__enter__()
        self._compute = ray.remote(_compute)  # sent to the cluster once: nothing later waits for a head that is lost
        self._lost = tuple(getattr(ray.exceptions, name) for name in LOST)
        address = _host_and_port(os.environ.get("RAY_ADDRESS", "")) if self._began else None
        far = ray.util.client.ray.is_connected()  # its head has an address that need not be known here
        self._head = address or (None if far else _host_and_port(ray.get_runtime_context().gcs_address))
        self._last_count, self.slots, self.workers = 0.0, 1, 1
        self._count()

    def start(self, config: RunConfig, *, helps: bool = False) -> None:
        requested = config.resources()
        options: dict[str, Any] = {"num_cpus": requested.cpus, "name": config.digest, "max_retries": 0}
        options |= {"num_gpus": requested.gpus} if requested.gpus else {}
        options |= {"memory": requested.memory} if requested.memory else {}
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        shared = self.workers >= SHARED_FROM and not requested.gpus  # what a GPU trains together is not cut in pieces
        task = Task.of(config, shared=shared, helps=helps)
        given = (task, str(self._store.root.resolve()), environment)
        self._tasks[self._compute.options(**options).remote(*given)] = task
        if not helps:
            self._progress(config.digest, config.kind, "ray", 0, 1)

    def _count(self) -> None:
        """Twice as many as can run now: a machine that is done finds the next one waiting. Machines come and go; the
        head does not, and Ray itself would wait for it for a minute and then end this process."""
        if not self._last_count or time.monotonic() - self._last_count > COUNT_EVERY:
            if not _answers(self._head):
                raise EngineLost(GONE)
            self.workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self.slots = 2 * self.workers
            self._last_count = time.monotonic()

    def outcomes(self, seconds: float) -> list[Outcome]:
        self._count()
        if not self._tasks:
            return []
        found: list[Outcome] = []
        done, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=seconds)
        for task in done:
            given = self._tasks.pop(task)
            try:
                found.append(self._ray.get(task))
            except self._ray.exceptions.RayError as error:
                if given.helps:
                    found.append(Helped(given.digest))
                elif isinstance(error, self._lost):
                    found.append(Died(given.digest, f"its Ray worker is gone ({type(error).__name__})"))
                else:
                    found.append(Raised(given.digest, str(error).strip().splitlines()[-1], str(error)))
        return found

    def close(self) -> None:
        for task in self._tasks:
            self._ray.cancel(task, force=True)
        if self._began:
            with contextlib.redirect_stdout(io.StringIO()):  # what Ray has kept to say in the end
                self._ray.shutdown()
        self._aside.__exit__(None, None, None)


class _WithoutRay:
    """Standard output, where our results go, without what Ray's own threads say there of workers that are lost."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return len(text) if threading.current_thread().name.startswith("ray_") else self._file.write(text)

    def flush(self) -> None:
        self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _start(ray: Any) -> None:
    """Join the cluster at $RAY_ADDRESS, or begin one here; a cluster that is there has its own settings."""
    address = os.environ.get("RAY_ADDRESS", "")
    if there := _host_and_port(address):  # Ray itself would try for minutes, and tell of each time
        with socket.create_connection(there, ANSWERS_WITHIN):
            pass
    if not address and not ipaddress.ip_address(ray.util.get_node_ip_address()).is_loopback:
        raise RuntimeError(ON_NETWORK)
    own = {} if address else {"address": "local", "include_dashboard": False}
    ray.init(log_to_driver=False, configure_logging=False, **own)


def _host_and_port(address: str) -> tuple[str, int] | None:
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    return (host.strip("[]"), int(port)) if colon and port.isdigit() else None


def _answers(head: tuple[str, int] | None) -> bool:
    """Whether somebody does within a while: a head that begins again may be back by then."""
    until = time.monotonic() + ANSWERS_WITHIN
    while head and time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(head, ANSWERS_WITHIN):
            return True
        time.sleep(LOOK_AGAIN)
    return not head


def _compute(task: Task, root: str, environment: dict[str, str]) -> Outcome:
    """On a machine of the cluster."""
    from pathlib import Path

    os.environ.update(environment)
    compute_in_one_thread()
    compile_lightly()
    import jax

    from lemmata.core import registry
    from lemmata.run.compile_cache import use_compile_cache

    for name, option in READ_ONCE.items():
        if name in environment and jax.config.values[option] != environment[name]:
            jax.config.update(option, environment[name])
    registry.forget()
    use_compile_cache()
    return task.attempt(Store(Path(root)), lambda *_: None)
