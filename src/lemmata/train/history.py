"""What a training loop recorded, and the long table that is stored of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


class History(dict[str, np.ndarray]):
    """Metrics by name, each of shape [replica, record] (more axes where a probe gives arrays), and their steps."""

    def __init__(self, metrics: Mapping[str, np.ndarray], steps: np.ndarray):
        super().__init__(metrics)
        self.steps = steps

    def table(self, *, names: Sequence[str] | None = None, **columns: Any) -> dict[str, np.ndarray]:
        """One row a replica and record. `columns` hold a value a replica, as `seed=seeds`; then come `step` and the
        scalar metrics (or those of them that are named)."""
        records = len(self.steps)
        chosen = [name for name, values in self.items() if values.ndim == 2] if names is None else names
        replicas = len(next(iter(self.values())))
        return {
            **{name: np.repeat(np.asarray(values), records) for name, values in columns.items()},
            "step": np.tile(self.steps, replicas),
            **{name: self[name].ravel() for name in chosen},
        }
