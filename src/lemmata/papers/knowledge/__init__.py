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
        "pretrain-near-optimal",
        "near-optimal-in-stages",
        "fig-5",
        "hoeffding-cover",
        "attention",
        "third-stage",
        "covering",
        "hallucination-regime",
        "prompt",
        "fig-2a",
        "fig-2b",
        "sweep",
        "extraction-unseen-facts",
        "extraction",
        "multiplicity",
        "coverage",
        "plane",
        "gradient",
        "low-rank-enough",
        "uniform-attention-fails",
        "split-leak",
        "fig-6",
        "fig-3",
        "fig-4",
    ),
)
