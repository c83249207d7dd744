"""Stored facts, and when fine-tuning can reach them."""

from lemmata.core import Paper

PAPER = Paper(
    id="knowledge",
    title="Provable Knowledge Acquisition and Extraction in One-Layer Transformers",
    authors="Ruichen Xu, Kexin Chen",
    year=2025,
    sentence="Next-token training stores facts; question fine-tuning reaches them if it covers enough relation "
    "templates.",
    package="lemmata.papers.knowledge",
    modules=(
        "run.training",
        "acquisition",
        "cover_bound",
        "attention_stages",
        "covering",
        "sweep",
        "extraction",
        "coverage",
        "plane",
        "variants",
        "split",
        "steps",
        "gpt2",
    ),
)
