"""The paper's symbols, in plain words, and where the code keeps them."""

GLOSSARY: dict[str, str] = {
    "C": "how many templates fine-tuning covers: `theory.knowledge.covering.covered_extraction`",
    "F": "how many subjects are fine-tuned on: `theory.knowledge.covering.extraction_after`",
    "E[C]": "mean number of templates that F subjects cover: `theory.knowledge.covering.expected_coverage`",
    "h": "how many of a subject's templates must be covered (our generalisation; 1): "
    "`theory.knowledge.covering.extraction_after`",
    "A_i": "the K templates of subject i, drawn without replacement: `theory.knowledge.concentration.at_most_half`",
    "q": "|R| in the concentration lemma: `theory.knowledge.concentration.hoeffding_bound`",
    "n of eq. (44)": "number of subjects that draw templates: `theory.knowledge.concentration.hoeffding_bound`",
    "δ": "chance that a template is missed: `theory.knowledge.concentration.hoeffding_cover`",
    "optimal loss": "least next-token loss on the data, log(K)/3 for equal K: "
    "`theory.knowledge.optimal_loss.optimal_fact_loss`, `theory.knowledge.optimal_loss.optimal_next_token_loss`",
}
