"""A finished run over its training time, small enough to send: at most so many points a curve and frames a matrix."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from lemmata.core import Curves, Frames, RunResult, Undecided, View
from lemmata.run import Store
from lemmata.serve.figures import stored_runs
from lemmata.serve.question import Question

MOST_POINTS = 1_500  # of a curve
MOST_CURVES = 6  # of one picture
MOST_PICTURES = 12
MOST_CELLS = 120_000  # of all frames of a matrix
IDENTITIES = ("seed", "replica")


def playback(question: Question, store: Store) -> dict[str, Any]:
    """What the paper declared, then the recorded curves of every run that has steps."""
    runs = stored_runs(question, store)
    try:
        declared = list(question.selection.experiment.views(runs))
    except Undecided:  # changed settings may leave nothing to show
        declared = []
    pictures = declared + [view for name, run in runs.by_name.items() for view in recorded(name, run)]
    shown = [as_data(view) for view in pictures[:MOST_PICTURES]]
    return {"views": shown, "left_out": max(0, len(pictures) - MOST_PICTURES)}


def recorded(name: str, run: RunResult) -> Iterator[Curves]:
    """The mean over everything else of each number a run recorded by step."""
    metrics = run.metrics
    if "step" not in metrics or len(metrics["step"]) < 2:
        return
    steps, place = np.unique(np.asarray(metrics["step"]), return_inverse=True)
    if len(steps) < 2:
        return
    count = np.bincount(place)
    series = {}
    for column, values in metrics.items():
        if column in ("step", *IDENTITIES) or not np.issubdtype(np.asarray(values).dtype, np.number):
            continue
        series[column] = np.bincount(place, np.asarray(values, dtype=float)) / count
    for names in _by(list(series), MOST_CURVES):
        yield Curves(
            title=f"{name}: {', '.join(names)}",
            steps=steps,
            series={one: series[one] for one in names},
            note="The mean over all rows of a step.",
        )


def as_data(view: View) -> dict[str, Any]:
    """As JSON data, downsampled: of a curve the least and the largest of each stretch stay, so no spike is lost."""
    about = {"title": view.title, "note": view.note}
    if isinstance(view, Frames):
        cells = max(1, int(np.prod(view.values.shape[1:])))
        kept = _evenly(len(view.steps), max(2, MOST_CELLS // cells))
        values = np.asarray(view.values, dtype=float)[kept]
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        return about | {
            "type": "frames",
            "steps": _numbers(np.asarray(view.steps)[kept]),
            "rows": list(view.rows),
            "columns": list(view.columns),
            "values": [_numbers(frame.ravel(), 4) for frame in values],
            "range": [low, high],
        }
    kept = thinned(np.stack([np.asarray(one, dtype=float) for one in view.series.values()]), MOST_POINTS)
    series = {name: _numbers(np.asarray(values, dtype=float)[kept], 6) for name, values in view.series.items()}
    steps = _numbers(np.asarray(view.steps)[kept])
    return about | {"type": "curves", "steps": steps, "series": series, "band": list(view.band) if view.band else None}


def thinned(curves: np.ndarray, most: int) -> np.ndarray:
    """Places to keep of curves that share their steps: ends, and in each stretch every curve's least and largest."""
    length = curves.shape[1]
    if length <= most:
        return np.arange(length)
    stretches = np.array_split(np.arange(length), max(1, most // (2 * len(curves)) - 1))
    kept = {0, length - 1}
    for stretch in stretches:
        for curve in curves:
            part = curve[stretch]
            finite = np.isfinite(part)
            if finite.any():
                kept.add(int(stretch[np.where(finite, part, np.inf).argmin()]))
                kept.add(int(stretch[np.where(finite, part, -np.inf).argmax()]))
    return np.array(sorted(kept))


def _evenly(length: int, most: int) -> np.ndarray:
    return np.arange(length) if length <= most else np.unique(np.linspace(0, length - 1, most).round().astype(int))


def _numbers(values: np.ndarray, digits: int = 8) -> list[float | None]:
    return [float(f"{x:.{digits}g}") if np.isfinite(x) else None for x in values.astype(float)]


def _by(names: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
