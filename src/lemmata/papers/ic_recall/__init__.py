"""Fine-tuning dynamics of in-context factual recall: attention learns to ask a memory for the hidden relation."""

from lemmata.core import Paper

PAPER = Paper(
    id="ic-recall",
    title="Fine-Tuning Dynamics of In-Context Factual Recall in Transformers",
    authors="Ruomin Huang, Eshaan Nichani, Jason D. Lee, Rong Ge",
    venue="FoGen workshop at ICML 2026",
    year=2026,
    sentence="Facts live in an MLP memory; a few fine-tuning sequences teach attention to infer the hidden relation "
    "and recall the answer.",
    order=(
        "worlds",
        "memory",
        "engines",
        "warmup-algebra",
        "saddle",
        "smoothness",
        "pairwise-line",
        "symbolic",
        "warmup-dynamics",
        "general-algebra",
        "exact-first-step",
        "low-temperature",
        "phase",
        "one-large-step",
        "drawn-slopes",
        "fig-2",
        "fig-3",
        "regime-map",
        "fig-4",
        "scale",
    ),
)
