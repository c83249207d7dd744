"""Equal to `KeyQuery.attention` at both decoding steps, for many sequences at once: W^KQ meets each asking token once.

The first step always asks at EoS, the second at a relation, so that most of what attention does sequence by sequence is
the same for all of them.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lemmata.papers.ic_recall.model.transformer import AbstractTransformer


def both_attentions(
    model: AbstractTransformer, tokens: Int[Array, "batch seq"]
) -> tuple[Float[Array, "batch length"], Float[Array, "batch length_plus_one"]]:
    """Where EoS looks (first decoding step), and where the decoded relation looks (second), in each sequence."""
    key_query, embeddings, vocabulary = model.key_query, model.embeddings, model.vocabulary
    last, start = tokens.shape[1] - 1, vocabulary.relations.start
    eos = embeddings[-1]
    seen = jnp.concatenate([embeddings[:start], eos[None]])  # a context has subjects, answers and EoS
    context = jnp.minimum(tokens[:, :last], start)
    towards = key_query.token_position[:, last - 1] + key_query.token @ eos
    by_position = key_query.position[:last, last - 1] + key_query.position_token[:last] @ eos
    first = by_position + (seen @ towards)[context]
    few = vocabulary.m <= len(tokens)  # relations: each is multiplied once, not once a sequence
    asking = embeddings[vocabulary.relations] if few else embeddings[tokens[:, last]]
    which = tokens[:, last] - start if few else jnp.arange(len(tokens))
    towards = asking @ key_query.token.T + key_query.token_position[:, last]
    by_position = asking @ key_query.position_token.T + key_query.position[:, last]
    by_token = (towards @ seen.T)[which[:, None], context]
    itself = jnp.sum(towards * asking, axis=1)[which, None]
    second = by_position[which] + jnp.concatenate([by_token, itself], axis=1)
    return jax.nn.softmax(first, axis=1), jax.nn.softmax(second, axis=1)
