"""The worlds of the paper `association`: noisy in-context recall, synthetic IOI, the noisy linear memory."""

from lemmata.tasks.association.ioi import IOIConfig, IOISample, SyntheticIOI
from lemmata.tasks.association.memory import MemoryConfig, NoisyMemory
from lemmata.tasks.association.recall import NoisyRecall, RecallConfig, RecallSample, transition_rows
from lemmata.tasks.association.statistics import (
    Counts,
    Statistics,
    bigram_counts,
    encode_text,
    shipped_counts,
    uniform_statistics,
)

__all__ = [
    "Counts",
    "IOIConfig",
    "IOISample",
    "MemoryConfig",
    "NoisyMemory",
    "NoisyRecall",
    "RecallConfig",
    "RecallSample",
    "Statistics",
    "SyntheticIOI",
    "bigram_counts",
    "encode_text",
    "shipped_counts",
    "transition_rows",
    "uniform_statistics",
]
