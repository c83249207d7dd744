"""Edits of a model's matrices: made in place for as long as a block lasts, then undone bit for bit."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from lemmata.lm.extra import library
from lemmata.lm.keep import Keep
from lemmata.lm.model import LanguageModel
from lemmata.lm.roles import Matrix, Role
from lemmata.lm.spectra import spectrum_of


@dataclass(frozen=True, kw_only=True)
class Change:
    """What one edit did to one matrix."""

    layer: int
    role: str
    shape: tuple[int, int]
    rank: int
    full: int
    energy: float  # the share of the squared Frobenius norm that is left
    change: float  # the Frobenius norm of what was taken away, over the matrix's own
    kept: str

    def __str__(self) -> str:
        rows, columns = self.shape
        return (
            f"{self.role} of layer {self.layer} ({rows} x {columns}): kept {self.kept}, "
            f"rank {self.rank} of {self.full}, {self.energy:.1%} of the energy; "
            f"Frobenius change {self.change:.3g} of the norm"
        )


@dataclass(frozen=True)
class Edit:
    """Keep a part of one matrix. Layers count from 1."""

    layer: int
    role: Role
    keep: Keep

    @property
    def matrix(self) -> Matrix:
        return Matrix(self.layer, self.role)

    def describe(self, model: LanguageModel) -> Change:
        """What this edit would change in the model as it stands; nothing is changed."""
        return changes(model, self)[0]


@contextmanager
def edited(model: LanguageModel, *edits: Edit) -> Iterator[LanguageModel]:
    """The model with the edits in place, one after the other; undone when the block ends, even by an error."""
    with _in_place(model, edits):
        yield model


def changes(model: LanguageModel, *edits: Edit) -> tuple[Change, ...]:
    """What each of these edits changes, each made after those before it."""
    with _in_place(model, edits) as made:
        return made


@contextmanager
def _in_place(model: LanguageModel, edits: tuple[Edit, ...]) -> Iterator[tuple[Change, ...]]:
    torch = library("torch")
    before, known = {}, len(model.in_place)
    try:
        made = []
        for edit in edits:
            weight = edit.matrix.parameter(model.network)
            before.setdefault(id(weight), (weight, weight.detach().clone()))
            made.append(_make(model, edit))
            model.in_place.append(edit)
        yield tuple(made)
    finally:
        with torch.no_grad():
            for weight, values in before.values():
                weight.copy_(values)
        del model.in_place[known:]


def _make(model: LanguageModel, edit: Edit) -> Change:
    old = edit.matrix.get(model.network)
    new = edit.keep.cut(old, lambda: spectrum_of(old))
    edit.matrix.set(model.network, new)
    norm = float(np.linalg.norm(old))
    full = min(old.shape)
    return Change(
        layer=edit.layer,
        role=edit.role,
        shape=(old.shape[0], old.shape[1]),
        rank=edit.keep.count(full),
        full=full,
        energy=float(np.linalg.norm(new)) ** 2 / norm**2 if norm > 0 else 1.0,
        change=float(np.linalg.norm(new - old)) / norm if norm > 0 else 0.0,
        kept=edit.keep.words(),
    )
