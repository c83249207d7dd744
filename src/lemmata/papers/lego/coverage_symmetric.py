"""Appendices E and F: every numbered statement in the paper's order, and which claims judge it.

Read from a scan of the arXiv text; its equations (88) to (133) stand with the lemmas that they belong to.
"""

from lemmata.record import Stated

DEFINITION = "A definition."

SYMMETRIC = (
    Stated("Appendix E, Fact E.1, equation (88) (gradients of Q)", claims=("gradients",)),
    Stated("Lemma E.1 (gradients of Q43)", claims=("gradients",)),
    Stated("Lemma E.2 (gradients of Q44)", claims=("gradients",)),
    Stated(
        "Lemma E.3, equations (89) to (92) (target features)",
        claims=("feature-structure-symmetric", "logits-tables"),
        why="A restatement of Theorem C.1.",
    ),
    Stated(
        "Lemma E.4, equation (93) (irrelevant features)", claims=("all-slots",), why="Beside slots that are not read."
    ),
    Stated(
        "Lemma E.5, equations (94) to (96) (inner products)",
        why="One-hot embeddings: an identity of the model, tested.",
    ),
    Stated(
        "Lemma E.6 (characterizations of Lambda)", claims=("logits-tables",), why="(a); (b) and (c) are of order delta."
    ),
    Stated(
        "Lemma E.7 (neurons that no clause names)", why="The readings of `logits-tables` are of named neurons alone."
    ),
    Stated("Lemma E.8 (refined gradient of Q43)", claims=("gradients",)),
    Stated("Lemma E.9 (refined gradient of Q44)", claims=("gradients",)),
    Stated("Lemma E.10 (gradient sum)", claims=("gradients-sums",)),
    Stated("Lemma E.11, equations (97) to (102) (decompositions)", claims=("gradients",)),
    Stated("Section E.2, events, equations (103) to (108)", claims=("logits-events",)),
    Stated("Induction E.1 (stage 1.2.1)", claims=("corridor-first", "corridor-upper")),
    Stated("Lemma E.12", claims=("corridor-epsilon", "corridor-first")),
    *(
        Stated(f"Lemma E.{12 + number} (readings on E_{number}, stage 1.2.1)", claims=("logits-tables",))
        for number in range(1, 7)
    ),
    Stated(
        "Lemma E.19, equations (109) to (111) (gradient sum, stage 1.2.1)",
        claims=("slopes-orders", "corridor-first"),
        why="(ii), and that the sum rises; the constant of (i) is of the smoothed part, which is left in a few steps.",
    ),
    Stated("Lemma E.20 (entries off the diagonals)", claims=("slopes-orders", "corridor-first")),
    Stated("Lemma E.21, equations (112), (113) (related clause)", claims=("corridor-first",)),
    Stated("Lemma E.22 (gap, stage 1.2.1)", claims=("corridor-upper",)),
    Stated(
        "Lemma E.23 (end of stage 1.2.1)",
        claims=("corridor-first",),
        why="(a), (b); its time is for a step size left free.",
    ),
    Stated(
        "Induction E.2 (stage 1.2.2)",
        claims=("corridor-induction", "corridor-upper", "corridor-first", "paper-stop-first"),
    ),
    Stated("Lemma E.24", claims=("paper-stop-first", "corridor-epsilon", "corridor-first")),
    *(
        Stated(f"Lemma E.{24 + number} (readings on E_{number}, stage 1.2.2)", claims=("logits-tables",))
        for number in range(1, 7)
    ),
    Stated("Lemma E.31, equations (114), (115) (gradient sum, stage 1.2.2)", claims=("slopes-orders",)),
    Stated("Lemma E.32 (entries off the diagonals)", claims=("slopes-orders", "corridor-first")),
    Stated("Lemma E.33 (gap, stage 1.2.2)", claims=("corridor-upper",)),
    Stated("Lemma E.34, equations (116), (117) (the answer's surplus)", claims=("corridor-lower",)),
    Stated("Lemma E.35 (end of stage 1.2.2)", claims=("paper-stop-first", "paper-stop-trained", "large-d-symmetric")),
    Stated("Appendix F, Definition F.1, equation (118) (greedy annotator)", claims=("self-labels",), why=DEFINITION),
    Stated("Definition F.2 (bootstrapped distribution)", claims=("self-labels",), why=DEFINITION),
    Stated(
        "Definition F.3, equation (119) (self-training loss)", why="A definition: `run.fast.population_loss`, tested."
    ),
    Stated("Fact F.1 (its gradient is that of the true answers)", claims=("paper-stop-doubling", "self-labels")),
    Stated("Remark F.1 (why)", claims=("paper-stop-doubling", "stage-start")),
    Stated("Lemma F.1 (gradients of Q43)", claims=("gradients", "gradients-f.1")),
    Stated("Lemma F.2 (gradients of Q44)", claims=("gradients",)),
    Stated(
        "Lemma F.3 (characterizations of Lambda)",
        why="Lemma E.6 for longer sentences; `model.fast.ideal_features`, tested.",
    ),
    Stated("Lemma F.4 (neurons that no clause names)", why="Lemma E.7 for longer sentences."),
    Stated("Lemma F.5 (refined gradient of Q43)", claims=("gradients", "gradients-f.1")),
    Stated("Lemma F.6 (refined gradient of Q44)", claims=("gradients",)),
    Stated("Lemma F.7 (gradient sum)", claims=("gradients-sums",)),
    Stated("Lemma F.8, equations (120) to (125) (decompositions)", claims=("gradients",)),
    Stated(
        "Section F.1.2, events of longer sentences (balls into bins)",
        why="Count matrices are enumerated or drawn by their weights instead; U_k and W_k are of orders left free.",
    ),
    Stated("Induction F.1 (stage k)", claims=("corridor-induction", "corridor-long", "slopes-orders")),
    Stated("Lemma F.9", claims=("paper-stop-later", "stage-start"), why="(1); (2) is the definition of few scores."),
    Stated(
        "Lemma F.10 (readings where y_0 is not y_1)",
        why="`model.fast.ideal_features` reads them; tested on both engines.",
    ),
    Stated(
        "Lemma F.11 (readings where y_0 is y_1)", why="`model.fast.ideal_features` reads them; tested on both engines."
    ),
    Stated("Lemma F.12, equations (126) to (131) (gradient sum)", claims=("slopes-orders",)),
    Stated("Lemma F.13 (entries off the diagonals)", claims=("slopes-orders",)),
    Stated("Lemma F.14 (gap)", claims=("corridor-long",)),
    Stated("Lemma F.15, equations (132), (133) (the answer's surplus)", claims=("corridor-later",)),
    Stated("Lemma F.16 (end of stage k)", claims=("paper-stop-later", "paper-stop-long")),
    Stated("Theorem F.1 (recursive self-training)", claims=("paper-stop-doubling", "least-clip", "thm-5.1-doubling")),
)
