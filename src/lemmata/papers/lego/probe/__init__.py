"""The numbers of the paper `lego`: accuracy by length, where attention looks, what the weights hold."""

from lemmata.papers.lego.probe.attention import Look, attention_at_lengths, heatmap, look
from lemmata.papers.lego.probe.chunks import divisor, fitting_chunk, over_replicas, over_sentences
from lemmata.papers.lego.probe.fast.values import length_reached, over_lengths
from lemmata.papers.lego.probe.prefixes import (
    PREFIX_SHARES,
    Hidden,
    accuracy_of_prefixes,
    prefix_marks,
    shortened,
    unhidden,
    wilson,
)
from lemmata.papers.lego.probe.rollouts import final_answers
from lemmata.papers.lego.probe.weights import Features, features, query_diagonals
