"""What the paper states, in its own order, and which claims judge it: the main text here, then the appendices."""

from lemmata.papers.lego.coverage_features import FEATURES
from lemmata.papers.lego.coverage_simply_transitive import SIMPLY_TRANSITIVE
from lemmata.papers.lego.coverage_symmetric import SYMMETRIC
from lemmata.record import Stated

BLOCK_SPARSE = "Not in a block-sparse block: S₅ does not learn its own length there in the epochs a laptop has."

MAIN = (
    Stated("Theorem 1.1 (informal)", claims=("one-step-learned", "thm-4.1-length", "cor-5.1")),
    Stated("Theorem 1.2, simply transitive (informal)", claims=("separation", "thm-4.1-length", "regime-map")),
    Stated(
        "Theorem 1.2, symmetric: only a constant factor (informal)",
        claims=("separation", "regime-map", "stabilizer"),
        why="No formal theorem stands behind it: Theorem 5.1 bounds from below, and Section 5 calls more difficult.",
    ),
    Stated("Theorem 1.3 (informal)", claims=("thm-5.1-doubling", "cor-5.1", "self-train-cost")),
    Stated("Section 1.1, stabilizers and concentration", claims=("mechanism", "stabilizer", "one-curve")),
    Stated("Figure 1a", claims=("fig-1a", "fig-1a-level", "section-7-map", "section-7-any-size")),
    Stated("Figure 1b", claims=("fig-1b", "fig-1b-match")),
    Stated("Figure 2", claims=("fig-2", "section-7-no-residual-fig-2"), why=BLOCK_SPARSE),
    Stated("Definition 2.1 (word problem)", claims=("beyond-tc0",), why="A definition: decided by a chain of thought."),
    Stated("Theorem 2.1 (Barrington)", claims=("beyond-tc0",), why="A demonstration; not a proof."),
    Stated("Definition 2.2, equation (1) (the language)", why="A definition: `task/`, tested against brute force."),
    Stated("Assumption 3.1 (asymptotic regime)", claims=("thm-4.1-length", "thm-4.1-attention", "time-law")),
    Stated("Definition 3.1, equation (2) (encoding)", why="A definition: `task/`, tested."),
    Stated("Definition 3.2 (token embedding)", why="A definition: one-hot; `model/dense.py` has the vectors, tested."),
    Stated("Definition 3.3 (embedding of sentences)", why="A definition: `model/dense.py`, tested."),
    Stated("Assumption 3.2 (the distribution)", why="A definition: `task/`, tested."),
    Stated(
        "Definition 3.4 (smooth ReLU)",
        claims=("feature-structure-symmetric", "thm-b.1"),
        why="Both readings of our text run, and Assumption B.2's.",
    ),
    Stated(
        "Definition 3.5, equations (3) and (4) (the model)",
        claims=("all-slots", "gradients"),
        why="Neurons that read all five slots.",
    ),
    Stated(
        "Definition 3.6, equation (5) (accuracy)",
        claims=("thm-4.1-length", "thm-5.1-doubling", "cor-5.1", "separation"),
        why="The metric of every theorem's claim; greedy decoding stands beside it.",
    ),
    Stated("Definition 3.7, equation (6) (loss)", why="A definition: two engines agree on it to 1e-12."),
    Stated("Assumption 3.3 (initialization)", claims=("thm-4.1-length", "thm-4.1-attention")),
    Stated(
        "Assumption 3.4 (clipping)", claims=("regime-map", "time-law"), why="Varied; loss floor and ceiling of (5)."
    ),
    Stated("Assumption 3.5 (block-sparse attention)", claims=("section-7-map",), why="Beside a plain block."),
    Stated("Assumption 4.1", claims=("thm-4.1-length", "one-curve"), why="Checked by the claims' needs: d >= 404."),
    Stated("Algorithm 1", claims=("thm-4.1-length", "joint-training"), why="And without its two stages."),
    Stated("Theorem 4.1, equation (7)", claims=("thm-4.1-length", "large-d-length")),
    Stated("Theorem 4.1, equation (8)", claims=("thm-4.1-attention", "large-d-attention", "time-law")),
    Stated("Figure 3", why="An illustration."),
    Stated("Assumption 5.1 (symmetric actions)", claims=("distractors", "mechanism")),
    Stated("Section 5, distractors", claims=("distractors", "mechanism", "stabilizer")),
    Stated(
        "Definition 5.1, equation (9) (bootstrapped distribution)", claims=("self-labels",), why="As a computation."
    ),
    Stated("Definition 5.2, equation (10) (self-training loss)", claims=("self-labels",), why="As a computation."),
    Stated("Algorithm 2", claims=("thm-5.1-doubling", "stage-start", "self-labels")),
    Stated("Theorem 5.1, equation (11)", claims=("thm-5.1-doubling", "symmetric-attention")),
    Stated("Theorem 5.1, equation (12)", claims=("thm-5.1-attention", "symmetric-attention")),
    Stated("Corollary 5.1", claims=("cor-5.1", "beyond-tc0")),
    Stated("Section 6.1.1, equations (13) to (15) (the variable)", claims=("retrieval", "one-step-learned")),
    Stated("Definition 6.1 (combinations)", why="A definition: `probe/`, tested."),
    Stated("Definition 6.2 (V-notations)", why="A definition: `probe/weights.py`, tested."),
    Stated("Definition 6.3 (combinations and fibers)", why="A definition: `probe/weights.py`, tested."),
    Stated("Section 6.1.2, Phase I, equation (16)", claims=("power-growth", "phases-arrival", "phases-competition")),
    Stated("Section 6.1.2, Phase II", claims=("phases-order", "phases-split")),
    Stated("Section 6.1.2, one neuron for each combination", claims=("neurons-distinct", "curriculum-order")),
    Stated("Section 6.1.2, equation (17)", claims=("feature-structure-transitive", "thm-b.1")),
    Stated("Section 6.1.2, equation (18)", claims=("feature-structure-symmetric", "thm-c.1")),
    Stated("Section 6.1.3, the FFN does not depend on length", why="An identity of the model, tested."),
    Stated(
        "Section 6.2, equation (19) and Figure 4 (routing)", claims=("balance",), why="Figure 4 is an illustration."
    ),
    Stated("Section 6.2.1, stages 2.1 to 2.3, equation (20)", claims=("balance", "convergence")),
    Stated("Section 6.2.1, strong length generalization", claims=("dilution-law", "thm-4.1-length")),
    Stated("Section 6.2.2, eps and Delta stay bounded for S_n", claims=("symmetric-attention",)),
    Stated("Section 6.2.2, recursive learning", claims=("stage-start", "self-labels", "thm-5.1-doubling")),
    Stated("Section 7, training to length 160", claims=("fig-1a",), why="At paper scale; 40 on a laptop."),
    Stated("Figure 5", claims=("fig-5", "permutation-invariance")),
    Stated("Figure 6", claims=("fig-6", "section-7-no-residual-fig-6"), why=BLOCK_SPARSE),
    Stated("Figure 7", claims=("fig-7", "section-7-no-residual-fig-7"), why=BLOCK_SPARSE),
    Stated("Section 7, conjecture: it hinges on predicate attention", claims=("predicate-attention",)),
    Stated("Section 8, NoPE", claims=("permutation-invariance",), why="No model with positions is trained beside it."),
    Stated("Section 8, other architectures", why="A discussion of others' work."),
)

COVERAGE = (*MAIN, *FEATURES, *SIMPLY_TRANSITIVE, *SYMMETRIC)
