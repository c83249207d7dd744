"""One exact decomposition of a matrix serves every rank; it is kept on disk by the hash of the matrix.

The eigenvectors, in float64, of the smaller Gram matrix are the singular vectors of a float32 matrix: squaring the
spectrum costs half of float64's digits, and a third are left over. Where the smallest singular values are too close to
zero for that, the matrix is decomposed by SVD, in float64.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from lemmata.lm.place import cache_folder, whole_file
from lemmata.lm.roles import Matrix

if TYPE_CHECKING:
    from lemmata.lm.model import LanguageModel

SAFE_RATIO = 1e-4  # of the smallest singular value to the largest: above it, the Gram matrix has digits to spare


@dataclass(frozen=True, eq=False)
class Spectrum:
    """W = u diag(s) vt, singular values in falling order."""

    u: Float[np.ndarray, "out rank"]
    s: Float[np.ndarray, " rank"]
    vt: Float[np.ndarray, "rank in"]

    def only(self, matrix: Float[np.ndarray, "out in"], kept: Bool[np.ndarray, " rank"]) -> Float[np.ndarray, "out in"]:
        """The matrix with these directions alone, by the shorter product: of the part kept or the part removed."""
        if kept.all():
            return matrix.copy()
        if 2 * kept.sum() <= len(kept):
            return self._product(kept)
        return matrix - self._product(~kept)

    def _product(self, chosen: Bool[np.ndarray, " rank"]) -> Float[np.ndarray, "out in"]:
        return (self.u[:, chosen] * self.s[chosen]) @ self.vt[chosen]


def spectrum(model: "LanguageModel", matrix: Matrix) -> Spectrum:
    """The decomposition of one of a model's matrices as it stands, from the disk if it was made before."""
    return spectrum_of(matrix.get(model.network))


def spectrum_of(matrix: Float[np.ndarray, "out in"]) -> Spectrum:
    """The decomposition of a matrix, from the disk if it was made before."""
    file = cache_folder() / "spectra" / f"{_digest(matrix)}.safetensors"
    return _read(file, matrix) or _keep(file, decompose(matrix))


def decompose(matrix: Float[np.ndarray, "out in"]) -> Spectrum:
    """The exact decomposition, computed in float64 and rounded to float32."""
    is_tall = matrix.shape[0] >= matrix.shape[1]
    tall = (matrix if is_tall else matrix.T).astype(np.float64)
    squares, vectors = np.linalg.eigh(tall.T @ tall)
    if squares[0] > SAFE_RATIO**2 * squares[-1] > 0:
        right = vectors[:, ::-1]
        return _from_small_side(tall, right, is_tall)
    u, s, vt = np.linalg.svd(tall, full_matrices=False)
    return _oriented(u, s, vt, is_tall)


def _from_small_side(
    tall: Float[np.ndarray, "large small"], right: Float[np.ndarray, "small small"], is_tall: bool
) -> Spectrum:
    """W V holds the other side's vectors, each as long as its singular value."""
    stretched = tall @ right
    s = np.linalg.norm(stretched, axis=0)
    return _oriented(stretched / s, s, right.T, is_tall)


def _oriented(
    u: Float[np.ndarray, "large small"],
    s: Float[np.ndarray, " small"],
    vt: Float[np.ndarray, "small small"],
    is_tall: bool,
) -> Spectrum:
    left, right = (u, vt) if is_tall else (vt.T, u.T)
    return Spectrum(*(np.ascontiguousarray(part, dtype=np.float32) for part in (left, s, right)))


def _digest(matrix: Float[np.ndarray, "out in"]) -> str:
    whole = hashlib.sha256(f"{matrix.dtype} {matrix.shape}\n".encode())
    whole.update(np.ascontiguousarray(matrix).data)
    return whole.hexdigest()


def _keep(file: Path, found: Spectrum) -> Spectrum:
    """The small side alone is kept where the other follows from it and the matrix: a third of the room, or less."""
    parts = {"s": found.s, "u": found.u, "vt": found.vt}
    if found.s[-1] > SAFE_RATIO * found.s[0]:
        del parts["u" if found.u.shape[0] >= found.vt.shape[1] else "vt"]
    with whole_file(file) as trial:
        trial.write_bytes(save(parts))
    return found


def _read(file: Path, matrix: Float[np.ndarray, "out in"]) -> Spectrum | None:
    """What was kept, or None if there is nothing, or nothing whole."""
    try:
        parts = load_file(file)
    except (OSError, SafetensorError):
        return None
    if {"u", "s", "vt"} <= parts.keys():
        return Spectrum(parts["u"], parts["s"], parts["vt"])
    if "vt" in parts:
        stretched = matrix.astype(np.float64) @ parts["vt"].T.astype(np.float64)
        return Spectrum((stretched / parts["s"]).astype(np.float32), parts["s"], parts["vt"])
    stretched = parts["u"].T.astype(np.float64) @ matrix.astype(np.float64)
    return Spectrum(parts["u"], parts["s"], (stretched / parts["s"][:, None]).astype(np.float32))
