"""What was found of this paper, in two sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="The theory holds at convergence: where both losses are equally near their floors the simply transitive "
        "C₆ has {free} of the best possible accuracy on the longest chain and S₅ {bound}, its attention {spread} "
        "times as diluted.",
        rests_on={"separation": "holds"},
        shown_by="separation",
        numbers={
            "free": Number("separation", "simply transitive, worst seed"),
            "bound": Number("separation", "symmetric, best seed"),
            "spread": Number("separation", "ε at two steps, symmetric over simply transitive", form=".0f"),
        },
    ),
    Finding(
        text="Self-training repairs it as Theorem 5.1 says: every stage solves chains of twice the length it was "
        "trained on, the last one with {reached} of the best possible accuracy, and all of its own labels are true.",
        rests_on={"thm-5.1-doubling": "holds", "self-labels": "holds"},
        shown_by="thm-5-1",
        numbers={"reached": Number("thm-5.1-doubling", "Acc over its ceiling", at=-1, form=".4f")},
    ),
)
