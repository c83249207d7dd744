"""What appendix D states of the attention of a simply transitive action, statement by statement, and which claims judge
it."""

from lemmata.record import Stated

GRADIENT = "Of the gradients' table; `probe/two_steps.py` has them as printed, tested at 1e-12."
FEATURES = "What stage 1 ends in, restated: judged of the features."
NEURONS = "Which neurons are awake: read with the rest of it, and what they say is judged."
SAME = "Word for word that of stage 2.1, under the next hypothesis."

SIMPLY_TRANSITIVE = (
    Stated("Appendix D.1, equation (41)", why="A definition: `probe/two_steps.py`."),
    Stated("Fact D.1", claims=("gradients",), why=GRADIENT),
    Stated("Lemma D.1", claims=("gradients",), why=GRADIENT),
    Stated("Lemma D.2", claims=("gradients",), why=GRADIENT),
    Stated("Lemma D.3, equations (42) to (45)", claims=("thm-b.1",), why=FEATURES),
    Stated("Lemma D.4, equation (46)", why="Slots that the value's neurons do not read here; all-slots reads them."),
    Stated("Lemma D.5, equations (47) to (49)", why="Definitions of V with the error of Lemma D.4, 0 here."),
    Stated("Lemma D.6", claims=("initial-activations", "convergence-activations"), why="Of neurons that learned."),
    Stated("Lemma D.7", claims=("initial-activations",), why="Its neurons lie lower than the next ones."),
    Stated("Lemma D.8", claims=("gradients",), why=GRADIENT),
    Stated("Lemma D.9", claims=("gradients",), why=GRADIENT),
    Stated("Appendix D.2, equations (50) to (63), (68)", why="Terms and events: definitions, counted in a test."),
    Stated(
        "Induction D.1", claims=("balance", "balance-off-diagonal"), why="Its (a) follows from the rate in balance."
    ),
    Stated("Lemma D.10", claims=("initial-activations",), why="The softmax of Induction D.1: 1/3 and 1/4 at Q = 0."),
    Stated("Lemma D.11", claims=("initial-activations",)),
    Stated("Lemma D.12", claims=("initial-activations",)),
    Stated("Lemma D.13", claims=("initial-logits",)),
    Stated("Lemma D.14 (1a), (2a), (2b) and (2c)", claims=("initial-activations",)),
    Stated("Lemma D.14 (1b) and (2d)", why="Bounds on readings whose answers D.15 bounds: judged there."),
    Stated("Lemma D.15 (1), (2a), (2b) and (2c)", claims=("initial-logits",)),
    Stated("Lemma D.15 (2d)", why="Two answers coincide; D.13's bound for all others, judged there."),
    Stated("Lemma D.16", claims=("initial-slopes", "balance")),
    Stated("Lemma D.17, equations (64) to (67)", claims=("initial-slopes",), why="The slope is positive, and known."),
    Stated("Lemma D.18", claims=("initial-slopes", "balance")),
    Stated("Lemma D.19", claims=("balance",)),
    Stated("Lemma D.20", claims=("initial-slopes", "balance-off-diagonal")),
    Stated("Lemma D.21", claims=("balance", "balance-off-diagonal")),
    Stated(
        "Induction D.2", claims=("balance", "balance-off-diagonal"), why="Its end, 0.0001, is before stage 2.1's here."
    ),
    Stated("Lemma D.22", claims=("balance",), why="The softmax of Induction D.2."),
    Stated("Lemma D.23", why=NEURONS),
    Stated("Lemma D.24", claims=("convergence-activations",), why="Bounds on what Lemma D.36 gives exactly."),
    Stated("Lemma D.25", claims=("converging-logits",), why="Bounds on what Lemma D.37 gives with their powers."),
    Stated("Lemma D.26", why=f"{NEURONS} {SAME}"),
    Stated("Lemma D.27", claims=("initial-logits",), why=SAME),
    Stated("Lemma D.28", claims=("balance",)),
    Stated("Lemma D.29", claims=("balance",)),
    Stated("Lemma D.30, equations (69) to (72)", claims=("balance",), why="Summed over time: the lead that it bounds."),
    Stated("Lemma D.31", claims=("balance",)),
    Stated("Lemma D.32", claims=("balance-off-diagonal",)),
    Stated("Lemma D.33", claims=("balance", "balance-off-diagonal"), why="Its time follows from the rates in balance."),
    Stated(
        "Induction D.3",
        claims=("convergence", "convergence-gap-sign"),
        why="Its (a) follows from the rate in time-law.",
    ),
    Stated("Lemma D.34", claims=("convergence",), why="Its orders of attentions are arithmetic of the softmax."),
    Stated("Lemma D.35", why=NEURONS),
    Stated("Lemma D.36", claims=("convergence-activations",)),
    Stated("Lemma D.37 (1)", claims=("converging-logits-unnamed-tokens",)),
    Stated("Lemma D.37 (2)", claims=("converging-logits",)),
    Stated(
        "Lemma D.38", claims=("converging-logits-unnamed-tokens",), why=f"{NEURONS} (2b) is what D.39 (2b) forgets."
    ),
    Stated("Lemma D.39 (1), (2b) and (2c)", claims=("converging-logits-unnamed-tokens",)),
    Stated("Lemma D.39 (2a)", claims=("converging-logits",)),
    Stated("Lemma D.40, equations (73) to (76)", claims=("time-law", "large-d-attention")),
    Stated(
        "Lemma D.41", claims=("balance-off-diagonal",), why="To the end of stage 2.2; later entries move less still."
    ),
    Stated("Lemma D.42, equations (77) to (84)", claims=("convergence-gap-sign",)),
    Stated("Lemma D.43", claims=("convergence",), why="Q's diagonals grow as a constant times log d."),
    Stated("Lemma D.44", claims=("convergence",)),
    Stated(
        "Appendix D.5.6, equations (85) and (86)", claims=("convergence",), why="The gap that it bounds, at the end."
    ),
    Stated(
        "Lemma D.45",
        claims=("convergence", "large-d-attention"),
        why="Its range of the final epsilon is empty unless sigma_0 << 1.",
    ),
    Stated("Theorem D.1, equation (87)", claims=("thm-4.1-length",), why="Theorem 4.1 again."),
)
