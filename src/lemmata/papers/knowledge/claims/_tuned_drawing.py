"""Captions and tables of the extraction figures: sizes, what pre-training reached, curves with their spread."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lemmata.papers.knowledge.claims._tuned import READ_AT, Tuned

TAUGHT = {"asked": ("their own answers", "blue"), "shuffled": ("answers of others", "vermillion")}  # names begin so

Curves = Mapping[str, tuple[Any, np.ndarray]]


def described(*shown: Tuned) -> str:
    """Sizes and what pre-training reached, for captions."""
    config = shown[0].run.config
    facts, one = config.facts, len(shown) == 1
    reached = "; ".join(
        ("" if one else f"K = {each.run.config.facts.multiplicity}: ")
        + f"accuracy {each.accuracy:.3f}, loss {each.excess:.3f} nats over the least"
        for each in shown
    )
    return (
        f"N = {facts.subjects}, |R| = {facts.templates}{f', K = {facts.multiplicity}' if one else ''}, "
        f"d = {config.model.width}; extraction is read after {min(READ_AT, config.tuning.steps)} fine-tuning steps. "
        f"Pre-training reached: {reached}. Mean and one standard deviation of {len(config.seeds)} seeds."
    )


def long_table(curves: Curves, axis: str, *shown: Tuned) -> dict[str, list[Any]]:
    """Curves as columns of name, place, mean and standard deviation over seeds, beside what pre-training reached
    (of the only run, or of the run at each place)."""
    rows = [
        (name, np.asarray(place).item(), float(mean), float(std), owner.accuracy, owner.excess)
        for name, (places, values) in curves.items()
        for place, mean, std, owner in zip(
            places,
            values.mean(axis=0),
            values.std(axis=0),
            shown * len(places) if len(shown) == 1 else shown,
            strict=True,
        )
    ]
    names = ("curve", axis, "mean", "std", "pre-training accuracy", "loss over the least")
    return {name: [row[column] for row in rows] for column, name in enumerate(names)}


def joined(*tables: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Tables of the same columns, one under the other."""
    return {name: [value for table in tables for value in table[name]] for name in tables[0]}
