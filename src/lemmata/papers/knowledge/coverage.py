"""What the paper states, as far as our text has it (a review with fragments of the appendix), and what judges it."""

from lemmata.record import Stated

COVERAGE = (
    Stated(
        "Abstract: near-optimal pre-training loss",
        ("near-optimal-in-stages", "unequal-least-loss", "pretrain-near-optimal"),
        "by gradient descent in stages in the reading in which Lemma 10 holds, and by AdamW; at small sizes",
    ),
    Stated(
        "Abstract: structured attention patterns",
        ("attention-pattern", "fig-5"),
        "the pattern after pre-training is not in our text",
    ),
    Stated("Abstract: relation-specific feature directions", ("feature-strength",), "the subject's direction alone"),
    Stated(
        "Abstract: fine-tuning extracts facts it does not revisit",
        (
            "extraction-unseen-facts",
            "extraction-last-token",
            "extraction-as-printed",
            "extraction-phrase",
            "stored-and-silent",
        ),
        "in each reading of the query, of the data and of what pre-trains and fine-tunes",
    ),
    Stated(
        "Abstract: the prompt format becomes a trigger for pre-trained features",
        ("gradient-rank-one", "gradient-along-prompt", "neurons-extract", "who-asks-decides", "format-triggers"),
        "what a trigger is, is our reading",
    ),
    Stated(
        "Abstract: extraction improves with multiplicity",
        ("multiplicity", "unequal-extraction", "fig-3"),
        "from world to world, and from subject to subject in one",
    ),
    Stated("Abstract: extraction improves with fine-tuning coverage", ("coverage", "covering-per-relation")),
    Stated("Abstract: extraction becomes harder as the template universe grows", ("template-universe", "fig-2b")),
    Stated(
        "Core claim: the relation-covering characterization",
        ("covering-law", "covering-per-relation"),
        "our text has no formula; the law is ours",
    ),
    Stated(
        "Abstract: insufficient coverage leaves facts stored but inaccessible",
        ("hallucination-regime", "covering-per-relation", "stored-and-silent"),
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
    Stated("Figure 3", ("fig-3",), "templates of three tokens; a decoder of GPT-2's shape, small at laptop scale"),
    Stated(
        "Figure 4",
        ("fig-4", "fig-4-covered", "fig-4-relations", "fig-4-low-rank", "relation-sets", "relation-sets-wordings"),
        "its axes are not in our text; a small model at laptop scale, Llama-3.2-1B at paper scale",
    ),
    Stated("Figure 5", ("fig-5",), "the heatmap is not in our text"),
    Stated("Figure 6", ("fig-6",), "the curves are not in our text"),
    Stated(
        "Fragments 39-45, the data",
        ("split-leak", "extraction-as-printed"),
        "elsewhere sequences begin with o, as the lemmas have it, and split by subject",
    ),
    Stated(
        "Fragment 45, 'standard' and 'Uniform attention + MLP'",
        ("uniform-attention-fails",),
        "our text is cut before the outcome",
    ),
    Stated(
        "Equation (44)",
        ("hoeffding-cover", "cover-all-templates", "union-bound"),
        "the union bound over templates is ours",
    ),
    Stated("Lemma 10 (1)", ("dummy-first",), "by construction here: it sets our learning rate of stage 1"),
    Stated("Lemma 10 (2-4), equation (70)", ("attention-pattern", "attention-cube-root")),
    Stated("Equation (80)", ("dummy-first",), "the upper order, with our constant 1"),
    Stated("The lemma after Lemma 10 (1-4), equation (96)", ("attention-pattern",)),
    Stated("The lemma after Lemma 10 (5)", ("dummy-first",)),
    Stated("Equation (97)", ("eq-97",), "the order alone, in d"),
    Stated("Equation (168)", ("third-stage-length", "third-stage-sizes"), "|R| and λ are not varied"),
    Stated("Lemma 15, equation (169)", ("feature-strength",), "an order, with our constant, at several widths"),
    Stated("Equation (216)", ("gradient-rank-one", "gradient-rows", "rank-one-descent"), "what follows from it is cut"),
)
