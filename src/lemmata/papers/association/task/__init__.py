"""The worlds of the paper `association`: noisy in-context recall, synthetic IOI."""

from lemmata.papers.association.task.ioi import IOIConfig, IOISample, SyntheticIOI
from lemmata.papers.association.task.recall import NoisyRecall, RecallConfig, RecallSample, occurrence, transition_rows
from lemmata.papers.association.task.statistics import Statistics, bigram_counts, counts_of
