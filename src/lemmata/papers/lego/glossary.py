"""The paper's symbols, in plain words, and where the code keeps them. Steps count from 1, clauses and tokens from 0."""

GLOSSARY: dict[str, str] = {
    "X, G, Y": "variables, actions and values: `task.Vocabulary`",
    "d": "vocabulary size, the blank included: `task.Vocabulary.size`",
    "n_y": "number of values: `task.Action.num_values`",
    "G_y": "stabilizer: the actions that leave y in place: `task.Action.stabilizer_size`",
    "Fiber_{j,y}": "the actions that send y to j: the `fibre` of `theory.features.balanced_structure`",
    "Z_pred, Z_ans": "predicate and answer clauses, five tokens each: `task.CLAUSE`",
    "L": "predicates of a sentence, the length of the chain: `task.LegoConfig.length`",
    "D^L, D^{L,L'}": "the distribution of sentences; the first L + L' + 1 clauses: `task.Lego.draw`",
    "T^L": "the task of answering all L steps; its accuracy (5): `probe.accuracy_of_prefixes`",
    "p̂_F": "the greedy model that labels its own data (9): `model.rollout`",
    "Q_{4,3}, Q_{4,4}": "attention from the query's variable to a predicate's right side and to an answer's variable: "
    "`model.TheoryTransformer.query_third`, `model.TheoryTransformer.query_fourth`",
    "W_4, W_5": "feed-forward neurons for the variable and the value of the next answer: "
    "`model.TheoryTransformer.variable`, `model.TheoryTransformer.value`",
    "m": "neurons a class: `model.TheoryConfig.width`",
    "σ_0": "standard deviation of W at the start: `model.TheoryConfig.scale`",
    "B": "logits are clipped at B = C_B log d: `model.TheoryConfig.clip`",
    "q, ϱ": "power and width of the smoothed ReLU's bend: `model.TheoryConfig.power`, `model.TheoryConfig.smoothing`",
    "V_{j,r}(g), V_{j,r}(y)": "feature magnitudes (Definition 6.2): `probe.weights.Features`, "
    "`theory.features.Structure`",
    "ψ = (j, r, φ), V_ψ": "a feature and its magnitude, mean over a fibre: `probe.feature_shapes.shapes`",
    "C_α": "V(g) / V(y) of a learned fibre (Theorem C.1): `theory.features.c_alpha`",
    "μ": "the bias σ_0 log d: `run.feature_flow.FeatureFlow.bias`",
    "ϖ": "slope of Assumption B.2's activation below 0: `run.feature_flow.FeatureFlow.leak`",
    "λ": "1 - p of a class at B where the others are at 0 (Fact B.2): `theory.features.least_slack`",
    "T^1_ψ, T^{2,1}_ψ, T^{2,2}_ψ": "ends of the phases in which a feature is learned: `run.feature_flow.phases`",
    "Λ_{i,j,r}, E_{i,j}, Ξ_{L,i,k}": "pre-activation (23), error (22) and (41): `theory.gradients.Pass`",
    "Φ_{4,j}, Γ_{4,j}": "sum and largest of a variable's diagonal weights: `run.variable_flow.VariableFlow`",
    "φ, ψ": "a combination (g, y), and a combination in a neuron: `theory.curriculum.Curriculum`",
    "Σ*": "the order in which combinations are learned: `theory.curriculum.curriculum`",
    "ε_attn^{L,l}": "attention on neither of the two clauses that matter (19): `probe.attention.Look.epsilon`, "
    "`theory.dilution.diluted`",
    "T_1, T_2": "lengths of the two stages: `run.fast.one_step_flow.ToTheFloor`, "
    "`run.population.PopulationRun.records`",
    "Acc_L": "equation (5), of the exact population: `probe.fast.long_chains.at_lengths`",
    "Δ^{L,l}": "difference of the attention on the two (20): `probe.attention.Look.gap`",
}
