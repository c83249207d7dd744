"""What a run of `FeatureFlow` leaves: the shape of every learned feature (Definitions B.4 and C.6), and its phases."""

from typing import Any

import numpy as np

from lemmata.core import RunResult, Undecided
from lemmata.papers.lego.task import action


def shapes(run: RunResult) -> dict[str, np.ndarray]:
    """By feature psi = (j, r, fibre, y), [seed * class * value]: its own `output` magnitude V_psi and `V(g)`, `V(y)`
    with means over the fibre; `other action`, `other value`: the means of V(g') and V(y'); the confounding composites'
    `highest`, `middle` and `lowest`; `incorrect`, the largest composite of a pair that shares no part with it."""
    table, found = action(run.config.action).table, []
    for acting, value, neuron in zip(
        run.arrays["final.action"], run.arrays["final.value"], run.arrays["neuron"], strict=True
    ):
        for j, y in np.ndindex(neuron.shape):
            r, fibre = neuron[j, y], table[:, y] == j
            of_action, of_value, others = acting[r, j], value[r, j], np.delete(value[r, j], y)
            inside, outside = of_action[fibre], of_action[~fibre]
            sides = ((outside + of_value[y]) / 2, (inside[:, None] + others[None]).ravel() / 2)
            confounding = np.concatenate(sides)
            found.append(
                {
                    "output": (inside.mean() + of_value[y]) / 2,
                    "V(g)": inside.mean(),
                    "V(y)": of_value[y],
                    "other action": outside.mean(),
                    "other value": others.mean(),
                    "highest": confounding.max(),
                    "middle": np.median(confounding),
                    "lowest": confounding.min(),
                    "incorrect": ((outside[:, None] + others[None]) / 2).max(),
                }
            )
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def unlearned(run: RunResult) -> np.ndarray:
    """By seed the largest V of any neuron that has learned nothing: feature indices of Sigma^{dagger,3}."""
    table, largest = action(run.config.action).table, []
    for acting, value, neuron in zip(
        run.arrays["final.action"], run.arrays["final.value"], run.arrays["neuron"], strict=True
    ):
        composite = (acting[..., None, :] + value[..., :, None]) / 2  # [neuron, class, value, action]
        idle = np.ones(composite.shape[:2], bool)
        for j in range(table.shape[1]):
            idle[neuron[j], j] = False
        if not idle.any():
            raise Undecided("every neuron has learned a feature")
        largest.append(composite[idle].max())
    return np.array(largest)


def learned_alone(run: RunResult) -> np.ndarray:
    """Which features one neuron holds by itself: those two neurons share are half as large in both."""
    found = shapes(run)
    return found["output"] > 0.8 * run.config.bound


def intervals(run: RunResult, since: str = "emerged") -> np.ndarray:
    """By seed the share of features, in the order in which they emerge, that are confident before the next emerges;
    or, `since` the start, before the whole of the next one's time."""
    found = []
    for begins, ends in zip(run.arrays["emerged"], run.arrays["confident"], strict=True):
        order = np.argsort(begins.ravel())
        starts, closes = begins.ravel()[order], ends.ravel()[order]
        if not np.isfinite(closes).all():
            raise Undecided("some features are not learned by the last step")
        found.append(np.mean(closes[:-1] <= (starts[1:] if since == "emerged" else 0)))
    return np.array(found)


def median(values: Any) -> float:
    return float(np.median(np.asarray(values)))
