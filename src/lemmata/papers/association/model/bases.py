"""Random orthonormal bases, for the embeddings that the theory takes to be orthonormal."""

import numpy as np
from jaxtyping import Float

Basis = Float[np.ndarray, "width width"]


def random_bases(width: int, seed: int) -> tuple[Basis, Basis]:
    """Two independent ones: of the inputs and of the outputs."""
    stream = np.random.default_rng(seed)
    first, second = (np.linalg.qr(stream.normal(size=(width, width)))[0] for _ in range(2))
    return first, second
