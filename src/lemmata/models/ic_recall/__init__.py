"""One transformer, three engines: dense; dense attention with the exact memory; reduced to pattern counts."""

from lemmata.models.ic_recall.losses import (
    Accuracy,
    cot_loss,
    first_accuracy,
    first_loss,
    second_accuracy,
    second_loss,
)
from lemmata.models.ic_recall.pattern_model import PatternModel, pattern_logits

__all__ = [
    "Accuracy",
    "PatternModel",
    "cot_loss",
    "first_accuracy",
    "first_loss",
    "pattern_logits",
    "second_accuracy",
    "second_loss",
]
