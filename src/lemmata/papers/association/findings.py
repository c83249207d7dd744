"""What was found of this paper, in two sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="The headline reproduces: the trained model gives the noise {noise}. Without the second feed-forward "
        "layer the correct token has {correct}; the noise had been learned {lead} steps before the context.",
        rests_on={"fig-3": "holds", "noise-first": "holds"},
        shown_by="fig-3",
        numbers={
            "noise": Number("fig-3", "full model, noise"),
            "correct": Number("fig-3", "without F₂, correct"),
            "lead": Number("noise-first", form=".0f"),
        },
    ),
    Finding(
        text="Feed-forward learns the noise first because its margin is larger, not because its gradients are cleaner: "
        "relative spread {low} to {high}, where our rule asks for {needed}. The first step that is to prove Theorem 2 "
        "points the other way.",
        rests_on={"thm-1-samples": "fails", "thm-1-exact": "holds", "thm-2": "erratum"},
        shown_by="thm-1-samples",
        numbers={
            "low": Number("thm-1-samples", at="min"),
            "high": Number("thm-1-samples", at="max"),
            "needed": Number("thm-1-samples", of="predicted", form=".0f"),
        },
    ),
)
