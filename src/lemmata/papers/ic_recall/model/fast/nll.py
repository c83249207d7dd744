"""Equal to the first-step loss under autodiff: the mean nll, its gradient in theta written out (eqs. 2-8).

Training the reduced model is a loop of steps so small that what costs time is the number of separate kernels, and of
exponentials. Autodiff makes some twenty kernels a step, and an exponential for each pattern of each row, though rows
differ in their counts alone. Written like this a step is several times faster.
"""

from functools import partial, reduce
from operator import add

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from lemmata.papers.ic_recall.model.fast.pattern_model import LogCounts, Scores, Temperature, log_probability, matches
from lemmata.papers.ic_recall.task import correct_pattern

MOST = 600.0  # in the exponent: beyond it, where p(r*) < exp(-600) in some row, the gradient is not exact but finite


@partial(jax.custom_jvp, nondiff_argnums=(4,))
def mean_nll(
    theta: Scores, log_counts: LogCounts, weights: Float[Array, " rows"], temperature: Temperature, k: int
) -> Float[Array, ""]:
    """L_1 = - sum over rows of weight * log p_1(r*)."""
    return -weights @ log_probability(theta, log_counts, temperature, k)


@partial(mean_nll.defjvp, symbolic_zeros=True)
def _mean_nll_jvp(k, primals, tangents):
    theta, log_counts, weights, temperature = primals
    others = (log_counts, weights, temperature)
    value = -weights @ log_probability(theta, log_counts, temperature, k)
    total = jnp.zeros_like(value)
    if not isinstance(tangents[0], SymbolicZero):
        total = total + jnp.sum(theta_gradient(theta, log_counts, weights, temperature, k) * tangents[0])
    moving = [i for i, tangent in enumerate(tangents[1:]) if not isinstance(tangent, SymbolicZero)]
    if moving:  # a derivative by the temperature or the data: rare, and left to autodiff

        def plain(*chosen):
            parts = list(others)
            for i, part in zip(moving, chosen, strict=True):
                parts[i] = part
            return -parts[1] @ log_probability(theta, parts[0], parts[2], k)

        at = tuple(others[i] for i in moving)
        total = total + jax.jvp(plain, at, tuple(tangents[1 + i] for i in moving))[1]
    return value, total


def theta_gradient(
    theta: Scores, log_counts: LogCounts, weights: Float[Array, " rows"], temperature: Temperature, k: int
) -> Scores:
    """dL_1/dtheta. With q = p - e_correct averaged over rows and G_ij = (2/T) sum of q over patterns that match (i, j):

    dL/dv(s_i) = sum_j G_ij v(a_j),   dL/dv(a_j) = sum_i G_ij v(s_i),   dL/dtheta = v (dL/dv - v . dL/dv).
    """
    table = matches(k)  # (patterns, pairs)
    weight = jnp.exp(theta - jax.lax.stop_gradient(jnp.max(theta)))
    norm = 1 / jnp.sum(weight)
    slope = 2 / temperature
    products = [weight[2 * i] * weight[2 * j + 1] for i in range(k + 1) for j in range(k)]
    scaled = reduce(add, [jnp.asarray(table[:, c], theta.dtype) * p for c, p in enumerate(products)])
    right = correct_pattern(k)  # it is there in every row: with its weight as the unit no sum over a row vanishes
    grown = jnp.exp(jnp.minimum((scaled - scaled[right]) * (slope * norm * norm), MOST))
    counts = jnp.exp(log_counts)
    q = grown * ((weights / (counts @ grown)) @ counts) - jnp.asarray(np.arange(len(table)) == right, theta.dtype)
    force = q @ jnp.asarray(table, theta.dtype)
    force = slope * force.reshape(k + 1, k)
    v = (norm * weight).reshape(k + 1, 2)
    by_subject = jnp.sum(force * v[:k, 1], axis=1)
    by_answer = jnp.sum(force * v[:, :1], axis=0)
    gradient = jnp.stack([by_subject, jnp.pad(by_answer, (0, 1))], axis=1)
    return (v * (gradient - jnp.sum(v * gradient))).ravel()
