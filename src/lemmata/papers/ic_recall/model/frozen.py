"""A transformer whose MLP no longer changes: its two matrices multiplied with the embeddings once, not every step."""

import equinox as eqx
from jaxtyping import Array, Float, Int

from lemmata.papers.ic_recall.model.key_query import KeyQuery
from lemmata.papers.ic_recall.model.transformer import AbstractTransformer, DenseTransformer
from lemmata.papers.ic_recall.model.vocabulary import Vocabulary


class FrozenTransformer(AbstractTransformer):
    """The dense engine for fine-tuning: exact for any MLP, but it has no MLP weights to train."""

    key_query: KeyQuery
    embeddings: Float[Array, "*replica vocab dim"]
    read: Float[Array, "*replica vocab hidden"]  # what each token makes the hidden units read
    write: Float[Array, "*replica vocab hidden"]  # how much each hidden unit adds to a token's logit
    vocabulary: Vocabulary = eqx.field(static=True)

    def recall(
        self, tokens: Int[Array, " seq"], attention: Float[Array, " keys"], part: slice
    ) -> Float[Array, " logits"]:
        seen = self.read[tokens[: attention.shape[0]]]
        return self.write[part] @ (seen[-1] + attention @ seen) ** 2


def frozen(model: DenseTransformer) -> FrozenTransformer:
    """The same transformer with its memory fixed."""
    read, write = model.embeddings @ model.memory.read.T, model.embeddings @ model.memory.write.T
    return FrozenTransformer(
        key_query=model.key_query, embeddings=model.embeddings, read=read, write=write, vocabulary=model.vocabulary
    )
