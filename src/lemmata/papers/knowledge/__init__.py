"""Stored facts, and when fine-tuning can reach them."""

from lemmata.core import Paper

PAPER = Paper(
    id="knowledge",
    title="Provable Knowledge Acquisition and Extraction in One-Layer Transformers",
    authors="Ruichen Xu, Kexin Chen",
    venue="arXiv, version 4 of May 2026",
    year=2025,
    link="https://arxiv.org/abs/2508.00901",
    sentence="Next-token training stores facts; question fine-tuning reaches them if it covers enough relation "
    "templates.",
    order=(
        "pipeline",
        "covering",
        "covering-law",
        "unequal",
        "readings",
        "pretrain-near-optimal",
        "near-optimal-in-stages",
        "fig-5",
        "hoeffding-cover",
        "attention",
        "third-stage",
        "orders",
        "gradient",
        "fig-2a",
        "fig-2b",
        "fig-3",
        "fig-4",
        "relation-sets",
    ),
    headlines=(
        "pretrain-near-optimal",
        "fig-2b",
        "extraction-unseen-facts",
        "multiplicity",
        "coverage",
        "low-rank-covering",
        "gradient-rank-one",
        "hallucination-regime",
    ),
)
