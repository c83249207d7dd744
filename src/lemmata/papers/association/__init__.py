"""Distributional associations versus in-context reasoning, in feed-forward and in attention layers."""

from lemmata.core import Paper

PAPER = Paper(
    id="association",
    title="Distributional Associations vs In-Context Reasoning: A Study of Feed-Forward and Attention Layers",
    authors="Lei Chen, Joan Bruna, Alberto Bietti",
    venue="ICLR 2025",
    year=2025,
    link="https://arxiv.org/abs/2406.03068",
    sentence="Feed-forward layers pick up bigram noise, attention the context; rank truncation separates them.",
    order=(
        *("fig-3", "fig-8", "fig-10", "fig-4", "fig-7", "fig-9", "fig-11", "fig-12", "fig-13", "fig-6"),
        *("stability", "fig-19", "fig-20", "table-3", "lemma-d", "thm-1", "thm-1-spread", "b-3", "b-3-orders"),
        *("thm-2", "thm-2-descent", "thm-3", "noise-rank", "fig-18", "lemma-h", "tab-2-significance"),
        *("tab-1", "fig-5-fact", "fig-5-ioi", "fig-15", "fig-16", "fig-17"),
        *("truncation-ioi", "truncation-facts", "truncation-matrices", "noise-directions"),
        *("tab-2", "tab-2-any", "fig-14", "fig-5-phases", "own-training"),
    ),
)
