"""What a run under way has recorded so far, read from the checkpoint it keeps anyway: looking costs it nothing."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from lemmata.core import Curves
from lemmata.run import Store
from lemmata.serve.live_rules import LiveRule
from lemmata.serve.playback import MOST_CURVES, as_data

PARTIAL = ".partial"  # of the store: a folder a run, a file a stage
ABOUT = "about"  # as the training loop writes it
LEAF = "leaf"


def so_far(store: Store, digest: str, requested: Mapping[str, LiveRule] | None = None) -> list[dict[str, Any]]:
    """The curves of the stage that was written last; nothing where no checkpoint says what its rows are. What claims
    ask of some rows (`asked`, by row) stands with their curves, which come first."""
    newest = max(((_age(path), path) for path in (store.root / PARTIAL / digest).glob("*.safetensors")), default=None)
    requested, shown = requested or {}, _shown(newest[1], newest[0]) if newest else {}
    named = sorted(shown, key=lambda row: (list(requested).index(row) if row in requested else len(requested), row))
    found = []
    for row in named[:MOST_CURVES]:
        view, now = shown[row]
        found.append(view | requested[row].of(now) if row in requested else view)
    return found


@lru_cache(maxsize=4)
def _shown(path: Path, age: int) -> dict[str, tuple[dict[str, Any], np.ndarray]]:
    """By row, its curve and its last value of every replica; read once, however many tabs look."""
    return {row: (as_data(view), now) for row, (view, now) in _curves(path).items()}


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # the run has just ended
        return 0


def _curves(path: Path) -> dict[str, tuple[Curves, np.ndarray]]:
    try:
        arrays = load_file(path)
        about = json.loads(bytes(arrays[ABOUT]))
        done = int(arrays["__step__"][0])
    except (OSError, SafetensorError, KeyError, ValueError):
        return {}
    names = about["rows"]
    leaves = sorted(name for name in arrays if name.startswith(LEAF))[-len(names) :] if names else []
    rows = {name: arrays[leaf][:, :done] for name, leaf in zip(names, leaves, strict=True)}
    scalars = {name: values.astype(float) for name, values in rows.items() if values.ndim == 2}
    if done < 2:
        return {}
    steps, note = np.arange(done) * about["every"], "The mean over replicas, so far."
    return {
        name: (
            Curves(title=f"{path.stem}: {name}", steps=steps, series={name: values.mean(axis=0)}, note=note),
            values[:, -1],
        )
        for name, values in scalars.items()
    }
