"""The features that one-step training leaves, (17) and (18), and why they are unequal for symmetry actions.

Theorems B.1 and C.1, with the constant C_alpha of Lemma C.7.

Every example (g, y) moves V_{j,r}(g) and V_{j,r}(y) by the same amount, so sum_g V(g) - sum_y V(y) never changes. With
the right pair at 2B in all and every confounding pair just cancelled, the four magnitudes follow for any fibre size.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Structure:
    """The magnitudes in neuron r_{j,y}, in units of B."""

    action: float  # V(g), g in the fibre of (j, y)
    value: float  # V(y)
    other_action: float  # V(g'), g' outside
    other_value: float  # V(y'), y' other than y


def by_symbol(form: Structure) -> dict[str, float]:
    return {"V(g)": form.action, "V(y)": form.value, "V(g')": form.other_action, "V(y')": form.other_value}


def printed_structure(values: int, simply_transitive: bool) -> Structure:
    """(17) for simply transitive actions, (18) for symmetry ones."""
    if simply_transitive:
        return Structure(1.0, 1.0, -1.0, -1.0)
    return Structure(2.0, 2 / values, -2 / values, -2.0)


def balanced_structure(values: int, fibre: int) -> Structure:
    """The solution of V(g) + V(y) = 2B, V(g') + V(y) = V(g) + V(y') = 0 and sum_g V(g) = sum_y V(y).

    For a fibre of one it is (17); for a large fibre (18) up to 1/n_y: V(g) -> 2B (1 - 1/n_y), V(y) -> 2B/n_y.
    """
    value = 2 * (fibre + values - 1) / (values * (fibre + 1))
    return Structure(2 - value, value, -value, value - 2)


def c_alpha(actions: int, values: int) -> Fraction:
    """Lemma C.7: V(g) = C_alpha V(y), with C_alpha = (1 + n_G (n_y - 1) / n_y) / (n_y - 1 + n_G / n_y)."""
    fibre = Fraction(actions, values)
    return (1 + fibre * (values - 1)) / (values - 1 + fibre)


def split_before_cancelling(actions: int, values: int) -> Fraction:
    """V(g) / V(y) while every other class is silent: a value is met n_G / n_y times as often in its super-combination
    as each action (the proof of Lemma C.2); 1 for a simply transitive action (Lemma B.5)."""
    return Fraction(values, actions)


def emergence_time(start: float, end: float, actions: int, values: int, power: int, smoothing: float = 1.0) -> float:
    """The flow's time for b + V from `start` to `end` in Phase I, the other classes silent: Lemma B.13 of d(b + V)/dt =
    rate ((b + V) / rho)^(q - 1), where a pair has the probability 1 / (n_G n_y) and a super-combination 1 / n_y^2."""
    rate = (1 / (actions * values) + 1 / values**2) / 4 / smoothing ** (power - 1)
    return (start ** (2 - power) - end ** (2 - power)) / ((power - 2) * rate)


def least_slack(vocab: float, bound: float) -> float:
    """lambda of Fact B.2: 1 - p of a class at B where all others are at 0."""
    return float((vocab - 1) / (np.exp(bound) + vocab - 1))


def magnitude(bound: float, bias: float, smoothing: float, power: int) -> float:
    """psi = (V(g) + V(y)) / 2 where the neuron says exactly B on its combination: sReLU(psi + b) = B, and beyond rho
    the smoothed ReLU is x - rho (1 - 1/q). The paper's rho and b vanish with d, and then psi is B."""
    return bound + smoothing * (1 - 1 / power) - bias


def expected_power(mean: Float[np.ndarray, "..."], spread: float, power: int) -> Float[np.ndarray, "..."]:
    """E[max(mean + spread xi, 0)^power] of a standard normal xi (Corollary C.1)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return np.sum(np.maximum(mean[..., None] + spread * nodes, 0) ** power * weights / weights.sum(), axis=-1)
