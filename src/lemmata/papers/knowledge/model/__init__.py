"""The one-layer transformer that stores facts, its low-rank edit, and what of it learns."""

from lemmata.papers.knowledge.model.low_rank import Part, check_rank, low_rank_factors
from lemmata.papers.knowledge.model.one_layer import OneLayer, OneLayerConfig, learned
