"""What theory predicts of the neurons of a one-step run: their structure, their order, and which they are."""

import numpy as np

from lemmata.core import RunResult
from lemmata.papers.lego.probe.neurons import fibre_magnitudes, learning_steps, model_of, replicas_of, table_of, winners
from lemmata.papers.lego.theory.curriculum import Curriculum, curriculum, rank_agreement
from lemmata.papers.lego.theory.features import balanced_structure, by_symbol, magnitude


def finite_structure(run: RunResult) -> dict[str, float]:
    """What conservation, cancelled confounding pairs and an output of exactly B give, in units of B: the balanced
    shares times psi / B."""
    (actions, values), model = table_of(run).shape, model_of(run)
    psi = magnitude(model.bound, model.sigma * np.log(model.vocab), model.smoothing, model.power)
    form = by_symbol(balanced_structure(values, actions // values))
    return {symbol: float(share * psi / model.bound) for symbol, share in form.items()}


def predicted_curricula(run: RunResult) -> list[Curriculum]:
    """By the initial magnitudes alone, one a seed."""
    return [curriculum(fibre_magnitudes(run, "initial", replica)) for replica in replicas_of(run)]


def order_agreement(run: RunResult, shift: int = 0) -> float:
    """Kendall's tau of learning times with the predicted order, mean over seeds; `shift` takes another seed's order."""
    ranks = [predicted.rank for predicted in predicted_curricula(run)]
    taus = [rank_agreement(learning_steps(run, i), ranks[(i + shift) % len(ranks)]) for i in replicas_of(run)]
    return float(np.mean(taus))


def predicted_neurons(run: RunResult) -> float:
    """The share of combinations that were learned by the neuron predicted at initialization."""
    same = [winners(run, "final", i) == predicted.neuron for i, predicted in enumerate(predicted_curricula(run))]
    return float(np.mean(same))
