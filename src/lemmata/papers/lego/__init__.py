"""Chain of thought with length generalization: what the algebra of a state-tracking task decides."""

from lemmata.core import Paper

PAPER = Paper(
    id="lego",
    title="Transformers Provably Learn Chain-of-Thought Reasoning with Length Generalization",
    authors="Yu Huang, Zixin Wen, Aarti Singh, Yuejie Chi, Yuxin Chen",
    year=2025,
    sentence="The algebra of a state-tracking task decides how far reasoning reaches; self-training extends it.",
    package="lemmata.papers.lego",
    modules=(
        "actions",
        "invariance",
        "features",
        "lengths",
        "attention_maps",
        "dilution",
        "word_problem",
        "short_to_long",
        "self_training",
        "self_train_cost",
        "regime_map",
        "stabilizer",
    ),
)
