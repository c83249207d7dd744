"""What a run under way has recorded so far, read from the checkpoint it keeps anyway: looking costs it nothing."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from lemmata.core import Curves
from lemmata.run import Store
from lemmata.serve.playback import MOST_CURVES, as_data

PARTIAL = ".partial"  # of the store: a folder a run, a file a stage
ABOUT = "about"  # as the training loop writes it
LEAF = "leaf"


def so_far(store: Store, digest: str) -> list[dict[str, Any]]:
    """The curves of the stage that was written last; nothing where no checkpoint says what its rows are."""
    newest = max(((_age(path), path) for path in (store.root / PARTIAL / digest).glob("*.safetensors")), default=None)
    return _shown(newest[1], newest[0]) if newest else []


@lru_cache(maxsize=4)
def _shown(path: Path, age: int) -> list[dict[str, Any]]:
    """Read once, however many tabs look."""
    return [as_data(view) for view in _curves(path)]


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # the run has just ended
        return 0


def _curves(path: Path) -> list[Curves]:
    try:
        arrays = load_file(path)
        about = json.loads(bytes(arrays[ABOUT]))
        done = int(arrays["__step__"][0])
    except (OSError, SafetensorError, KeyError, ValueError):
        return []
    names = about["rows"]
    leaves = sorted(name for name in arrays if name.startswith(LEAF))[-len(names) :] if names else []
    rows = {name: arrays[leaf][:, :done] for name, leaf in zip(names, leaves, strict=True)}
    scalars = {name: values.astype(float).mean(axis=0) for name, values in rows.items() if values.ndim == 2}
    if done < 2 or not scalars:
        return []
    steps = np.arange(done) * about["every"]
    return [
        Curves(title=f"{path.stem}: {name}", steps=steps, series={name: values}, note="The mean over replicas, so far.")
        for name, values in list(scalars.items())[:MOST_CURVES]
    ]
