"""Chain of thought with length generalization: what the algebra of a state-tracking task decides."""

from lemmata.core import Paper

PAPER = Paper(
    id="lego",
    title="Transformers Provably Learn Chain-of-Thought Reasoning with Length Generalization",
    authors="Yu Huang, Zixin Wen, Aarti Singh, Yuejie Chi, Yuxin Chen",
    venue="NeurIPS 2025",
    year=2025,
    link="https://arxiv.org/abs/2511.07378",
    sentence="The algebra of a state-tracking task decides how far reasoning reaches; self-training extends it.",
    order=(
        *("distractors", "permutation-invariance", "one-step", "feature-structure", "curriculum-order"),
        *("neurons-distinct", "power-growth", "retrieval"),
        *("gradients", "initialization", "phases", "lemma-b-13", "thm-b-1", "thm-c-1", "lemma-b-9", "appendix-a"),
        *("fig-1a", "fig-1b", "fig-2", "fig-5", "fig-6", "fig-7", "predicate-attention", "section-7"),
        *(
            "dilution",
            "beyond-tc0",
            "thm-4-1",
            "large-d",
            "time-law",
            "balance",
            "separation",
            "mechanism",
            "one-curve",
        ),
        *("stabilizer", "regime-map", "thm-5-1", "symmetric-attention", "stage-start", "self-labels", "cor-5-1"),
        *("self-train-cost", "all-slots", "joint-training"),
    ),
    headlines=(
        "thm-4.1-length",
        "thm-4.1-attention",
        "thm-5.1-doubling",
        "self-labels",
        "separation",
        "cor-5.1",
        "fig-1a",
    ),
)
