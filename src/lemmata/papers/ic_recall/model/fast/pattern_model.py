"""Equal to `DenseTransformer` trained on its position block: the reduced model, two attention vectors and no more.

With orthonormal embeddings and the memory of Lemma 3.1, a relation's first-step logit depends on the sequence only
through its pattern (eq. 16), and the second-step logits not at all (Appendix D). So theta, the EoS column of the
position block, and omega, the column of the decoded relation, are the whole model, whatever n, |R| and d are.
"""

from functools import cache
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import jax_zeros, require, to_jax
from lemmata.papers.ic_recall.task import Dataset, correct_pattern, patterns

Scores = Float[Array, " length"]
LogCounts = Float[Array, "rows patterns"]
Temperature = float | Float[Array, ""]


class PatternModel(eqx.Module):
    theta: Float[Array, "*replica length"]
    omega: Float[Array, "*replica length_plus_one"]
    other_answers: Float[Array, "*replica"]  # n - k - 1, how many answers the sequence does not contain
    k: int = eqx.field(static=True)

    @classmethod
    def zeros(cls, k: int, n: int) -> "PatternModel":
        """The start of Algorithm 1, uniform attention, in a world of n answers."""
        require(k >= 1, "k", k, "at least 1 in-context pair")
        require(n >= k + 1, "n", n, f"at least k + 1 = {k + 1} subjects")
        return cls(jax_zeros((2 * k + 2,)), jax_zeros((2 * k + 3,)), to_jax(float(n - k - 1)), k)

    def attention(self) -> Float[Array, " length"]:
        """v: how much EoS attends to s_1, a_1, ..., s_{k+1}, EoS."""
        return jax.nn.softmax(self.theta)

    def second_attention(self) -> Float[Array, " length_plus_one"]:
        """q: how much the decoded relation attends to the sequence and itself."""
        return jax.nn.softmax(self.omega)

    def first_logits(self) -> Float[Array, " patterns"]:
        """The logit of a relation by its pattern: sum_i v_i^2 + 2 sum over matches v(s_i) v(a_j) (eq. 16)."""
        return pattern_logits(self.attention(), self.k)

    def second_logits(self) -> Float[Array, " answers"]:
        """The logits of a_1, ..., a_{k+1} and of any answer the sequence does not contain (Appendix D)."""
        q = self.second_attention()
        subjects, relation = q[: 2 * self.k + 1 : 2], 1 + q[-1]
        shared = jnp.sum(subjects**2) + relation**2
        return jnp.append(shared + 2 * relation * subjects, shared)

    def second_log_counts(self) -> Float[Array, " answers"]:
        """How many answers have each of these logits, as logarithms."""
        others = jnp.where(self.other_answers > 0, jnp.log(jnp.maximum(self.other_answers, 1)), -jnp.inf)
        return jnp.append(jnp.zeros(self.k + 1), others)


def pattern_logits(v: Float[Array, " length"], k: int) -> Float[Array, " patterns"]:
    """First-step logits by pattern, as a function of the attention v."""
    products = jnp.outer(v[: 2 * k + 1 : 2], v[1 : 2 * k : 2]).ravel()
    return jnp.sum(v[:-1] ** 2) + 2 * jnp.asarray(matches(k), v.dtype) @ products


@cache
def matches(k: int) -> Float[np.ndarray, "patterns pairs"]:
    """1 where a pattern (row) contains the pair (subject i, answer j), at column i * k + j."""
    every = patterns(k)
    table = np.zeros((len(every), (k + 1) * k))
    for row, pattern in enumerate(every):
        for i, j in pattern:
            table[row, i * k + j] = 1
    return table


def log_probability(theta: Scores, log_counts: LogCounts, temperature: Temperature, k: int) -> Float[Array, " rows"]:
    """log p_1(r*) for each distinct sequence. Counts enter as logarithms: 10^36 relations are no problem."""
    scaled = pattern_logits(jax.nn.softmax(theta), k) / temperature
    return scaled[correct_pattern(k)] - jax.nn.logsumexp(scaled + log_counts, axis=1)


def second_loss(model: PatternModel, temperature: Temperature) -> Float[Array, ""]:
    """L_2: the cross-entropy of the query's answer given the true relation; the same for every sequence."""
    scaled = model.second_logits() / temperature
    return jax.nn.logsumexp(scaled + model.second_log_counts()) - scaled[model.k]


class Accuracy(NamedTuple):
    """`probability` given to the truth, and how often `argmax` decoding finds it, ties split evenly."""

    probability: Float[Array, ""]
    argmax: Float[Array, ""]


def first_accuracy(model: PatternModel, dataset: Dataset, temperature: Temperature) -> Accuracy:
    right = argmax_finds(model.first_logits(), dataset.counts, correct_pattern(model.k))
    likely = jnp.exp(log_probability(model.theta, dataset.log_counts, temperature, model.k))
    return Accuracy(dataset.weights @ likely, dataset.weights @ right)


def second_accuracy(model: PatternModel, temperature: Temperature) -> Accuracy:
    right = argmax_finds(model.second_logits(), jnp.exp(model.second_log_counts()), model.k)
    return Accuracy(jnp.exp(-second_loss(model, temperature)), right)


def argmax_finds(
    logits: Float[Array, "... kinds"], counts: Float[Array, "*rows kinds"], truth: int
) -> Float[Array, "*rows"]:
    """How often argmax decoding finds the truth, when this many tokens have each of the logits; ties split evenly."""
    present = jnp.where(counts > 0, logits, -jnp.inf)
    rounding = 64 * jnp.finfo(logits.dtype).eps  # logits are at most 4: equal ones differ in their last bits
    tied = present >= present.max(axis=-1, keepdims=True) - rounding
    return tied[..., truth] / jnp.sum(jnp.where(tied, counts, 0), axis=-1)
