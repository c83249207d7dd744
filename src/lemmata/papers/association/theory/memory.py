"""Theorem 3: gradient flow of a linear associative memory with a common noise output (section 3.3, appendix G.2).

Orthonormal embeddings make the logits of each input a column of W: correct s, wrong w (n - 1 of them), noise v. From
W = 0 all inputs move alike and s + (n-1) w + v = 0, so that two margins carry the state:
    a = w - s,    b = v - s.
The loss is the mean over the n inputs, L = (1/n) sum_i CE_i; time is the time of dW/dt = -grad L.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp

from lemmata.core import require

Rates = Callable[[float, float], tuple[float, float]]


def probabilities(a: np.ndarray, b: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P(correct), P(each wrong token), P(noise) from the margins."""
    total = 1 + (n - 1) * np.exp(a) + np.exp(b)
    return np.asarray(1 / total), np.asarray(np.exp(a) / total), np.asarray(np.exp(b) / total)


def margin_rates(n: int, alpha: float, offset: float = 0.0) -> Rates:
    """(da/dt, db/dt), for any n: ds/dt = (1 - α - P_correct)/n, dw/dt = -P_wrong/n, dv/dt = (α - P_noise)/n.

    A W̄ of norm r on every input (equation 3) gives what all inputs share its weight once more: every label loses
    r² (α - P_noise)/n, which the noise wins n times over; so db/dt gains r² (n + 1)(α - P_noise)/n.
    """

    def rates(a: float, b: float) -> tuple[float, float]:
        total = 1 + (n - 1) * math.exp(a) + math.exp(b)
        rise, missing = 1 - alpha - 1 / total, alpha - math.exp(b) / total
        return (-math.exp(a) / total - rise) / n, (missing - rise + offset**2 * (n + 1) * missing) / n

    return rates


def printed_margin_rates(alpha: float) -> Rates:
    """Equation (43), n = 2, as printed."""

    def rates(a: float, b: float) -> tuple[float, float]:
        total = math.exp(a) + math.exp(b) + 1
        return (2 - 2 * math.exp(a)) / total - 2 + 2 * alpha, (2 - 8 * math.exp(b)) / total - 2 + 10 * alpha

    return rates


def printed_coefficient_rates(beta_1: float, beta_2: float, alpha: float) -> tuple[float, float]:
    """Equation (42), n = 2, as printed: the rates of β_1 and β_2 in W = β_1 [1,-1,0]^T[1,-1] + β_2 [1,1,-2]^T[1,1]."""
    correct, wrong, noise = probabilities(np.asarray(-2 * beta_1), np.asarray(-beta_1 - 3 * beta_2), 2)
    return float(wrong - correct + 1 - alpha), float(3 * noise - 3 * alpha)


def coefficient_rates(beta_1: float, beta_2: float, alpha: float) -> tuple[float, float]:
    """Equation (42) repaired: the basis matrices have squared norms 4 and 12, and the loss is a mean over two inputs,
    so the printed rates are 4 and 12 times too large."""
    first, second = printed_coefficient_rates(beta_1, beta_2, alpha)
    return first / 4, second / 12


class Trajectory(NamedTuple):
    time: Float[np.ndarray, " times"]
    a: Float[np.ndarray, " times"]
    b: Float[np.ndarray, " times"]


def integrate(rates: Rates, times: Float[np.ndarray, " times"]) -> Trajectory:
    """From a = b = 0 in log-time, u = log(1 + t), with a stiff solver (LSODA): b relaxes at once, a only as log t."""
    require(bool(times[0] >= 0 and np.all(np.diff(times) > 0)), "times", times[:2].tolist(), "increasing, from 0 on")

    def slope(u: float, y: np.ndarray) -> np.ndarray:
        da, db = rates(float(y[0]), float(y[1]))
        return math.exp(u) * np.array([da, db])

    u = np.log1p(times)
    found = solve_ivp(slope, (0.0, float(u[-1])), np.zeros(2), method="LSODA", t_eval=u, rtol=1e-10, atol=1e-12)
    require(bool(found.success), "rates", found.message, "an equation the solver can follow")
    return Trajectory(times, found.y[0], found.y[1])


def limit_b(alpha: float) -> float:
    """b -> log(α / (1 - α)): the full model predicts the noise with probability α. Printed, and right, for every n."""
    return float(np.log(alpha / (1 - alpha)))


def printed_constant(alpha: float) -> float:
    """lim t exp(a) as printed (Lemma H.3, n = 2)."""
    return 1 / ((1 - alpha) * (4 - 2 * alpha))


def printed_flow_constant(alpha: float) -> float:
    """lim t exp(a) of equation (43) as it stands: b follows a with an error of the same order as exp(a), which the
    printed derivation drops. With (1-α) e^b = α + (α - 1/5) e^a the factor 4 - 2α becomes 18/5."""
    return 1 / ((1 - alpha) * 18 / 5)


def constant(n: int, alpha: float) -> float:
    """lim t exp(a) of the true flow: 2n / ((n+1)(1-α)). For n = 2: 4 / (3 (1-α))."""
    return 2 * n / ((n + 1) * (1 - alpha))


def singular_values(a: np.ndarray, b: np.ndarray, n: int, offset: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Those of W: the signal's, -a with multiplicity n - 1, and the noise's, sqrt(n+1) |v| with direction all-ones. The
    sum of inputs with a W̄ of norm r is sqrt(1 + n r²) times as long: the same logits need so much less of W."""
    v = (-(n - 1) * a + n * b) / (n + 1)
    return np.asarray(-a), np.asarray(np.sqrt((n + 1) / (1 + n * offset**2)) * np.abs(v))


def noise_to_signal(n: int, offset: float = 0.0) -> float:
    """The limit of the noise's singular value over the signal's: (n-1)/sqrt(n+1), under 1 only for n = 2; at n = 3 it
    is 1 and the next order, (3/2) log(α/(1-α)), decides. With a W̄ of norm r it is under 1 where r² > (n-3)/(n+1)."""
    return (n - 1) / math.sqrt((n + 1) * (1 + n * offset**2))


def noise_is_smallest(n: int, alpha: float) -> bool:
    """Whether, for large t, the rank-(n-1) truncation removes the noise."""
    return n == 2 or (n == 3 and alpha < 0.5)


def crossing_time(n: int, alpha: float) -> float:
    """When the noise's singular value overtakes the signal's (n >= 4, α < 1/2), from the asymptotic a and b."""
    require(n >= 4, "n", n, "4 or more (for n = 2, 3 the noise stays smallest)")
    height = -n * limit_b(alpha) / (n - 1 - np.sqrt(n + 1))
    return float(constant(n, alpha) * np.exp(height))
