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
        *("fig-3", "noise-first", "fig-8", "fig-10", "fig-4", "fig-7", "fig-9", "fig-11", "fig-12", "fig-13", "fig-6"),
        *("any-alpha", "any-rate", "fig-19", "fig-20", "table-3", "lemma-d-1", "eq-6", "eq-12"),
        *("lemma-d-2", "lemma-e", "eq-23"),
        *(
            "thm-1",
            "thm-4",
            "thm-1-samples",
            "thm-1-observations",
            "b-3-stationary",
            "b-3-speeds",
            "eq-4",
            "eq-24",
            "b-3-frequency",
            "eq-2-keys",
        ),
        *("thm-2", "thm-2-restated-proved", "thm-2-sign-proved", "thm-2-descent", "thm-2-values", "thm-2-learned"),
        *("eq-25", "eq-35", "eq-37"),
        *("thm-3", "thm-3-rank-1-proved", "thm-3-constant-proved", "thm-3-turn-proved", "eq-40", "eq-42", "lemma-h-3"),
        *("noise-rank", "eq-3", "thm-3-direction-proved", "fig-18", "lemma-h"),
        *("tab-2-significance", "tab-2-eight-shots", "tab-2-contrast"),
        *("tab-1", "fig-5-fact", "fig-5-ioi", "fig-15", "fig-16", "fig-17"),
        *("truncation-ioi", "truncation-facts", "truncation-matrices", "noise-directions"),
        *("tab-2", "tab-2-any", "fig-14", "fig-5-phases", "fig-5-benefit", "fig-5-fact-phases"),
        *("own-training", "own-truncation"),
    ),
    headlines=("fig-3", "noise-first", "fig-4", "fig-6", "fig-7", "fig-12", "thm-1", "thm-2-descent", "thm-3-descent"),
)
