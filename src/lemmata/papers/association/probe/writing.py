"""What a language model's layer reads and writes at a prompt's last token, and how that points at a word.

A layer's output goes, sooner or later, through the final norm to the output matrix: there, what a singular direction
writes is compared with the unembedding of a word.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from lemmata.lm.model import LanguageModel
from lemmata.lm.prompts import collect
from lemmata.lm.roles import Role, decoder_layer, final_norm, find_place


class LastTokens:
    """Hidden states of each prompt's last token, kept while a block of `watching` runs the prompts once."""

    def __init__(self, model: LanguageModel, prompts: Sequence[str]) -> None:
        self._batches = model.batches(prompts)
        self._seen: list[np.ndarray] = []

    def _keep(self, hidden: Any) -> None:
        batch = self._batches[len(self._seen)]
        self._seen.append(hidden[range(len(batch.rows)), batch.last].float().cpu().numpy())

    @contextmanager
    def of_input(self, model: LanguageModel, layer: int, role: Role) -> Iterator[None]:
        """What enters the matrix of this role."""
        module = decoder_layer(model.network, layer).get_submodule(find_place(model.network, role).module)
        with self._hooked(module.register_forward_pre_hook(lambda module, given: self._keep(given[0]))):
            yield

    @contextmanager
    def of_output(self, model: LanguageModel, layer: int) -> Iterator[None]:
        """What leaves the layer, through the final norm."""
        norm = final_norm(model.network)
        module = decoder_layer(model.network, layer)

        def keep(module: Any, given: Any, out: Any) -> None:
            self._keep(norm(out[0] if isinstance(out, tuple) else out))

        with self._hooked(module.register_forward_hook(keep)):
            yield

    @contextmanager
    def _hooked(self, hook: Any) -> Iterator[None]:
        self._seen = []
        try:
            yield
        finally:
            hook.remove()

    def states(self) -> Float[np.ndarray, "prompt width"]:
        return collect(self._batches, self._seen)


@dataclass(frozen=True)
class Pointer:
    """A word's unembedding, without what all words share."""

    vector: Float[np.ndarray, " width"]

    def direct_logits(self, written: Float[np.ndarray, "prompt width"]) -> Float[np.ndarray, " prompt"]:
        """By how much it raises the word's logit over the vocabulary's mean, straight to the output."""
        return written @ self.vector

    def overlap(self, written: Float[np.ndarray, "prompt width"]) -> float:
        """The cosine with what is written in the mean over prompts."""
        mean = written.mean(axis=0)
        size = float(np.linalg.norm(mean) * np.linalg.norm(self.vector))
        return float(mean @ self.vector) / size if size > 0 else 0.0


def pointer(model: LanguageModel, word: str) -> Pointer:
    """`word` with the space before it."""
    rows = model.network.get_output_embeddings().weight.detach().float().cpu().numpy()
    return Pointer(rows[model.first_token(word)] - rows.mean(axis=0))


def constancy(coordinates: Float[np.ndarray, "prompt direction"]) -> Float[np.ndarray, " direction"]:
    """1 where a coordinate is the same at every prompt, 0 where it is as often up as down by as much."""
    size = np.sqrt((coordinates**2).mean(axis=0))
    return np.divide(np.abs(coordinates.mean(axis=0)), size, out=np.zeros_like(size), where=size > 0)
