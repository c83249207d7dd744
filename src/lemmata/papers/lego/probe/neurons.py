"""What a finished one-step run says about its neurons, read from the stored features. Arrays are [replica, ...]."""

from dataclasses import replace
from typing import Literal

import jax.numpy as jnp
import numpy as np

from lemmata.core import Recorded, RunResult, Undecided
from lemmata.papers.lego.model import TheoryConfig
from lemmata.papers.lego.probe.weights import Features
from lemmata.papers.lego.task import action

LEARNED = 0.25  # of B: a neuron whose composite magnitude is above it has learned that combination


def at_scale(run: RunResult, index: int) -> RunResult:
    """The seeds that started from one of the run's initial scales."""
    scales, count = run.config.scales, len(run.config.seeds)
    if index >= len(scales):
        raise Undecided(f"the run starts from {len(scales)} scales")
    start = range(len(scales))[index] * count
    arrays = Recorded({name: values[start : start + count] for name, values in run.arrays.items()})
    return RunResult(replace(run.config, scales=(scales[index],)), run.metrics, arrays, run.record)


def table_of(run: RunResult) -> np.ndarray:
    return action(run.config.task.action).table


def model_of(run: RunResult) -> TheoryConfig:
    """The model at the run's own (first) initial scale."""
    return replace(run.config.model, scale=run.config.scales[0])


def replicas_of(run: RunResult) -> range:
    return range(len(run.arrays["final.value"]))


def fibre_magnitudes(run: RunResult, moment: str, replica: int) -> np.ndarray:
    """V_{j,r} on the fibre of (j, y): [class, neuron, value]."""
    parts = (jnp.asarray(run.arrays[f"{moment}.{name}"][replica], float) for name in ("action", "value"))
    return np.asarray(Features(*parts).over_fibres(jnp.asarray(table_of(run))))


def median_structure(run: RunResult, unit: Literal["B", "psi"] = "B") -> dict[str, float]:
    """What the neuron with the largest magnitude for each combination holds, in units of B or of its own
    psi = (V(g) + V(y)) / 2; its `output` on the combination, sReLU(psi + b), always in units of B; and `confounding`,
    the largest composite of a pair that shares one part with the combination. Medians over combinations and seeds."""
    table, model = table_of(run), model_of(run)
    if not action(run.config.task.action).transitive or table.shape[1] < 2:
        raise Undecided(f"{run.config.task.action} is not transitive on two or more values")
    bias, rho, power = model.sigma * np.log(model.vocab), model.smoothing, model.power
    found = []
    for replica, (acting, value) in enumerate(zip(run.arrays["final.action"], run.arrays["final.value"], strict=True)):
        magnitudes = fibre_magnitudes(run, "final", replica)
        for j, y in np.ndindex(len(value), len(value)):
            r = int(np.argmax(magnitudes[j, :, y]))
            psi, in_fibre = magnitudes[j, r, y], table[:, y] == j
            size = model.bound if unit == "B" else psi
            of_action, of_value = acting[j, r] / size, value[j, r] / size
            inside, outside, others = of_action[in_fibre], of_action[~in_fibre], np.delete(of_value, y)
            x = psi + bias
            output = rho / power * np.clip(x / rho, 0, 1) ** power + max(x - rho, 0)
            found.append(
                {
                    "V(g)": inside.mean(),
                    "V(y)": of_value[y],
                    "V(g')": outside.mean(),
                    "V(y')": others.mean(),
                    "output": output / model.bound,
                    "confounding": max((outside + of_value[y]).max(), (inside[:, None] + others).max()) / 2,
                }
            )
    return {name: float(np.median(np.array([neuron[name] for neuron in found], float))) for name in found[0]}


def neurons_per_combination(run: RunResult) -> np.ndarray:
    """How many neurons of its class have learned each combination: [replica, class, value]."""
    limit = LEARNED * run.config.model.bound
    return np.stack([np.sum(fibre_magnitudes(run, "final", i) > limit, axis=1) for i in replicas_of(run)])


def winners(run: RunResult, moment: str, replica: int) -> np.ndarray:
    """The neuron with the largest magnitude for each combination: [class, value]."""
    return np.argmax(fibre_magnitudes(run, moment, replica), axis=1)


def distinct(run: RunResult) -> bool:
    """Whether, in every seed, no neuron is the largest for two combinations of its class."""
    rows = [row for replica in replicas_of(run) for row in winners(run, "final", replica)]
    return all(len(set(row)) == len(row) for row in rows)


def learning_steps(run: RunResult, replica: int) -> np.ndarray:
    """The step at which a neuron first holds half of B for each combination, one past the last if none does:
    [class, value]."""
    history = run.arrays["magnitude"][replica].max(axis=2)  # [record, class, value]
    passed = history > run.config.model.bound / 2
    return np.where(passed.any(axis=0), passed.argmax(axis=0), len(history)) * run.config.value.every
