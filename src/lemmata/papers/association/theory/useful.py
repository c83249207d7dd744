"""Lemmas H.1 and H.2: the gradient of a linear classifier, and a sum."""

import numpy as np
from jaxtyping import Float, Int

Matrix = Float[np.ndarray, "width inputs"]


def _predicted(output: np.ndarray, weight: Matrix, x: np.ndarray) -> np.ndarray:
    logits = x @ weight.T @ output.T
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def sample_gradient(
    output: Float[np.ndarray, "classes width"],
    weight: Matrix,
    x: Float[np.ndarray, "samples inputs"],
    y: Int[np.ndarray, " samples"],
) -> Matrix:
    """(1/m) Σ_i Σ_k (p̂(k|x_i) - 1{y_i = k}) W_U(k) x_iᵀ."""
    surplus = _predicted(output, weight, x) - np.eye(len(output))[y]
    return output.T @ surplus.T @ x / len(x)


def population_gradient(
    output: Float[np.ndarray, "classes width"],
    weight: Matrix,
    x: Float[np.ndarray, "points inputs"],
    joint: Float[np.ndarray, "points classes"],
) -> Matrix:
    """Σ_k p(y = k) W_U(k) (μ̂_k - μ_k)ᵀ, for a law with mass `joint` on each (point, class)."""
    of_class, of_point = joint.sum(axis=0), joint.sum(axis=1)
    mean = joint.T @ x / of_class[:, None]
    predicted_mean = (_predicted(output, weight, x) * of_point[:, None]).T @ x / of_class[:, None]
    return output.T @ (of_class[:, None] * (predicted_mean - mean))


def weighted_power_sum(a: float, length: int) -> float:
    """Σ_{1 <= t <= T} t a^t = a(1 - a^T)/(a - 1)² + T a^(T+1)/(a - 1), for a != 1."""
    return a * (1 - a**length) / (a - 1) ** 2 + length * a ** (length + 1) / (a - 1)
