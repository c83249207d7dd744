"""What a finished one-step run says about its neurons, read from the stored features. Arrays are [seed, ...]."""

from dataclasses import replace
from typing import Literal, NamedTuple

import jax.numpy as jnp
import numpy as np

from lemmata.core import RunResult
from lemmata.papers.lego.probe import Features, learned, learning_times
from lemmata.papers.lego.task import action
from lemmata.papers.lego.theory.curriculum import Curriculum, curriculum, rank_agreement
from lemmata.papers.lego.theory.features import Structure, balanced_structure, magnitude

Unit = Literal["B", "psi"]
SYMBOLS = {"V(g)": "action", "V(y)": "value", "V(g')": "other_action", "V(y')": "other_value"}
LEARNED = 0.25  # of B: a neuron whose composite magnitude is above it has learned that combination


class Neuron(NamedTuple):
    """What the neuron of one combination holds, in units of B or of its own psi = (V(g) + V(y)) / 2."""

    structure: Structure
    output: float  # what the neuron says on the combination, sReLU(psi + b), always in units of B
    confounding: float  # the largest composite of a pair that shares one part with the combination


def table_of(run: RunResult) -> np.ndarray:
    return action(run.config.task.action).table


def at_scale(run: RunResult, scale: float | None) -> RunResult:
    """The seeds that started from one of the run's initial scales."""
    count, index = len(run.config.seeds), run.config.scales.index(scale)
    arrays = {name: values[index * count : (index + 1) * count] for name, values in run.arrays.items()}
    return RunResult(replace(run.config, scales=(scale,)), run.metrics, arrays, run.record)


def features_of(run: RunResult, moment: str, replica: int) -> Features:
    return Features(*(jnp.asarray(run.arrays[f"{moment}.{name}"][replica], float) for name in ("action", "value")))


def fibre_magnitudes(run: RunResult, moment: str, replica: int) -> np.ndarray:
    """V_{j,r} on the fibre of (j, y): [class, neuron, value]."""
    return np.asarray(features_of(run, moment, replica).over_fibres(jnp.asarray(table_of(run))))


def neurons_of(run: RunResult, moment: str = "final", unit: Unit = "B") -> list[Neuron]:
    """The neuron with the largest magnitude for each combination, over all seeds."""
    found = []
    table, model = table_of(run), replace(run.config.model, scale=run.config.scales[0])
    bias, rho, power = model.sigma * np.log(model.vocab), model.smoothing, model.power
    for replica, (acting, value) in enumerate(
        zip(run.arrays[f"{moment}.action"], run.arrays[f"{moment}.value"], strict=True)
    ):
        magnitudes = fibre_magnitudes(run, moment, replica)
        for j, y in np.ndindex(len(value), len(value)):
            r = int(np.argmax(magnitudes[j, :, y]))
            psi, in_fibre = magnitudes[j, r, y], table[:, y] == j
            size = model.bound if unit == "B" else psi
            of_action, of_value = acting[j, r] / size, value[j, r] / size
            inside, outside = of_action[in_fibre], of_action[~in_fibre]
            others = np.delete(of_value, y)
            structure = Structure(*(float(x) for x in (inside.mean(), of_value[y], outside.mean(), others.mean())))
            confounding = max((outside + of_value[y]).max(), (inside[:, None] + others).max()) / 2
            x = psi + bias
            output = rho / power * np.clip(x / rho, 0, 1) ** power + max(x - rho, 0)
            found.append(Neuron(structure, float(output / model.bound), float(confounding)))
    return found


def median_structure(run: RunResult, moment: str = "final", unit: Unit = "B") -> dict[str, float]:
    """Medians over combinations and seeds."""
    neurons = neurons_of(run, moment, unit)
    found = {
        symbol: float(np.median([getattr(neuron.structure, part) for neuron in neurons]))
        for symbol, part in SYMBOLS.items()
    }
    return found | {
        "output": float(np.median([neuron.output for neuron in neurons])),
        "confounding": float(np.median([neuron.confounding for neuron in neurons])),
    }


def finite_structure(run: RunResult) -> dict[str, float]:
    """What conservation, cancelled confounding pairs and an output of exactly B give, in units of B: the balanced
    shares times psi / B."""
    actions, values = table_of(run).shape
    form, model = balanced_structure(values, actions // values), replace(run.config.model, scale=run.config.scales[0])
    psi = magnitude(model.bound, model.sigma * np.log(model.vocab), model.smoothing, model.power)
    return {symbol: float(getattr(form, part) * psi / model.bound) for symbol, part in SYMBOLS.items()}


def neurons_per_combination(run: RunResult, moment: str = "final") -> np.ndarray:
    """How many neurons of its class have learned each combination: [replica, class, value]."""
    replicas = len(run.arrays[f"{moment}.value"])
    limit = LEARNED * run.config.model.bound
    return np.stack([np.sum(fibre_magnitudes(run, moment, i) > limit, axis=1) for i in range(replicas)])


def distinct(run: RunResult, moment: str = "final") -> bool:
    """Whether, in every seed, no neuron is the largest for two combinations of its class."""
    table = jnp.asarray(table_of(run))
    replicas = range(len(run.arrays[f"{moment}.value"]))
    return all(bool(learned(features_of(run, moment, replica), table).distinct()) for replica in replicas)


def predicted_curricula(run: RunResult) -> list[Curriculum]:
    """By the initial magnitudes alone, one a seed."""
    replicas = len(run.arrays["initial.value"])
    return [curriculum(fibre_magnitudes(run, "initial", replica)) for replica in range(replicas)]


def learning_steps(run: RunResult, replica: int) -> np.ndarray:
    """The step at which a neuron first holds half of B for each combination: [class, value]."""
    history = run.arrays["magnitude"][replica].max(axis=2)  # [record, class, value]
    return learning_times(history, run.config.model.bound / 2) * run.config.value.every


def order_agreement(run: RunResult, shift: int = 0) -> float:
    """Kendall's tau of learning times with the predicted order, mean over seeds; `shift` takes another seed's order."""
    curricula = predicted_curricula(run)
    count = len(curricula)
    return float(
        np.mean([rank_agreement(learning_steps(run, i), curricula[(i + shift) % count].rank) for i in range(count)])
    )


def predicted_neurons(run: RunResult) -> float:
    """The share of combinations that were learned by the neuron predicted at initialization."""
    same = [
        np.argmax(fibre_magnitudes(run, "final", i), axis=1) == predicted.neuron
        for i, predicted in enumerate(predicted_curricula(run))
    ]
    return float(np.mean(same))
