"""What was found of this paper, in two sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="The headline reproduces: the trained model gives the noise {noise}; dropping the second feed-forward "
        "layer leaves the correct token {correct}, and the noise had been learned {lead} steps before the context.",
        rests_on={"fig-3": "holds", "noise-first": "holds"},
        shown_by="fig-3",
        numbers={
            "noise": Number("fig-3", "full model, noise"),
            "correct": Number("fig-3", "without F₂, correct"),
            "lead": Number("noise-first", form=".0f"),
        },
    ),
    Finding(
        text="What puts the feed-forward layer first is the size of its margin, not less noise in its gradients: "
        "relative to the margin they spread as much as attention's (ratio {low} to {high}; our rule asks for {needed})."
        " And the first step that is to prove Theorem 2 points the other way.",
        rests_on={"thm-1-samples": "fails", "thm-1-exact": "holds", "thm-2": "erratum"},
        shown_by="thm-1-samples",
        numbers={
            "low": Number("thm-1-samples", at="min"),
            "high": Number("thm-1-samples", at="max"),
            "needed": Number("thm-1-samples", of="predicted", form=".0f"),
        },
    ),
)
