"""The one-layer transformer that stores facts, its low-rank edit, and what of it learns."""

from lemmata.papers.knowledge.model.edits import Part, learned, low_rank_factors, merged, with_factors, with_low_rank
from lemmata.papers.knowledge.model.low_rank import Factors, check_rank
from lemmata.papers.knowledge.model.one_layer import OneLayer, OneLayerConfig

__all__ = [
    "Factors",
    "OneLayer",
    "OneLayerConfig",
    "Part",
    "check_rank",
    "learned",
    "low_rank_factors",
    "merged",
    "with_factors",
    "with_low_rank",
]
