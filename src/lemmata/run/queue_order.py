"""In what order runs are computed: the largest first, so that none is left running alone at the end."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from lemmata.core import RunConfig
from lemmata.core.config import encode
from lemmata.run.store import RECORD, Store

Shape = tuple[str, str]


def shape(config: RunConfig) -> Shape:
    """What decides a run's programs and its cost: its kind and its fields, without fractions, seeds, replication."""
    return _shape(config.kind, encode(config))


def largest_first(configs: Sequence[RunConfig], store: Store) -> list[RunConfig]:
    """By what runs of the same shape have cost before; those that no run tells of come first, as they were given."""
    costs: dict[Shape, float] = {}
    for path in store.root.glob(f"*/{RECORD}"):
        try:
            record = json.loads(path.read_text())
            found, seconds = _shape(record["kind"], record["config"]), float(record["seconds"])
            costs[found] = max(costs.get(found, 0.0), seconds / _num_seeds(record["config"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # a damaged record tells no cost

    def cost(config: RunConfig) -> float:
        return -costs.get(shape(config), float("inf")) * _num_seeds(dataclasses.asdict(config))

    return sorted(configs, key=cost)


def _shape(kind: str, config: dict[str, Any]) -> Shape:
    said = {name: value for name, value in config.items() if name not in ("seeds", "seed", "replication")}
    return kind, json.dumps(_without_fractions(said), sort_keys=True)


def _without_fractions(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_fractions(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_fractions(item) for item in value]
    return None if isinstance(value, float) else value


def _num_seeds(config: dict[str, Any]) -> int:
    seeds = config.get("seeds")
    return max(len(seeds), 1) if isinstance(seeds, list | tuple) else 1
