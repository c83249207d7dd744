"""The numbers of the paper `lego`: accuracy by length, where attention looks, what the weights hold."""

from lemmata.papers.lego.probe.accuracy import (
    SHARES,
    Marks,
    accuracy,
    accuracy_at_lengths,
    rolled_out,
    teacher_forced,
)
from lemmata.papers.lego.probe.attention import (
    Look,
    attention_at_lengths,
    concentration,
    heatmap,
    look,
)
from lemmata.papers.lego.probe.chunks import fitting_chunk, over_replicas, over_sentences
from lemmata.papers.lego.probe.intervals import wilson
from lemmata.papers.lego.probe.prefixes import accuracy_of_prefixes, prefix_marks, shortened
from lemmata.papers.lego.probe.values import length_reached, over_lengths, value_accuracy
from lemmata.papers.lego.probe.weights import Features, Learned, features, learned, learning_times, query_diagonals

__all__ = [
    "SHARES",
    "Features",
    "Learned",
    "Look",
    "Marks",
    "accuracy",
    "accuracy_at_lengths",
    "accuracy_of_prefixes",
    "attention_at_lengths",
    "concentration",
    "features",
    "fitting_chunk",
    "heatmap",
    "learned",
    "learning_times",
    "length_reached",
    "look",
    "over_lengths",
    "over_replicas",
    "over_sentences",
    "prefix_marks",
    "query_diagonals",
    "rolled_out",
    "shortened",
    "teacher_forced",
    "value_accuracy",
    "wilson",
]
