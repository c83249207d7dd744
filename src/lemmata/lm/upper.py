"""Only the layers above an edit are run again: what enters a layer does not depend on the layers above it.

The whole network's own forward pass is used, with the layers below made to hand on what they are given, so masks,
positions, norms and output are transformers' own, and the result is exact.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.core import UserError
from lemmata.lm.model import LanguageModel
from lemmata.lm.prompts import Batch, collect, run_batch
from lemmata.lm.roles import decoder_layer


class Upper:
    """The upper part of a model on fixed prompts: `layer` and all above it. Edits below it are refused."""

    def __init__(self, model: LanguageModel, prompts: Sequence[str], layer: int) -> None:
        groups = model.batches(prompts)
        self._fill(model, groups, layer, entering_states(model, groups, (layer,))[layer])

    @classmethod
    def at_each(cls, model: LanguageModel, prompts: Sequence[str], layers: Sequence[int]) -> dict[int, "Upper"]:
        """One for each of several layers, from one pass."""
        groups = model.batches(prompts)
        states = entering_states(model, groups, layers)
        uppers = {layer: cls.__new__(cls) for layer in layers}
        for layer, upper in uppers.items():
            upper._fill(model, groups, layer, states[layer])
        return uppers

    def _fill(self, model: LanguageModel, groups: tuple[Batch, ...], layer: int, states: list[Any]) -> None:
        self.model, self.layer = model, layer
        self._batches, self._states, self._below = groups, states, self._edits_below()

    def last_logits(self) -> Float[np.ndarray, "prompt vocabulary"]:
        """Logits of the token after each prompt, of the model as it stands now."""
        if self._edits_below() != self._below:
            raise UserError(f"a layer below {self.layer} was edited since its inputs were kept: keep them again")
        parts = []
        for batch, hidden in zip(self._batches, self._states, strict=True):
            with _starting_at(self.model.network, self.layer, hidden):
                parts.append(run_batch(self.model.network, batch))
        return collect(self._batches, parts)

    def _edits_below(self) -> list[Any]:
        return [edit for edit in self.model.in_place if edit.layer < self.layer]


def entering_states(model: LanguageModel, groups: Sequence[Batch], layers: Sequence[int]) -> dict[int, list[Any]]:
    """The hidden states that enter each of these layers, batch by batch."""
    states: dict[int, list[Any]] = {layer: [] for layer in layers}
    hooks = [
        decoder_layer(model.network, layer).register_forward_pre_hook(
            lambda module, given, layer=layer: states[layer].append(given[0].clone())
        )
        for layer in states
    ]
    try:
        for batch in groups:
            run_batch(model.network, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return states


@contextmanager
def _starting_at(network: Any, layer: int, hidden: Any) -> Iterator[None]:
    """The network with its layers below `layer` handing on what they get, and `hidden` entering `layer`."""
    below = [decoder_layer(network, number) for number in range(1, layer)]
    hook = decoder_layer(network, layer).register_forward_pre_hook(lambda module, given: (hidden, *given[1:]))
    try:
        for module in below:
            module.forward = _hand_on
        yield
    finally:
        hook.remove()
        for module in below:
            del module.forward


def _hand_on(hidden: Any, *rest: Any, **named: Any) -> Any:
    return hidden
