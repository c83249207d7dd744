"""Runs computed and read back, for tests of the store and of whoever computes."""

from collections.abc import Iterable

from lemmata.core import RunConfig, RunResult
from lemmata.core.engine import EngineName
from lemmata.run import Reporter, RunFailed, Store, compute_all
from lemmata.run.scheduler import load


def obtain(
    configs: Iterable[RunConfig],
    store: Store,
    *,
    jobs: int = 1,
    engine: EngineName = "local",
    reporter: Reporter | None = None,
) -> dict[str, RunResult]:
    """Every config's result by digest; what is missing or damaged is computed first. `RunFailed` if one cannot be."""
    wanted = {config.digest: config for config in configs}
    for digest, reason in compute_all(wanted.values(), store, jobs=jobs, engine=engine, reporter=reporter).items():
        raise RunFailed(f"run {digest} of kind {wanted[digest].kind}: {reason}")
    return {digest: load(config, store, reporter) for digest, config in wanted.items()}
