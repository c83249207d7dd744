"""Distributional associations versus in-context reasoning, in feed-forward and in attention layers."""

from lemmata.core import Paper

PAPER = Paper(
    id="association",
    title="Distributional Associations vs In-Context Reasoning: A Study of Feed-Forward and Attention Layers",
    authors="Anonymous authors (under double-blind review)",
    year=2024,
    sentence="Feed-forward layers pick up bigram noise, attention the context; rank truncation separates them.",
    package="lemmata.papers.association",
    modules=(
        "recall",
        "maps",
        "variants",
        "bigrams",
        "ioi",
        "gradients",
        "margins",
        "noise_logit",
        "attention_gaps",
        "memory",
        "memory_rank",
    ),
)
