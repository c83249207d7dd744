"""The models of the paper `association`."""

from lemmata.papers.association.model.fast.batched_nll import batched_nll
from lemmata.papers.association.model.memory import LinearMemory
from lemmata.papers.association.model.simplified import SimplifiedModel
from lemmata.papers.association.model.transformer import MLP, FeedKind, Transformer, TransformerConfig, block_weights
