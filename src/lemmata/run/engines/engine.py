"""What an engine is, and which one is asked for."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from lemmata.core import RunConfig, unknown
from lemmata.core.engine import ENGINES
from lemmata.run.execute import Progress
from lemmata.run.outcome import Outcome
from lemmata.run.store import Store

NO_WORKERS = (
    "worker processes end as soon as they start (their own words are above): a script that asks for several jobs "
    "does so beneath `if __name__ == '__main__':`; --jobs 1 needs none"
)


@runtime_checkable
class Engine(Protocol):
    """Computes runs into a store. It need not know of leases, of order or of how often a run is tried again."""

    slots: int  # how many runs it takes at a time
    workers: int  # how many it computes at a time; those without a run help with one

    def start(self, config: RunConfig, *, helps: bool = False) -> None:
        """Begin a run, from its checkpoint if it has one; or help with one that is under way."""
        ...

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        """How runs ended, after waiting for at most so long."""
        ...

    def close(self) -> None:
        """Stop whatever is still under way."""
        ...


def start_engine(name: str, store: Store, jobs: int, progress: Progress) -> Engine:
    """The engine of that name; `jobs` at a time. What is not installed is told in one line."""
    if name == "local" and jobs == 1:
        from lemmata.run.engines.here import Here

        return Here(store, progress)
    if name == "local":
        from lemmata.run.engines.local import Local

        return Local(store, jobs, progress)
    if name == "ray":
        from lemmata.run.engines.ray import Ray

        return Ray(store, progress)
    raise unknown("engine", name, ENGINES)
