"""One run after another, in this process."""

import jax

from lemmata.core import RunConfig
from lemmata.run.compile_cache import use_compile_cache
from lemmata.run.compiling import Compiling
from lemmata.run.execute import Progress, attempt
from lemmata.run.outcome import Outcome
from lemmata.run.store import Store
from lemmata.run.threads import compute_in_one_thread
from lemmata.run.xla_flags import compile_lightly

MANY_PROGRAMS = 1000  # a long sweep over sizes would fill the memory with them


class Here:
    slots = workers = 1

    def __init__(self, store: Store, progress: Progress) -> None:
        self._store, self._progress = store, progress
        self._waiting: list[RunConfig] = []
        self._compiling = Compiling().__enter__()
        compute_in_one_thread()
        compile_lightly()
        use_compile_cache()

    def start(self, config: RunConfig, *, helps: bool = False) -> None:
        self._waiting.append(config)

    def outcomes(self, seconds: float) -> list[Outcome]:
        found = [attempt(config, self._store, self._progress) for config in self._waiting]
        self._waiting.clear()
        if self._compiling.programs > MANY_PROGRAMS:
            jax.clear_caches()
            self._compiling.programs = 0
        return found

    def close(self) -> None:
        self._compiling.__exit__(None, None, None)
