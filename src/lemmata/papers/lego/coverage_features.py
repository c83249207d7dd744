"""What appendices A, B and C state of the feed-forward layer, statement by statement, and which claims judge it."""

from lemmata.record import Stated

DEFINED = "A definition."
SEQUEL = "Of a bookkeeping of the proof: its parts are judged at"

VARIABLES = (  # Appendix A: W_4 copies the variable
    Stated("Appendix A, equations (22) and (23)", why="Definitions: `theory/gradients.py`, as printed."),
    Stated("Fact A.1", claims=("one-step-learned",)),
    Stated("Induction A.1", claims=("retrieval",)),
    Stated("Claim A.1", claims=("retrieval",)),
    Stated("Claim A.2", claims=("retrieval",)),
    Stated("Lemma A.1", claims=("retrieval",)),
    Stated("Lemma A.2", claims=("retrieval",)),
    Stated("Lemma A.3", claims=("retrieval",)),
    Stated("Lemma A.4", claims=("retrieval",)),
    Stated("Lemma A.5", claims=("retrieval",)),
    Stated("Lemma A.6", claims=("retrieval",)),
    Stated("Lemma A.7", claims=("retrieval",)),
    Stated("Lemma A.8", claims=("retrieval",)),
    Stated("Lemma A.9", claims=("retrieval",)),
    Stated("Lemma A.10", claims=("retrieval",)),
    Stated("Lemma A.11", claims=("retrieval",)),
    Stated("Lemma A.12", claims=("one-step-learned",)),
)
