"""Distributional associations versus in-context reasoning: feed-forward layers learn the noise, attention the context."""

from lemmata.core import Paper

PAPER = Paper(
    id="association",
    title="Distributional Associations vs In-Context Reasoning: A Study of Feed-Forward and Attention Layers",
    authors="Anonymous authors (under double-blind review)",
    sentence="Feed-forward layers pick up bigram noise, attention picks up the context; rank truncation separates them.",
    package="lemmata.papers.association",
    modules=(),
)
