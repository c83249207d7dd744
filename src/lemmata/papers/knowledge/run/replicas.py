"""Many models of one shape, each with its task and key: side by side on a GPU, one after another on a CPU.

On a CPU replicas would take turns inside a program that is made for their number. Here they take them outside it, so
one program serves every number of seeds, in every run of that shape.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from lemmata.core import AbstractAlgorithm, TrainState, platform, to_jax
from lemmata.train import History, fit_many, stack
from lemmata.train.loop import Replicas


def fit_each(
    algorithm: AbstractAlgorithm,
    tasks: list[Any],
    start: TrainState,
    keys: Any,
    *,
    stage: str,
    replicas: Replicas = "vmap",
    **watched: Any,
) -> tuple[TrainState, History]:
    """As `fit_many`, with a list of tasks; `replicas` says how on a GPU."""
    if platform() != "cpu":
        return fit_many(algorithm, stack(tasks), start, keys, replicas=replicas, stage=stage, **watched)
    found = []
    for place, task in enumerate(tasks):
        here, name = slice(place, place + 1), f"{stage}, {place + 1} of {len(tasks)}"
        alone = stack([task]), part_of(start, here), keys[here]
        found.append(fit_many(algorithm, *alone, stage=name, **watched))
    states, histories = zip(*found, strict=True)
    rows = {name: np.concatenate([one[name] for one in histories]) for name in histories[0]}
    return side_by_side(states), History(rows, histories[0].steps)


def part_of(stacked: Any, where: slice) -> Any:
    return jax.tree.map(lambda leaf: to_jax(np.asarray(leaf)[where]), stacked)


def side_by_side(stacks: Sequence[Any]) -> Any:
    """Stacks as one."""
    return jax.tree.map(lambda *leaves: to_jax(np.concatenate([np.asarray(leaf) for leaf in leaves])), *stacks)
