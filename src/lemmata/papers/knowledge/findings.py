"""What was found of this paper, in three sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="The theory works from end to end. After staged pre-training every fact is stored and no question gets "
        "one ({before}); gradient descent on half of the subjects brings out {extracted} of the other half's facts.",
        rests_on={"stored-and-silent": "holds", "extraction-unseen-facts": "holds"},
        shown_by="pipeline",
        numbers={
            "before": Number("stored-and-silent", "extraction"),
            "extracted": Number("extraction-unseen-facts", "extraction"),
        },
    ),
    Finding(
        text="What fine-tuning does not cover stays silent: {uncovered} of the facts with an uncovered template come "
        "out, and {own} of them are answered with the subject's own relation.",
        rests_on={"hallucination-regime": "holds"},
        shown_by="covering",
        numbers={
            "uncovered": Number("covering-per-relation", "uncovered"),
            "own": Number("hallucination-regime", "answered with its own relation"),
        },
    ),
    Finding(
        text="A covering law, fitted to nothing, says from the model before fine-tuning how many facts come out, with "
        "a mean error of {error} over all cells; the best increasing function of K F is further off by {rival}.",
        rests_on={"covering-law": "holds"},
        shown_by="covering-law",
        numbers={
            "error": Number("covering-law", "error of the law"),
            "rival": Number("covering-law", "nearer than K F"),
        },
    ),
)
