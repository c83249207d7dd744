"""The one-layer transformer that stores facts, its low-rank edit, and what of it learns."""

from lemmata.papers.knowledge.model.one_layer import OneLayer, OneLayerConfig, TrainedPart, low_rank_factors, trainable
