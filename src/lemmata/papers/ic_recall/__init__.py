"""Fine-tuning dynamics of in-context factual recall: attention learns to ask a memory for the hidden relation."""

from lemmata.core import Paper

PAPER = Paper(
    id="ic-recall",
    title="Fine-Tuning Dynamics of In-Context Factual Recall in Transformers",
    authors="Ruomin Huang, Eshaan Nichani, Jason D. Lee, Rong Ge",
    year=2026,
    sentence="Facts live in an MLP memory; a few fine-tuning sequences teach attention to infer the hidden "
    "relation and "
    "recall the answer.",
    package="lemmata.papers.ic_recall",
    modules=(
        "worlds",
        "memory",
        "engines",
        "warmup",
        "warmup_landscape",
        "symbolic_claims",
        "warmup_dynamics",
        "general",
        "low_temperature",
        "phase",
        "descent",
        "figures",
        "pretrained",
        "scale",
    ),
)
