"""What appendices A, B and C state of the feed-forward layer, statement by statement, and which claims judge it."""

from lemmata.record import Stated

DEFINED = "A definition."
GRADIENT = "Of the gradients' table."
HYPOTHESIS = "An induction hypothesis: its parts that are statements of their own are judged by these."
UNREAD = "Of orders with constants that the scan does not give."

VARIABLES = (  # Appendix A: W_4 copies the variable
    Stated("Appendix A, equations (22) and (23)", why="Definitions: `theory/gradients.py`, as printed."),
    Stated("Fact A.1", claims=("gradients",), why=GRADIENT),
    Stated("Induction A.1", claims=("appendix-a",), why=HYPOTHESIS),
    Stated("Claim A.1", why="A step of Lemmas A.3 and A.8: which terms of a pre-activation are not small."),
    Stated("Claim A.2", why="A step of Lemmas A.3 and A.8: a softmax of Claim A.1's logits."),
    Stated("Lemma A.1", claims=("gradients",), why=GRADIENT),
    Stated("Lemma A.2", claims=("gradients",), why=f"{GRADIENT} Its part (c) names e_j where e_s is meant."),
    Stated(
        "Lemma A.3", why="The rate of Phase I up to a constant; judged of W_5, with its constant, by phases-arrival."
    ),
    Stated("Lemma A.4", claims=("phases-arrival",), why="The same power method; its constant is judged of W_5."),
    Stated("Lemma A.5", why="An upper bound that the clip gives at once: the diagonal ends at 2B."),
    Stated("Lemma A.6", claims=("appendix-a",), why="At the paper's sigma_0 the first term of its bound decides."),
    Stated("Lemma A.7", claims=("appendix-a",), why="At the paper's sigma_0 the first term of its bound decides."),
    Stated("Lemma A.8", claims=("appendix-a",)),
    Stated("Lemma A.9", claims=("appendix-a",)),
    Stated("Lemma A.10", claims=("appendix-a",), why="With the constant of its proof."),
    Stated("Lemma A.11", claims=("appendix-a",), why="The induction closed: what it sums up is judged at the end."),
    Stated("Lemma A.12 (a)", claims=("one-step-learned",)),
    Stated("Lemma A.12 (b)", claims=("appendix-a", "retrieval")),
)

TRANSITIVE = (  # Appendix B: W_5 of a simply transitive action
    Stated("Definition B.1, equations (24) and (25)", why=f"{DEFINED} Counted by `distractors`."),
    Stated("Definition B.2, equations (26) and (27)", why=f"{DEFINED} `probe/feature_shapes.py`."),
    Stated("Section B.1, events of combinations", why=f"{DEFINED} In `theory/gradients.py`."),
    Stated("Definition B.3 (learning curriculum)", claims=("curriculum-order",), why="`theory/curriculum.py`."),
    Stated("Assumption B.1", why="W_5 does not move in slots 1, 3 and 4: `reads='needed'`; all-slots goes without."),
    Stated(
        "Assumption B.2",
        claims=("thm-b.1", "thm-c.1"),
        why="The middle branch is garbled in the scan: we join 0 and the slope below by -x^2/2.",
    ),
    Stated("Theorem B.1, A to C and E", claims=("thm-b.1",)),
    Stated("Theorem B.1, D", claims=("phases-competition",)),
    Stated("Definition B.4 (feature shape)", claims=("thm-b.1",), why=DEFINED),
    Stated(
        "Section B.1.2, phase decomposition", claims=("phases-order",), why="With c_1 = 1/8: the scan has no value."
    ),
    Stated("Induction B.1", claims=("phases-intervals",), why=HYPOTHESIS),
    Stated("Induction B.2", claims=("phases-competition", "thm-b.1"), why=HYPOTHESIS),
    Stated("Fact B.1, equations (28) to (30)", claims=("gradients",), why=GRADIENT),
    Stated("Definition B.5, equations (31) and (32)", why=DEFINED),
    Stated("Definition B.6 (gradient condition)", why=DEFINED),
    Stated("Fact B.2", claims=("lemma-b.9",), why="Its lambda; the second part is a bound on a softmax."),
    Stated("Fact B.3", claims=("initialization",)),
    Stated("Fact B.4", claims=("initialization",)),
    Stated("Lemma B.1", claims=("phases-competition",), why="Its (a); (b) and (c) say what Phase I is."),
    Stated(
        "Lemma B.2", claims=("phases-arrival",), why="Its proxy, the positive term alone, gives the time predicted."
    ),
    Stated("Lemma B.3", claims=("phases-competition",)),
    Stated("Induction B.3", claims=("phases-split", "phases-order"), why=HYPOTHESIS),
    Stated("Lemma B.4", why=f"{UNREAD} Its identity without the error term is Fact B.1."),
    Stated("Lemma B.5 (a)", claims=("phases-split",)),
    Stated("Lemma B.5 (b)", claims=("thm-b.1",), why="Where the gradient has vanished: at the end."),
    Stated(
        "Lemma B.6 (a) and (b)", why="How many steps of the given rate: its T_1 is what our flow takes to the floor."
    ),
    Stated("Lemma B.6 (c)", claims=("thm-b.1",)),
    Stated("Lemma B.7", claims=("thm-b.1", "gradients"), why="And its conserved sum, as an identity."),
    Stated("Lemma B.8 (a)", claims=("phases-arrival",)),
    Stated(
        "Lemma B.8 (b) to (d)", claims=("phases-order", "phases-intervals"), why="Their order; no constant is read."
    ),
    Stated("Induction B.4", claims=("thm-b.1",), why=HYPOTHESIS),
    Stated("Lemma B.9", claims=("lemma-b.9",)),
    Stated("Lemma B.10", why=f"{UNREAD} At the end (a) says that no output below B is at rest: part A of thm-b.1."),
    Stated("Lemma B.11", why="Hoeffding's inequality for U-statistics, cited; our text has lost its prefactor."),
    Stated("Lemma B.12", claims=("lemma-b.13",)),
    Stated("Lemma B.13", claims=("lemma-b.13", "phases-arrival")),
    Stated("Corollary B.1", claims=("lemma-b.13",)),
)

SYMMETRIC = (  # Appendix C: W_5 of a symmetric action
    Stated("Assumption C.1", why="Of the action: checked by the claims' needs."),
    Stated("Remark C.1", claims=("distractors",), why="The orbit-stabilizer theorem, by enumeration."),
    Stated("Remark C.2", why="S_n is among the actions."),
    Stated("Definition C.1 (fiber of values)", why=f"{DEFINED} `probe/weights.py`."),
    Stated("Remark C.3", claims=("distractors",), why="Fibers are cosets: counted."),
    Stated("Fact C.1", claims=("distractors",), why="|Fiber| = n_G / n_y, by enumeration."),
    Stated("Definition C.2 (super-combinations)", why=DEFINED),
    Stated("Definition C.3 (neuron feature indices)", why=DEFINED),
    Stated("Section C.1, V-notations", why=f"{DEFINED} `probe/weights.py`."),
    Stated("Definition C.4 (learning curriculum)", claims=("curriculum-order",), why="`theory/curriculum.py`."),
    Stated("Definition C.5 (events of appearance)", why=f"{DEFINED} In `theory/gradients.py`."),
    Stated("Theorem C.1, loss", claims=("one-step-learned", "lemma-b.9")),
    Stated("Theorem C.1, A and B", claims=("thm-c.1",)),
    Stated("Theorem C.1, C", claims=("thm-c.1", "feature-structure-symmetric")),
    Stated("Theorem C.1, D", claims=("phases-competition",)),
    Stated("Definition C.6 (feature shape)", claims=("thm-c.1",), why=DEFINED),
    Stated("Remark C.4", why="It compares the two theorems."),
    Stated("Definition C.7, equation (37)", why="A definition and a sum over a fiber of it."),
    Stated("Definition C.8 (gradient condition)", why=DEFINED),
    Stated("Fact C.2, equations (38) and (39)", claims=("gradients",), why=GRADIENT),
    Stated("Definition C.9 (phase decomposition)", claims=("phases-order",), why="With c_1 = 1/8."),
    Stated("Induction C.1", claims=("phases-intervals",), why=HYPOTHESIS),
    Stated("Lemma C.1", claims=("initialization",)),
    Stated("Corollary C.1", claims=("initialization-fibres",)),
    Stated("Induction C.2, equation (40)", claims=("phases-split",), why="With its leading constant, n_G / n_y."),
    Stated("Lemma C.2", claims=("phases-split",), why="What its proof says of V(g) and V(y); the proxy is B.2's."),
    Stated("Lemma C.3", claims=("phases-competition",)),
    Stated("Induction C.3", claims=("thm-c.1",), why=HYPOTHESIS),
    Stated("Lemma C.4", why=f"{UNREAD} Its identity without the error term is Fact C.2."),
    Stated("Lemma C.5", claims=("thm-c.1",), why="Where the gradient has vanished: at the end."),
    Stated(
        "Lemma C.6 (a) and (b)", why="How many steps of the given rate: its T_1 is what our flow takes to the floor."
    ),
    Stated("Lemma C.6 (c)", claims=("thm-c.1",)),
    Stated("Lemma C.7", claims=("thm-c.1", "feature-structure-symmetric", "gradients"), why="Its constant, exactly."),
    Stated(
        "Lemma C.8", claims=("phases-order", "phases-arrival"), why="(a) by the power method; of (b) to (d) the order."
    ),
    Stated("Induction C.4", claims=("thm-c.1",), why=HYPOTHESIS),
    Stated("Lemma C.9", claims=("lemma-b.9",)),
    Stated("Lemma C.10", why=f"{UNREAD} At the end (a) says that no output below B is at rest: part A of thm-c.1."),
)

FEATURES = (*VARIABLES, *TRANSITIVE, *SYMMETRIC)
