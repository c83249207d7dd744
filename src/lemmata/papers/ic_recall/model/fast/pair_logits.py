"""Equal to `DenseTransformer.logits_at` after two tokens: the logits of pre-training.

Every token is multiplied with W^KQ and with the MLP's first matrix once, and not once for each sequence of a batch
larger than the vocabulary.
"""

import jax
from jaxtyping import Array, Float, Int

from lemmata.papers.ic_recall.model.transformer import DenseTransformer


def pair_logits(model: DenseTransformer, tokens: Int[Array, "batch 2"]) -> Float[Array, "batch vocab"]:
    """At the second of two tokens, over the whole vocabulary, at temperature 1."""
    key_query, embeddings, memory = model.key_query, model.embeddings, model.memory
    first, last = tokens[:, 0], tokens[:, 1]
    by_position = embeddings @ key_query.position_token[:2].T + key_query.position[:2, 1]
    by_token = (embeddings @ key_query.token.T + key_query.token_position[:, 1]) @ embeddings.T  # [asking, asked]
    attention = jax.nn.softmax(by_position[last] + by_token[last[:, None], tokens], axis=1)
    read = embeddings @ memory.read
    hidden = attention[:, :1] * read[first] + (1 + attention[:, 1:]) * read[last]
    return (hidden**2 @ memory.write.T) @ embeddings.T
