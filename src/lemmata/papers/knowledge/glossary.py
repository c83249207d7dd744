"""The paper's symbols, in plain words, and where the code keeps them."""

GLOSSARY: dict[str, str] = {
    "N": "number of subjects, each with one answer: `task.FactsConfig.subjects`",
    "|R|": "number of relation templates: `task.FactsConfig.templates`",
    "K, K_s(j)": "multiplicity, the number of templates a subject has: `task.FactsConfig.multiplicity`",
    "s_j, r_i, a_j": "subject, relation and answer tokens, in this order after o: `task.Facts.sentences`",
    "o, p, d": "tokens that open a sequence, end a question, and follow o in training: `task.START`, "
    "`task.ASK`, `task.DUMMY`",
    "d (a number)": "width of the embeddings: `model.OneLayerConfig.width`",
    "σ": "spread of the Gaussian embeddings: `model.OneLayerConfig.sigma`",
    "σ_0": "spread of the neurons at the start: `model.OneLayerConfig.neuron_start`",
    "λ": "scale of the logits: `model.OneLayerConfig.scale`",
    "m": "neurons of a class: `model.OneLayerConfig.neurons`",
    "A": "the attention matrix; the text does not name it: `model.OneLayer.attention`",
    "w_{c,k}": "neuron k of class c: `model.OneLayer.neurons`",
    "α_l": "attention of the last position to token l: `model.OneLayer.weights`",
    "Ξ": "x_last + Σ_l α_l x_l, what the neurons read: `model.OneLayer.features`",
    "logit_c": "in the fragments, the probability of class c after the softmax",
    "η_1, η_2, η_3; T_1, T_2, T_p": "learning rates and ends of the stages: `run.staged_pretraining.StagedDescent`",
    "G, RA_1(G)": "fine-tuning gradient in the neurons, its part of rank 1: `run.fast.token_descent.leading_part`",
    "n_r": "number of sentences with a template (ours): `theory.first_attention.subject_share`",
    "C": "how many templates fine-tuning covers: `theory.covering.all_covered`",
    "F": "how many subjects fine-tuning asks about: `theory.covering.Asked`",
    "n*": "how often a template must be asked about before the prompt silences it (ours): "
    "`theory.covering.least_count`",
    "A_i": "the K templates of subject i, drawn without replacement: `theory.concentration.at_most_half`",
    "q": "|R| in the concentration lemma: `theory.concentration.hoeffding_bound`",
    "n of eq. (44)": "number of subjects that draw templates: `theory.concentration.hoeffding_bound`",
    "δ": "probability that a template is missed: `theory.concentration.hoeffding_cover`",
    "optimal loss": "least next-token loss on the data, log(K)/3 for equal K (log(K)/2 without o): "
    "`theory.optimal_loss.optimal_fact_loss`",
}
