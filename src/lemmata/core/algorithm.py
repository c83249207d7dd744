"""An algorithm says how a model changes in one step; `lemmata.train.fit_many` is the one driver of them all."""

import abc
from typing import Any

import equinox as eqx
from jaxtyping import Array, Key, PyTree

Metrics = dict[str, Array]


class TrainState(eqx.Module):
    """Everything the next step needs: the model and what the optimizer remembers."""

    model: PyTree
    opt_state: PyTree


class AbstractAlgorithm(eqx.Module):
    @abc.abstractmethod
    def init(self, model: Any) -> TrainState:
        """The state before the first step."""

    @abc.abstractmethod
    def step(self, task: Any, state: TrainState, *, key: Key[Array, ""]) -> tuple[TrainState, Metrics]:
        """One update; the metrics are scalars measured before it."""
