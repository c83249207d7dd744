"""Equal to `DenseTransformer` where MLP and sequences are fixed: a logit is a quadratic form in attention.

The memory f(x) = V^T (W x)^2 is quadratic and x = z_t + sum_i attention_i z_i, so that a sequence's logit is the sum
over pairs of its tokens of c_i c_j F_ij with c = attention + e_t. The F are computed once; a step of fine-tuning then
costs the same whatever the width of the MLP.
"""

from itertools import combinations_with_replacement

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import to_jax
from lemmata.papers.ic_recall.model.fast.attention import both_attentions
from lemmata.papers.ic_recall.model.transformer import DenseTransformer


class Recalled(eqx.Module):
    """Sequences, and what the memory of one transformer recalls from every mixture of their tokens."""

    tokens: Int[Array, "*replica batch seq"]
    targets: Int[Array, "*replica batch seq"]
    relations: Float[Array, "*replica batch context_pairs relations"]
    answers: Float[Array, "*replica batch token_pairs answers"]


def recalled(model: DenseTransformer, tokens: Int[Array, "batch seq"], targets: Int[Array, "batch seq"]) -> Recalled:
    """The quadratic forms of both decoding steps: relations at EoS, answers at the relation."""
    embeddings, memory, vocabulary = np.asarray(model.embeddings), model.memory, model.vocabulary
    read, write = (embeddings @ np.asarray(matrix) for matrix in (memory.read, memory.write))
    every = np.asarray(tokens)
    relations = _forms(every[:, :-1], read, write[vocabulary.relations])
    answers = _forms(every, read, write[vocabulary.answers])
    return Recalled(tokens, targets, to_jax(relations), to_jax(answers))


def recalled_logits(
    model: DenseTransformer, sequences: Recalled
) -> tuple[Float[Array, "batch relations"], Float[Array, "batch answers"]]:
    """Of the relation at the first decoding step, and of the answer at the second, with the model's attention."""
    first, second = both_attentions(model, sequences.tokens)
    return evaluated(sequences.relations, first), evaluated(sequences.answers, second)


def pairs_of_positions(length: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = zip(*combinations_with_replacement(range(length), 2), strict=True)
    return np.array(first), np.array(second)


def _forms(tokens: np.ndarray, read: np.ndarray, write: np.ndarray) -> np.ndarray:
    pairs = list(zip(*pairs_of_positions(tokens.shape[1]), strict=True))
    forms = np.empty((len(tokens), len(pairs), len(write)), read.dtype)
    for place, (i, j) in enumerate(pairs):
        forms[:, place] = (1 if i == j else 2) * (read[tokens[:, i]] * read[tokens[:, j]]) @ write.T
    return forms


def evaluated(
    forms: Float[Array, "batch pairs logits"],
    attention: Float[Array, "batch keys"],
    residual: Float[Array, ""] | float = 1.0,
) -> Float[Array, "batch logits"]:
    """What the memory answers to this attention and `residual` times the last token, which is 1 in the paper."""
    mixed = attention.at[:, -1].add(residual)
    i, j = pairs_of_positions(attention.shape[1])
    return jnp.einsum("bp,bpl->bl", mixed[:, i] * mixed[:, j], forms)
