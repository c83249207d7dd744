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
        *("worlds", "assumption-2-2", "lemma-3-1", "lemma-b-1", "engines", "table"),
        *("eq-gradients", "lemma-b-4", "lemma-b-4-saddle", "saddle", "lemma-b-5", "lemma-b-6"),
        *("lemma-b-7", "prop-b-2", "pairwise-line", "optimum", "thm-b-3", "symbolic"),
        *("thm-4-2", "eq", "appendix-c-gradients", "initial", "lemma-c-1", "lemma-c-2"),
        *("lemma-c-3", "lemma-e-2", "claim-2", "lemma-d-1", "phase", "thm-4-4"),
        *("lemma-4-5", "thm-4-1", "thm-4-4-mixed", "thm-4-1-mixed", "stage-1", "fig-2"),
        *("fig-3", "regime", "fig-4", "scale", "pair-weights-trained"),
    ),
    headlines=(
        "thm-4.1-mixed",
        "thm-4.4-mixed",
        "thm-4.2",
        "lemma-b.1",
        "lemma-c.2-eigenvalue",
        "lemma-c.3",
        "fig-2",
        "fig-3",
        "fig-4",
    ),
)
