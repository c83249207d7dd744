"""In what order runs are computed: the largest first, so that none is left running alone at the end."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from lemmata.core import RunConfig
from lemmata.core.config import encode
from lemmata.core.registry import papers
from lemmata.record import read_baseline
from lemmata.run.store import RECORD, Store


def shape(config: RunConfig) -> str:
    """The key of what decides programs and cost: kind and fields, without fractions, seeds and replication."""
    return _shape(config.kind, encode(config))


def largest_first(configs: Sequence[RunConfig], store: Store) -> list[RunConfig]:
    """By what runs of the same shape have cost before; those that nothing tells of come first, as they were given."""
    costs = run_costs(store)
    return sorted(configs, key=lambda config: -cost_of(config, costs))


def cost_of(config: RunConfig, costs: Mapping[str, float]) -> float:
    """The expected seconds of a run; infinite where nothing tells of its shape."""
    return costs.get(shape(config), float("inf")) * num_seeds(dataclasses.asdict(config))


def late_run(left: Mapping[str, float], helpers: Mapping[str, int], waiting: float, workers: int) -> str | None:
    """The run whose rest, with the help it has, takes longest, if that is more than a fair share of all that is left.

    `left` is in seconds of one worker by run under way, `waiting` that of all runs that are not begun.
    """
    alone = {digest: seconds / (1 + helpers.get(digest, 0)) for digest, seconds in left.items()}
    longest = max(alone, key=lambda digest: alone[digest], default=None)
    share = (sum(left.values()) + waiting) / workers
    return longest if longest is not None and alone[longest] > share else None


def run_costs(store: Store) -> dict[str, float]:
    """Seconds a seed by a run's shape: what the papers' kept verdicts cost, overruled by what this store has seen."""
    kept = {key: cost for paper in papers().values() for key, cost in read_baseline(paper).costs.items()}
    seen: dict[str, float] = {}
    for path in store.root.glob(f"*/{RECORD}"):
        try:
            key, seconds = recorded_cost(json.loads(path.read_text()))
            seen[key] = max(seen.get(key, 0.0), seconds)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # a damaged record tells no cost
    return kept | seen


def recorded_cost(record: Mapping[str, Any]) -> tuple[str, float]:
    """The shape of a stored run, and its seconds a seed."""
    return _shape(record["kind"], record["config"]), float(record["seconds"]) / num_seeds(record["config"])


def num_seeds(config: Mapping[str, Any]) -> int:
    seeds = config.get("seeds")
    return max(len(seeds), 1) if isinstance(seeds, list | tuple) else 1


def _shape(kind: str, config: dict[str, Any]) -> str:
    said = {name: value for name, value in config.items() if name not in ("seeds", "seed", "replication")}
    text = json.dumps([kind, _without_fractions(said)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _without_fractions(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_fractions(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_fractions(item) for item in value]
    return None if isinstance(value, float) else value
