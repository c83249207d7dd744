"""The models of the paper `association`."""

from lemmata.papers.association.model.memory import LinearMemory, memory_weight
from lemmata.papers.association.model.simplified import SimplifiedModel, simplified_weights
from lemmata.papers.association.model.transformer import (
    MLP,
    Block,
    FeedKind,
    Linear,
    Transformer,
    TransformerConfig,
    block_weights,
)

__all__ = [
    "MLP",
    "Block",
    "FeedKind",
    "Linear",
    "LinearMemory",
    "SimplifiedModel",
    "Transformer",
    "TransformerConfig",
    "block_weights",
    "memory_weight",
    "simplified_weights",
]
