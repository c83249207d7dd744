"""The numbers of the paper `association`: predictions after a trigger, attention, and what single weights remember."""

from lemmata.papers.association.probe.attention import attention_mass, noisy_attention, previous_token_attention
from lemmata.papers.association.probe.memories import (
    diagonal_excess,
    feed_logits,
    feed_margin,
    matching_logits,
    value_logits,
)
from lemmata.papers.association.probe.predictions import (
    clean_predictions,
    earlier_triggers,
    ioi_predictions,
    predictions,
    queries_of,
    recall_ceiling,
)

__all__ = [
    "attention_mass",
    "clean_predictions",
    "diagonal_excess",
    "earlier_triggers",
    "feed_logits",
    "feed_margin",
    "ioi_predictions",
    "matching_logits",
    "noisy_attention",
    "predictions",
    "previous_token_attention",
    "queries_of",
    "recall_ceiling",
    "value_logits",
]
