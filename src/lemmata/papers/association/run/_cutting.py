"""Cuts of one matrix at several layers and ranks, all on the same prompts: only the layers above a cut run again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lemmata.core import named_integer
from lemmata.lm.edit import Edit, edited
from lemmata.lm.keep import Keep, Largest, RandomSubspace, Scaled
from lemmata.lm.model import LanguageModel
from lemmata.lm.roles import Role
from lemmata.lm.upper import Upper
from lemmata.papers.association.run._questions import Questions, Reader

Readings = dict[str, np.ndarray]


@dataclass(frozen=True)
class Bench:
    """A model before fixed prompts, ready to be cut at any of some layers."""

    model: LanguageModel
    uppers: dict[int, Upper]
    read: Reader
    whole: Readings

    def cut(self, layer: int, role: Role, keep: Keep) -> Readings:
        with edited(self.model, Edit(layer, role, keep)):
            return self.read(self.uppers[layer].last_logits())


def bench(model: LanguageModel, questions: Questions, layers: Sequence[int]) -> Bench:
    read = Reader(model, questions)
    return Bench(
        model, Upper.at_each(model, questions.prompts, layers), read, read(model.last_logits(questions.prompts))
    )


def upper_layers(layers: int, share: float) -> tuple[int, ...]:
    """The upper layers, so large a share of all, at least one."""
    count = max(1, round(share * layers))
    return tuple(range(layers - count + 1, layers + 1))


def subspaces(share: float, count: int, seed: int) -> Iterator[tuple[int, RandomSubspace]]:
    """Random subspaces of the same rank as a truncation's."""
    for number in range(count):
        yield number, RandomSubspace(share, named_integer(seed, "subspace", str(number)))


def removals(share: float) -> dict[str, Keep]:
    """What a cut must be more than: the whole matrix dropped, and scaled by the share of its directions that stay."""
    return {"dropped": Largest(0), "scaled": Scaled(share)}


class Counter:
    """Tells whoever watches how many of all edits are made."""

    def __init__(self, tell: Callable[[str, int, int], None], stage: str, total: int) -> None:
        self._tell, self._stage, self._total, self._done = tell, stage, total, 0

    def one(self) -> None:
        self._done += 1
        self._tell(self._stage, min(self._done, self._total), self._total)
