"""The models of the paper `association`."""

from lemmata.models.association.memory import LinearMemory, memory_weight
from lemmata.models.association.simplified import SimplifiedModel, simplified_weights
from lemmata.models.association.transformer import (
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
