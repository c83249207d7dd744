"""Equal to `token_loss` on a `MemoryTransformer`, from pattern counts: the exact memory without a look at the table.

With orthonormal embeddings the memory of Lemma 3.1 sees a sequence through its attention weights and its pattern counts
alone (eq. 16 and Appendix D). That stays exact when attention depends on tokens, so the full W^KQ can be trained at a
cost that does not grow with |R| beyond the width of its embeddings.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.ic_recall.model.fast.attention import both_attentions
from lemmata.papers.ic_recall.model.fast.pattern_model import Temperature, argmax_finds, pattern_logits
from lemmata.papers.ic_recall.model.transformer import MemoryTransformer
from lemmata.papers.ic_recall.task import correct_pattern


def nlls_from_counts(
    model: MemoryTransformer,
    tokens: Int[Array, "batch seq"],
    log_counts: Float[Array, "batch patterns"],
    temperature: Temperature,
) -> tuple[Float[Array, " batch"], Float[Array, " batch"]]:
    """-log p_1(r*) and -log p_2(a_{k+1}) of sequences (..., EoS, r*) whose relations show these patterns."""
    k = (tokens.shape[1] - 3) // 2
    v, q = both_attentions(model, tokens)
    first = jax.vmap(lambda row: pattern_logits(row, k))(v) / temperature
    nll = jax.nn.logsumexp(first + log_counts, axis=1) - first[:, correct_pattern(k)]
    known = 2 * (1 + q[:, -1:]) * q[:, : 2 * k + 1 : 2] / temperature  # above the logit of an answer not in sight
    others = model.vocabulary.n - k - 1
    unseen = jnp.full((len(q), 1), jnp.log(float(others)) if others else -jnp.inf, known.dtype)
    return nll, jax.nn.logsumexp(jnp.concatenate([known, unseen], axis=1), axis=1) - known[:, k]


def decoding_from_counts(
    model: MemoryTransformer, tokens: Int[Array, "batch seq"], log_counts: Float[Array, "batch patterns"]
) -> tuple[Float[Array, " batch"], Float[Array, " batch"]]:
    """How often argmax decoding finds r*, and then the answer, in each sequence; ties are split evenly."""
    k = (tokens.shape[1] - 3) // 2
    v, q = both_attentions(model, tokens)
    logits, subjects = jax.vmap(lambda row: pattern_logits(row, k))(v), q[:, : 2 * k + 1 : 2]
    relation = argmax_finds(logits, jnp.exp(log_counts), correct_pattern(k))
    return relation, argmax_finds(subjects, jnp.ones_like(subjects), k)
