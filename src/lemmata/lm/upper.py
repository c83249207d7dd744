"""Only the layers above an edit are run again: what enters a layer does not depend on the layers above it.

The whole network's own forward pass is used, with the layers below made to hand on what they are given, so masks,
positions, norms and output are transformers' own, and the result is exact.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.core import UserError
from lemmata.lm.model import LanguageModel
from lemmata.lm.prompts import collect, run_batch
from lemmata.lm.roles import decoder_layer


class Upper:
    """The upper part of a model on fixed prompts: `layer` and all above it. Edits below it are refused."""

    def __init__(
        self, model: LanguageModel, prompts: Sequence[str], layer: int, kept: "Entering | None" = None
    ) -> None:
        self.model, self.layer = model, layer
        self._kept = kept or Entering(model, prompts, (layer,))
        self._below = self._edits_below()

    @staticmethod
    def at_each(model: LanguageModel, prompts: Sequence[str], layers: Sequence[int]) -> "dict[int, Upper]":
        """One for each of several layers, from one pass."""
        kept = Entering(model, prompts, layers)
        return {layer: Upper(model, prompts, layer, kept) for layer in layers}

    def last_logits(self) -> Float[np.ndarray, "prompt vocabulary"]:
        """Logits of the token after each prompt, of the model as it stands now."""
        if self._edits_below() != self._below:
            raise UserError(f"a layer below {self.layer} was edited since its inputs were kept: keep them again")
        parts = []
        for batch, hidden in zip(self._kept.batches, self._kept.states[self.layer], strict=True):
            with _starting_at(self.model.network, self.layer, hidden):
                parts.append(run_batch(self.model.network, batch))
        return collect(self._kept.batches, parts)

    def _edits_below(self) -> list[Any]:
        return [edit for edit in self.model.in_place if edit.layer < self.layer]


class Entering:
    """The hidden states that enter some layers, batch by batch."""

    def __init__(self, model: LanguageModel, prompts: Sequence[str], layers: Sequence[int]) -> None:
        self.batches = model.batches(prompts)
        self.states: dict[int, list[Any]] = {layer: [] for layer in layers}
        hooks = []
        try:
            for layer in self.states:
                keep = partial(_keep_input, self.states[layer])
                hooks.append(decoder_layer(model.network, layer).register_forward_pre_hook(keep))
            for batch in self.batches:
                run_batch(model.network, batch)
        finally:
            for hook in hooks:
                hook.remove()


def _keep_input(states: list[Any], layer: Any, given: tuple[Any, ...]) -> None:
    states.append(given[0].clone())


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
