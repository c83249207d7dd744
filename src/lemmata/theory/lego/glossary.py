"""The paper's symbols, in plain words, and where the code keeps them. Steps count from 1, clauses and tokens from 0."""

GLOSSARY: dict[str, str] = {
    "X, G, Y": "variables, actions and values: `tasks.lego.Vocabulary`",
    "d": "vocabulary size, the blank included: `tasks.lego.Vocabulary.size`",
    "n_y": "number of values: `tasks.lego.Action.num_values`",
    "G_y": "stabilizer: the actions that leave y in place: `tasks.lego.Action.stabilizer_size`",
    "Fiber_{j,y}": "the actions that send y to j: `tasks.lego.Action.fibre`, `theory.lego.distractors.fibre_sizes`",
    "Z_pred, Z_ans": "predicate and answer clauses, five tokens each: `tasks.lego.CLAUSE`",
    "L": "predicates of a sentence, the length of the chain: `tasks.lego.LegoConfig.length`",
    "D^L, D^{L,L'}": "the distribution of sentences; the first L + L' + 1 clauses: `tasks.lego.Lego.draw`",
    "T^L": "the task of answering all L steps; its accuracy (5): `probes.lego.accuracy`",
    "p̂_F": "the greedy model that labels its own data (9): `models.lego.rollout`",
    "Q_{4,3}, Q_{4,4}": "attention from the query's variable to a predicate's right side and to an answer's variable: "
    "`models.lego.TheoryTransformer.query_third`, `models.lego.TheoryTransformer.query_fourth`",
    "W_4, W_5": "feed-forward neurons for the variable and the value of the next answer: "
    "`models.lego.TheoryTransformer.variable`, `models.lego.TheoryTransformer.value`",
    "m": "neurons a class: `models.lego.TheoryConfig.width`",
    "σ_0": "standard deviation of W at the start: `models.lego.TheoryConfig.scale`",
    "B": "logits are clipped at B = C_B log d: `models.lego.TheoryConfig.clip`",
    "q, ϱ": "power and width of the smoothed ReLU's bend: `models.lego.TheoryConfig.power`, "
    "`models.lego.TheoryConfig.smoothing`",
    "V_{j,r}(g), V_{j,r}(y)": "feature magnitudes (Definition 6.2): `probes.lego.weights.Features`, "
    "`theory.lego.features.Structure`",
    "φ, ψ": "a combination (g, y), and a combination in a neuron: `theory.lego.curriculum.Curriculum`",
    "Σ*": "the order in which combinations are learned: `theory.lego.curriculum.curriculum`",
    "ε_attn^{L,l}": "attention on neither of the two clauses that matter (19): `probes.lego.attention.Look.epsilon`, "
    "`theory.lego.dilution.diluted`",
    "Δ^{L,l}": "difference of the attention on the two (20): `probes.lego.attention.Look.gap`",
}
