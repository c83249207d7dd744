"""The worlds of the paper `association`: noisy in-context recall, synthetic IOI, the noisy linear memory."""

from lemmata.papers.association.task.ioi import IOIConfig, IOISample, SyntheticIOI
from lemmata.papers.association.task.memory import MemoryConfig
from lemmata.papers.association.task.recall import NoisyRecall, RecallConfig, RecallSample, transition_rows
from lemmata.papers.association.task.statistics import (
    Counts,
    Statistics,
    bigram_counts,
    encode_text,
    shipped_counts,
    uniform_statistics,
)
