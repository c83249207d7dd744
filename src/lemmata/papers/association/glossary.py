"""The paper's symbols, in plain words, and where the code keeps them. Tokens count from 0; the paper counts from 1, so
that its noise token N+1 is `N` here."""

GLOSSARY: dict[str, str] = {
    "N": "number of ordinary tokens: `theory.chain.RecallChain.num_tokens`, `task.RecallConfig.symbols`",
    "N+1": "the noise token (also written τ), one more than the ordinary ones unless one of them plays the part: "
    "`task.RecallConfig.noise`",
    "T": "context length, the trigger at its end included: `theory.chain.RecallChain.length`",
    "α": "noise level: the chance that the noise token follows a trigger: `theory.chain.RecallChain.alpha`",
    "q": "the trigger token, after which the correct token is asked for: `task.RecallConfig.triggers`",
    "ȳ": "the correct token of a sequence, drawn once: `theory.chain.RecallChain.targets`",
    "y": "the target: ȳ with probability 1 - α, else the noise token",
    "z_t": "the token at position t; z_T = q",
    "π_u, π_b": "unigram and bigram laws of the ordinary tokens: `task.Statistics`",
    "W_E, W̃_E": "embeddings of a token and of the one before it: `model.SimplifiedModel.tokens`, "
    "`model.SimplifiedModel.previous`",
    "W_U": "output embeddings: `model.SimplifiedModel.output`",
    "W_QK": "attention's key-query matrix: `model.SimplifiedModel.attention`",
    "W_V": "attention's value matrix: `model.SimplifiedModel.value`",
    "W_F": "the linear feed-forward map: `model.SimplifiedModel.feed`",
    "ξ_attn, ξ_ff": "logits of the attention and of the feed-forward block, added up by `model.SimplifiedModel.at`",
    "margin": "the noise token's logit less the largest other one: "
    "`theory.margins.exact_attention_margin`, `theory.margins.exact_feed_forward_margin`",
    "q̂": "fraction of noise tokens in a test sequence: `theory.margins.noise_fraction`",
    "α̂": "α² q̂ + α (1 - q̂), in Theorem 1's margin: `theory.margins.printed_attention_margin`",
    "f_k": "fraction of positions t <= T with z_t = k: `theory.chain.count_moments`",
    "(j, k) of Table 3": "output token j and input token k by the part they play: `theory.one_step.TABLE_3`",
    "R": "Bernstein's range, the largest |gradient - mean|: `theory.one_step.exact_range`",
    "V, Ṽ": "W_V seen by logits, on W_E and on W̃_E: `theory.attention_logits.phase_two_values`",
    "β_1, β_2 of Theorem 2": "diagonals of V and Ṽ that phase 2 is said to leave: "
    "`theory.attention_logits.diagonal_values`",
    "ξ_{i->j}": "attention logit of a position with z_{t-1} = i, z_t = j: `theory.attention_logits.key_gradient`",
    "ξ*": "the noise logit's fixed point (appendix B.3): `theory.noise_logit.stationary_logit`",
    "η": "learning rate; B.3 bounds it: `theory.noise_logit.largest_step`",
    "n": "number of inputs of the linear memory: `run.memory.MemoryFlow.inputs`",
    "W": "the linear memory's matrix: `model.LinearMemory.weight`",
    "e_i, u_j": "the linear memory's input and output embeddings: `model.LinearMemory.inputs`, "
    "`model.LinearMemory.outputs`",
    "β_1, β_2 of appendix G": "coefficients of the signal and the noise in W, n = 2: `theory.memory.coefficient_rates`",
    "a, b": "margins of a wrong token and of the noise over the correct one: `theory.memory.margin_rates`",
    "b_∞": "log(α / (1 - α)), the limit of b: `theory.memory.limit_b`",
    "ρ": "fraction of a weight matrix's rank that low-rank truncation keeps: `models.truncate.truncate`",
    "F_1, F_2": "feed-forward maps of the two layers: `model.TransformerConfig.feeds`",
    "d": "width of the model: `model.TransformerConfig.width`",
}
