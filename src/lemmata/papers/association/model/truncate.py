"""Rank truncation of named weight matrices (LASER, section 2.2) as a pure edit: a new model and what changed.

One decomposition of a matrix serves every rank. For a float32 matrix it is the eigendecomposition, in float64, of the
smaller Gram matrix: about ten times cheaper than an SVD, and exact to float32 rounding, because squaring the spectrum
costs half of float64's digits. A float64 matrix is decomposed by SVD.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import UserError, require, unknown


@dataclass(frozen=True)
class Change:
    """What truncation did to one matrix."""

    path: str
    shape: tuple[int, int]
    rank: int
    removed: float  # the Frobenius norm of the part taken away
    relative: float  # that norm over the matrix's own


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A matrix's singular values and vectors, ready for any rank: W = (W V) V^T, cut after k columns of V."""

    path: str
    matrix: Float[np.ndarray, "rows columns"]
    values: Float[np.ndarray, " small"]  # in falling order
    left: Float[np.ndarray, "large small"]  # W V, of W itself or of its transpose: whichever is tall
    right: Float[np.ndarray, "small small"]  # V

    @classmethod
    def of(cls, path: str, matrix: Float[np.ndarray, "rows columns"]) -> "Spectrum":
        left, values, right = _decompose_tall(matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T)
        return cls(path, matrix, values, left, right)

    def low_rank(self, rank: int) -> Float[np.ndarray, "rows columns"]:
        """The nearest matrix of this rank, by whichever product is shorter: the part kept or the part removed."""
        full, is_tall = len(self.values), self.matrix.shape[0] >= self.matrix.shape[1]
        if rank == full:
            return self.matrix
        if rank <= full // 2:
            cut = self.left[:, :rank] @ self.right[:, :rank].T
            return cut if is_tall else cut.T
        tail = self.left[:, rank:] @ self.right[:, rank:].T
        return self.matrix - (tail if is_tall else tail.T)

    def change(self, rank: int) -> Change:
        removed = float(np.linalg.norm(self.values[rank:]))
        total = float(np.linalg.norm(self.values))
        rows, columns = self.matrix.shape
        return Change(self.path, (rows, columns), rank, removed, removed / total if total > 0 else 0.0)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The decomposed matrices of one model; asks for any rank cost one product a matrix."""

    model: Any
    spectra: tuple[Spectrum, ...]

    def truncate(self, *, rank: int | None = None, fraction: float | None = None) -> tuple[Any, tuple[Change, ...]]:
        """The model with these matrices cut to `rank`, or to `floor(fraction * min(shape))` each."""
        model, changes = self.model, []
        for spectrum in self.spectra:
            kept = resolve_rank(spectrum.path, spectrum.matrix.shape, rank, fraction)
            model = replace_weight(model, spectrum.path, jnp.asarray(spectrum.low_rank(kept)))
            changes.append(spectrum.change(kept))
        return model, tuple(changes)


def truncate(
    model: Any, where: str | Sequence[str], *, rank: int | None = None, fraction: float | None = None
) -> tuple[Any, tuple[Change, ...]]:
    """A new model with the named matrices cut to a rank, and what changed. Rank 0 drops them.

    `where` names a matrix ("blocks.1.feed.inner") or a part of the model with all its matrices ("blocks.1.feed").
    """
    return decompose(model, where).truncate(rank=rank, fraction=fraction)


def decompose(model: Any, where: str | Sequence[str]) -> Decomposition:
    """Decompose the named matrices once, for every rank."""
    spectra = []
    for path in resolve_paths(model, where):
        spectra.append(Spectrum.of(path, np.asarray(weight_matrices(model)[path])))
    return Decomposition(model, tuple(spectra))


def truncate_compiled(model: Any, where: str | Sequence[str], fractions: Sequence[float]) -> tuple[Any, ...]:
    """The same edit for use under jit, inside a training run's probe: one model a fraction, one decomposition a matrix.

    The Gram matrix is decomposed in the weights' own type: singular vectors whose values agree to about 1e-3 of the
    largest may mix at the cut, which changes the cut matrix by less than that. `truncate` is the exact one.
    """
    models = [model] * len(fractions)
    matrices = weight_matrices(model)
    for path in resolve_paths(model, where):
        matrix = matrices[path]
        ranks = [resolve_rank(path, matrix.shape, None, fraction) for fraction in fractions]
        cut = _low_rank_compiled(matrix, ranks)
        models = [replace_weight(edited, path, new) for edited, new in zip(models, cut, strict=True)]
    return tuple(models)


def weight_matrices(model: Any) -> dict[str, Any]:
    """Every matrix of a model by its dotted path; of a model's shapes, the shapes."""
    found = {}
    for keys, leaf in jax.tree_util.tree_flatten_with_path(model)[0]:
        shaped = eqx.is_array(leaf) or isinstance(leaf, jax.ShapeDtypeStruct)
        if shaped and len(leaf.shape) == 2 and jnp.issubdtype(leaf.dtype, jnp.inexact):
            found[".".join(str(getattr(key, "name", getattr(key, "idx", key))) for key in keys)] = leaf
    return found


def replace_weight(model: Any, path: str, new: Float[Array, "rows columns"]) -> Any:
    """The model with one matrix replaced."""

    def get(tree: Any) -> Any:
        for name in path.split("."):
            tree = tree[int(name)] if name.isdigit() else getattr(tree, name)
        return tree

    return eqx.tree_at(get, model, new)


def resolve_paths(model: Any, where: str | Sequence[str]) -> tuple[str, ...]:
    """The matrices that `where` names, in the model's order."""
    names = (where,) if isinstance(where, str) else tuple(where)
    matrices = weight_matrices(model)
    chosen: dict[str, None] = {}
    for name in names:
        matched = [path for path in matrices if path == name or path.startswith(name + ".")]
        if not matched:
            raise unknown("weight", name, matrices)
        chosen |= dict.fromkeys(matched)
    return tuple(chosen)


def resolve_rank(path: str, shape: tuple[int, ...], rank: int | None, fraction: float | None) -> int:
    full = min(shape)
    if (rank is None) == (fraction is None):
        raise UserError(f"truncating {path}: give either a rank or a fraction")
    if rank is not None:
        require(0 <= rank <= full, "rank", rank, f"{path} is {shape[0]} x {shape[1]}: 0 to {full}")
        return rank
    assert fraction is not None
    require(0 <= fraction <= 1, "fraction", fraction, "in [0, 1]")
    return int(np.floor(fraction * full + 1e-9))  # so that 0.3 of 10 is 3


def _decompose_tall(
    tall: Float[np.ndarray, "rows columns"],
) -> tuple[Float[np.ndarray, "rows columns"], Float[np.ndarray, " columns"], Float[np.ndarray, "columns columns"]]:
    """W V, the singular values in falling order, and V."""
    if tall.dtype == np.float64:
        left, values, right = np.linalg.svd(tall, full_matrices=False)
        return left * values, values, right.T
    wide = tall.astype(np.float64)
    _, vectors = np.linalg.eigh(wide.T @ wide)
    right = vectors[:, ::-1].astype(tall.dtype)
    left = tall @ right
    return left, np.linalg.norm(left.astype(np.float64), axis=0), right


def _low_rank_compiled(
    matrix: Float[Array, "rows columns"], ranks: Sequence[int]
) -> list[Float[Array, "rows columns"]]:
    full = min(matrix.shape)
    if all(rank in (0, full) for rank in ranks):
        return [matrix if rank == full else jnp.zeros_like(matrix) for rank in ranks]
    tall = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    exact = jax.lax.Precision.HIGHEST
    _, vectors = jnp.linalg.eigh(jnp.matmul(tall.T, tall, precision=exact))
    right = vectors[:, ::-1]
    cut = []
    for rank in ranks:
        kept = right[:, :rank]
        low = jnp.matmul(jnp.matmul(tall, kept, precision=exact), kept.T, precision=exact)
        cut.append(matrix if rank == full else low if tall is matrix else low.T)
    return cut
