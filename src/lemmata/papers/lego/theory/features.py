"""The features that one-step training leaves, (17) and (18), and why they are unequal for symmetry actions.

Every example (g, y) moves V_{j,r}(g) and V_{j,r}(y) by the same amount, so sum_g V(g) - sum_y V(y) never changes. With
the right pair at 2B in all and every confounding pair just cancelled, the four magnitudes follow for any fibre size.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Structure:
    """The magnitudes in neuron r_{j,y}, in units of B."""

    action: float  # V(g), g in the fibre of (j, y)
    value: float  # V(y)
    other_action: float  # V(g'), g' outside
    other_value: float  # V(y'), y' other than y


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


def magnitude(bound: float, bias: float, smoothing: float, power: int) -> float:
    """psi = (V(g) + V(y)) / 2 where the neuron says exactly B on its combination: sReLU(psi + b) = B, and beyond rho
    the smoothed ReLU is x - rho (1 - 1/q). The paper's rho and b vanish with d, and then psi is B."""
    return bound + smoothing * (1 - 1 / power) - bias
