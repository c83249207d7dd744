"""Captions and tables of the extraction figures: sizes, what pre-training reached, curves with their spread."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lemmata.papers.knowledge.claims._tuned import READ_AT, Tuned
from lemmata.report.plots import columns


def described(*shown: Tuned) -> str:
    """Sizes and what pre-training reached, for captions."""
    config = shown[0].run.config
    facts, one = config.facts, len(shown) == 1
    reached = "; ".join(
        ("" if one else f"K = {each.multiplicity}: ")
        + f"accuracy {each.accuracy:.3f}, loss {each.excess:.3f} nats over the least"
        for each in shown
    )
    return (
        f"N = {facts.subjects}, |R| = {facts.templates}{f', K = {facts.multiplicity}' if one else ''}, "
        f"d = {config.model.width}; extraction is read after {min(READ_AT, config.tuning.steps)} fine-tuning steps. "
        f"Pre-training reached: {reached}. Mean and one standard deviation of {len(config.seeds)} seeds."
    )


def reached(*shown: Tuned) -> dict[str, list[float]]:
    """Of pre-training, a row a run."""
    accuracy, excess = [one.accuracy for one in shown], [one.excess for one in shown]
    return {"pre-training accuracy": accuracy, "loss over the least": excess}


def curve_table(curves: Mapping[str, tuple[Any, Any]], axis: str, *shown: Tuned) -> dict[str, list[Any]]:
    """Curves, beside what pre-training reached (in the only run, or in the run at each place)."""
    rows = [
        {"curve": name, axis: place, "mean": float(mean), "std": float(std)}
        for name, (places, values) in curves.items()
        for place, mean, std in zip(np.asarray(places).tolist(), values.mean(axis=0), values.std(axis=0), strict=True)
    ]
    return columns(rows) | reached(*shown * (len(rows) // len(shown)))
