"""What was found of this paper, in two sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="The theory works from end to end. Staged pre-training stores every fact, and no question gets one "
        "({before}). Questions about half of the subjects bring out {extracted} of the other half's facts, and "
        "{uncovered} of the facts whose template no question covers.",
        rests_on={"stored-and-silent": "holds", "extraction-unseen-facts": "holds", "covering-per-relation": "holds"},
        shown_by="pipeline",
        numbers={
            "before": Number("stored-and-silent", "extraction"),
            "extracted": Number("extraction-unseen-facts", "extraction"),
            "uncovered": Number("covering-per-relation", "uncovered"),
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
