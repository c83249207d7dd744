"""Appendix C: one large step, the curvature after it, and how the gap between r_1 and r_2 grows."""

import numpy as np
from jaxtyping import Float
from scipy.special import bdtrc  # scipy.stats takes as long to load as all the rest of a command

from lemmata.papers.ic_recall.theory.numbers import Real

Scores = Float[np.ndarray, "*batch 6"]


def confusing_curvature(temperature: Real, p2: Real = 0.5) -> Real:
    """f''(0) on a confusing sequence at v = 1/6: -p_2 / (9T), from p_1'' = p_1 p_2 / (9T)."""
    return -p2 / (9 * temperature)


def escape_rate(p2: Real = 0.5) -> Real:
    """-T lambda_min / p_conf of L_1 after Stage 1, as T falls: along (1, 1, -1, -1, 0, 0)/2."""
    return -confusing_curvature(1.0, p2)


def printed_confusing_curvature(temperature: Real, p2: Real = 0.5) -> Real:
    """-p_1''/p_1 with the printed term I = p_1 p_2 / (12T)."""
    return -p2 / (12 * temperature)


# Proof of Lemma C.2 at v = 1/6 along (1, 1, -1, -1, 0, 0)/2.
# v''(0) = v_i (e_i^2 - 1/6); the print has v_i / 12 throughout.
CURVE_ACCELERATION = np.array([1, 1, 1, 1, -2, -2]) / 72
PRINTED_CURVE_ACCELERATION = np.ones(6) / 72
SECOND_ORDER_PARTS = np.array([1 / 36, 1 / 36, 1 / 9, 0, 5 / 36, 1 / 36])  # grad.v'' (l_1, l_2), v'Hv' (both), l''
PRINTED_SECOND_ORDER_PARTS = np.array([1 / 24, 1 / 24, 1 / 12, 0, 1 / 8, 1 / 24])


def gap(v: Scores) -> Real:
    """g = (v_1 - v_3)(v_2 - v_4) of Lemma C.3; l(r_1) - l(r_2) = 2g."""
    return (v[..., 0] - v[..., 2]) * (v[..., 1] - v[..., 3])


def printed_confusing_gradient(v: Scores, p2: Real, temperature: float) -> Scores:
    """Lemma C.3's gradient of l_1 in v on a confusing sequence, as printed (exponentially small terms dropped).

    It lacks a factor 2, which eqs. (26)-(29) have."""
    v1, v2, v3, v4, _, _ = np.moveaxis(v, -1, 0)
    rows = (p2 * (v4 - v2), p2 * (v3 - v1), p2 * (v2 - v4), p2 * (v1 - v3), 0 * v1, 0 * v1)
    return np.stack(rows, axis=-1) / temperature


def eq_26_27_28(v: Scores, p2: Real, temperature: float) -> Float[np.ndarray, "*batch 3"]:
    """Eqs. (26), (27) and the display above (28), without their exponentially small terms (p_conf = 1)."""
    v1, v2, v3, v4, _, _ = np.moveaxis(v, -1, 0)
    g, scale = gap(v), 2 * p2 / temperature
    eq_26 = (v1**2 + v3**2) * (v2 - v4) + 2 * (v3**2 - v1**2) * g
    eq_27 = (v2**2 + v4**2) * (v1 - v3) + 2 * (v4**2 - v2**2) * g
    eq_28 = (2 * (v**2).sum(-1) - (v1 + v2 + v3 + v4)) * g
    return np.stack([scale * eq_26, scale * eq_27, scale * eq_28], axis=-1)


def confusing_accuracy_bounds(
    g: np.ndarray, temperature: float, n: float, exponent: float
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bound on p(r_1) for a confusing sequence; the print of Lemma C.3 has exponent 1, right is 2."""
    upper = 1 / (1 + np.exp(-exponent * g / temperature))
    rest = 4 * np.exp(-np.sqrt(1 / temperature)) + n**2 * np.exp(-1 / (18 * temperature))
    return 1 / (1 / upper + rest), upper


def sample_size(zeta: Real, delta: Real) -> Real:
    """Proof of Theorem 4.4, as printed: |D| >= (13/zeta) log(1/delta) sequences."""
    return 13 / zeta * np.log(1 / delta)


def chernoff_sample_size(zeta: Real, delta: Real) -> Real:
    """What Chernoff's bound gives: 2 exp(-zeta |D| / 8) <= delta / 3, so |D| >= (8/zeta) log(6/delta)."""
    return 8 / zeta * np.log(6 / delta)


def failure_probability(size: int, zeta: float, fraction: float = 0.5) -> float:
    """P(p_conf < zeta/2 or p_mis < zeta/2), or another fraction of zeta: two independent draws at the assumption's
    edge."""
    enough = bdtrc(np.ceil(size * zeta * fraction) - 1, size, zeta)
    return float(1 - enough**2)


def start_odds(temperature: Real, once: Real, never: Real) -> Real:
    """Of all relations that match once or never against r_1, at v = 1/6: 1/p(r_1) is I(Z) more (proof of Lemma C.1)."""
    return once * np.exp(-1 / (18 * temperature)) + never * np.exp(-1 / (9 * temperature))


def log_start_odds(temperature: Real, once: Real, never: Real) -> Real:
    return np.logaddexp(np.log(once) - 1 / (18 * temperature), np.log(never) - 1 / (9 * temperature))
