"""One transformer, three engines: dense; dense attention with the exact memory; reduced to pattern counts."""

from lemmata.models.ic_recall.counted import both_attentions, counted_decoding, counted_surprises
from lemmata.models.ic_recall.engines import reduced, with_exact_memory
from lemmata.models.ic_recall.frozen import FrozenTransformer, frozen
from lemmata.models.ic_recall.key_query import KeyQuery
from lemmata.models.ic_recall.leaves import full_key_query, memory_weights, position_block, whole_transformer
from lemmata.models.ic_recall.losses import (
    Accuracy,
    first_accuracy,
    first_loss,
    second_accuracy,
    second_loss,
)
from lemmata.models.ic_recall.memory import (
    Memory,
    associative_memory,
    exact_answer_logits,
    exact_relation_logits,
    exact_subject_logits,
)
from lemmata.models.ic_recall.pattern_model import PatternModel, pattern_logits
from lemmata.models.ic_recall.transformer import AbstractTransformer, DenseTransformer, MemoryTransformer, token_loss
from lemmata.models.ic_recall.vocabulary import Vocabulary, orthonormal

__all__ = [
    "AbstractTransformer",
    "Accuracy",
    "DenseTransformer",
    "FrozenTransformer",
    "KeyQuery",
    "Memory",
    "MemoryTransformer",
    "PatternModel",
    "Vocabulary",
    "associative_memory",
    "both_attentions",
    "counted_decoding",
    "counted_surprises",
    "exact_answer_logits",
    "exact_relation_logits",
    "exact_subject_logits",
    "first_accuracy",
    "first_loss",
    "frozen",
    "full_key_query",
    "memory_weights",
    "orthonormal",
    "pattern_logits",
    "position_block",
    "reduced",
    "second_accuracy",
    "second_loss",
    "token_loss",
    "whole_transformer",
    "with_exact_memory",
]
