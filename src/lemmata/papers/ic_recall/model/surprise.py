"""The first-step loss as a function of theta, with its gradient written out (eqs. 2-8 for any counts).

Training the reduced engine is a loop of steps so small that what costs time is the number of separate kernels, not
arithmetic: autodiff makes some twenty of them a step, and a matrix product among them costs more than all the rest.
Written like this, without one for k = 2, a step is three times faster. Tests compare the two.
"""

from functools import partial, reduce
from operator import add

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from lemmata.papers.ic_recall.model.pattern_model import LogCounts, Scores, Temperature, log_probability, matches
from lemmata.papers.ic_recall.task import correct_pattern

UNROLLED = 2  # pairs up to which sums over patterns are unrolled too: beyond, there are too many to be quick


@partial(jax.custom_jvp, nondiff_argnums=(4,))
def mean_surprise(
    theta: Scores, log_counts: LogCounts, weights: Float[Array, " rows"], temperature: Temperature, k: int
) -> Float[Array, ""]:
    """L_1 = - sum over rows of weight * log p_1(r*)."""
    return -weights @ log_probability(theta, log_counts, temperature, k)


@partial(mean_surprise.defjvp, symbolic_zeros=True)
def _mean_surprise_jvp(k, primals, tangents):
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
    shifted = scaled * (slope * norm * norm) + log_counts
    likely = jnp.exp(shifted - jax.lax.stop_gradient(jnp.max(shifted, axis=1, keepdims=True)))
    share = weights[:, None] / jnp.sum(likely, axis=1, keepdims=True)
    truth = np.arange(len(table)) == correct_pattern(k)
    q = jnp.sum(share * likely, axis=0) - jnp.asarray(truth, theta.dtype)
    if k <= UNROLLED:
        pull = jnp.stack([reduce(add, [q[p] for p in np.flatnonzero(column)]) for column in table.T])
    else:
        pull = q @ jnp.asarray(table, theta.dtype)
    pull = slope * pull.reshape(k + 1, k)
    v = (norm * weight).reshape(k + 1, 2)
    by_subject = jnp.sum(pull * v[:k, 1], axis=1)
    by_answer = jnp.sum(pull * v[:, :1], axis=0)
    gradient = jnp.stack([by_subject, jnp.pad(by_answer, (0, 1))], axis=1)
    return (v * (gradient - jnp.sum(v * gradient))).ravel()
