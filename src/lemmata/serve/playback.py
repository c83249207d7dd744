"""A finished run over its training time, small enough to send: at most so many points a curve and frames a matrix."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lemmata.core import Curves, Frames, RunResult, Track, Undecided, View
from lemmata.run import Store
from lemmata.serve.figures import stored_runs
from lemmata.serve.question import Question

MOST_POINTS = 1_500  # of a curve
MOST_LINE = 400  # of a curve of theory
MOST_CURVES = 6  # of one picture
MOST_PICTURES = 16
MOST_CONDITIONS = 12  # values of a column that tells rows apart
MOST_CELLS = 120_000  # of all frames of a matrix
MOST_NUMBERS = 140_000  # of all pictures together: under 2 MB, however they are written
IDENTITIES = ("seed", "replica")


def playback(question: Question, store: Store) -> dict[str, Any]:
    """What the paper declared, then the recorded curves of every run that has steps."""
    runs = stored_runs(question, store)
    try:
        declared = list(question.selection.experiment.live.views(runs))
    except Undecided:  # changed settings may leave nothing to show
        declared = []
    pictures = declared + [view for name, run in runs.by_name.items() for view in recorded(name, run)]
    return sent(pictures)


def sent(pictures: Sequence[View]) -> dict[str, Any]:
    """As many pictures as can be looked at; they share what may be sent."""
    shown = pictures[:MOST_PICTURES]
    share = MOST_NUMBERS // max(len(shown), 1)
    return {"views": [as_data(view, share) for view in shown], "left_out": len(pictures) - len(shown)}


def recorded(name: str, run: RunResult) -> Iterator[Curves]:
    """Each number a run recorded by step, apart by the conditions it was recorded under; the mean over seeds."""
    metrics = {column: np.asarray(values) for column, values in run.metrics.items()}
    if "step" not in metrics or len(steps := np.unique(metrics["step"])) < 2:
        return
    under = [column for column in metrics if column not in ("step", *IDENTITIES) and _is_condition(metrics, column)]
    varying = [one for one in under if len(np.unique(metrics[one])) > 1 and not _is_of_the_seed(metrics, one)]
    rows = np.array([", ".join(f"{one} = {metrics[one][i]}" for one in varying) for i in range(len(metrics["step"]))])
    for column, values in metrics.items():
        if column in ("step", *IDENTITIES, *under) or not np.issubdtype(values.dtype, np.number):
            continue
        series = {}
        for label in np.unique(rows)[:MOST_CURVES]:
            mine = rows == label
            series[f"{column}, {label}" if label else column] = _mean(metrics["step"][mine], values[mine], steps)
        note = "The mean over seeds" + (" and whatever else has the same labels." if varying else ".")
        yield Curves(title=f"{name}: {column}", steps=steps, series=series, note=note)


def _is_condition(metrics: dict[str, np.ndarray], column: str) -> bool:
    """Whether it says under what a row was recorded, and is no measurement: each of its few values at every step."""
    values, steps = metrics[column], metrics["step"]
    if not np.issubdtype(values.dtype, np.number):
        return True
    few = np.unique(values)
    if len(few) > MOST_CONDITIONS:
        return False
    count = len(np.unique(steps))
    return all(len(np.unique(steps[values == value])) == count for value in few)


def _is_of_the_seed(metrics: dict[str, np.ndarray], column: str) -> bool:
    """Whether every seed has a value of its own, as a world's ceiling: then it tells no curves apart but seeds'."""
    seeds = next((metrics[name] for name in IDENTITIES if name in metrics), None)
    if seeds is None or len(np.unique(seeds)) < 2:
        return False
    return all(len(np.unique(metrics[column][seeds == seed])) == 1 for seed in np.unique(seeds))


def _mean(at: np.ndarray, values: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """At each of the steps; where nothing was recorded, not a number."""
    place = np.searchsorted(steps, at)
    count = np.bincount(place, minlength=len(steps))
    total = np.bincount(place, values.astype(float), minlength=len(steps))
    return np.divide(total, count, out=np.full(len(steps), np.nan), where=count > 0)


def as_data(view: View, most: int = MOST_CELLS) -> dict[str, Any]:
    """As JSON data of about so many numbers: of a curve the least and the largest of each stretch stay, so no spike is
    lost."""
    about = {"title": view.title, "note": view.note, "clock": view.clock}
    if isinstance(view, Frames):
        cells = max(1, int(np.prod(view.values.shape[1:])))
        kept = _evenly(len(view.steps), max(2, min(most, MOST_CELLS) // cells))
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
    if isinstance(view, Track):
        kept = _evenly(len(view.steps), min(MOST_POINTS, most // 4))
        part = _evenly(len(view.line[0]), MOST_LINE)
        return about | {
            "type": "track",
            "steps": _numbers(np.asarray(view.steps)[kept]),
            "x": _numbers(np.asarray(view.x)[kept], 6),
            "y": _numbers(np.asarray(view.y)[kept], 6),
            "labels": [view.x_label, view.y_label],
            "line": [_numbers(np.asarray(axis)[part], 6) for axis in view.line],
        }
    points = min(MOST_POINTS, most // (len(view.series) + 1))
    kept = thinned(np.stack([np.asarray(one, dtype=float) for one in view.series.values()]), points)
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
