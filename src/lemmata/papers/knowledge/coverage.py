"""What the paper states, as far as our text has it (a review with fragments of the appendix), and what judges it."""

from lemmata.record import Stated

COVERAGE = (
    Stated(
        "Abstract: near-optimal pre-training loss",
        ("pretrain-near-optimal", "near-optimal-in-stages"),
        "by AdamW, and by gradient descent in stages in the reading in which Lemma 10 holds; at small sizes",
    ),
    Stated(
        "Abstract: structured attention patterns",
        ("attention-pattern", "fig-5", "attention-adamw"),
        "the pattern after pre-training is not in our text",
    ),
    Stated("Abstract: relation-specific feature directions", ("feature-strength",), "the subject's direction alone"),
    Stated(
        "Abstract: fine-tuning extracts facts it does not revisit",
        ("extraction-unseen-facts", "extraction-unseen-facts-adamw", "extraction-as-printed", "extraction-one-query"),
        "in each reading of fine-tuning, of the data and of the query",
    ),
    Stated(
        "Abstract: the prompt format becomes a trigger for pre-trained features",
        ("gradient-rank-one", "gradient-along-prompt", "prompt-as-mixture", "prompt-silences-relations"),
        "what a trigger is, is our reading",
    ),
    Stated(
        "Abstract: extraction improves with multiplicity",
        ("multiplicity", "multiplicity-adamw", "sweep", "fig-3"),
        "unequal multiplicities K_s(j) are not tried",
    ),
    Stated(
        "Abstract: extraction improves with fine-tuning coverage",
        ("coverage", "coverage-adamw", "coverage-templates", "covering-per-relation", "plane", "plane-adamw"),
    ),
    Stated(
        "Abstract: extraction becomes harder as the template universe grows", ("template-universe", "fig-2b", "sweep")
    ),
    Stated(
        "Core claim: the relation-covering characterization",
        ("plane", "plane-level", "covering-per-relation"),
        "our text has no formula; ours is the smallest that says it",
    ),
    Stated(
        "Abstract: insufficient coverage leaves facts stored but inaccessible",
        ("hallucination-regime", "covering-per-relation"),
    ),
    Stated(
        "Abstract: full and low-rank fine-tuning; consequence 4: when coverage is sufficient",
        ("rank-one-descent", "low-rank-covering", "low-rank-enough"),
    ),
    Stated(
        "Abstract: PopQA with GPT-2",
        ("fig-4",),
        "another small model; with GPT-2's weights here, `--set model=openai-community/gpt2` runs it",
    ),
    Stated("Figure 1", why="an illustration of the model: `model/one_layer.py`"),
    Stated("Figure 2 (a)", ("fig-2a",), "5-token data are not defined in our text; the direction is ours"),
    Stated("Figure 2 (b)", ("fig-2b", "template-universe"), "5-token data are not defined in our text"),
    Stated("Figure 3", ("fig-3",), "names of five letters; a decoder of GPT-2's shape, small at laptop scale"),
    Stated(
        "Figure 4",
        ("fig-4", "fig-4-covered", "fig-4-relations", "fig-4-low-rank"),
        "its axes are not in our text; a small model at laptop scale, Llama-3.2-1B at paper scale",
    ),
    Stated("Figure 5", ("fig-5", "attention-adamw"), "the heatmap is not in our text"),
    Stated("Figure 6", ("fig-6", "fig-6-saturates", "steps-to-extract"), "the curves are not in our text"),
    Stated(
        "Steps 39-45, the data",
        ("split-leak", "extraction-as-printed"),
        "elsewhere sequences begin with o, as the lemmas have it, and split by subject",
    ),
    Stated(
        "Step 45, 'standard' and 'Uniform attention + MLP'",
        ("uniform-attention-fails", "uniform-attention-fails-adamw"),
        "our text is cut before the outcome",
    ),
    Stated("Equation (44)", ("hoeffding-cover", "cover-all-templates"), "the union bound over templates is ours"),
    Stated("Lemma 10 (1)", ("dummy-first",)),
    Stated("Lemma 10 (2-4), equation (70)", ("attention-pattern", "attention-cube-root")),
    Stated("Equation (80)", ("dummy-first",), "the upper order, with our constant 1"),
    Stated("The lemma after Lemma 10 (1-4), equation (96)", ("attention-pattern",)),
    Stated("The lemma after Lemma 10 (5)", ("dummy-first",)),
    Stated("Equation (97)", why="increments within stage 2: single ratios are too noisy at these sizes to judge"),
    Stated("Equation (168)", ("third-stage-length",), "the rate alone; m, d, N, |R| and λ are not varied"),
    Stated("Lemma 15, equation (169)", ("feature-strength",), "an order at one width, with our constant"),
    Stated("Equation (216)", ("gradient-rank-one", "rank-one-descent"), "what follows from it is cut"),
)
