"""What was found of this paper, in two sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="Questions about half of the subjects bring out {extracted} of the facts of the other half. The more "
        "templates a subject had, the more come out, as the paper says: {one} with the fewest, {ten} with the most.",
        rests_on={"extraction-unseen-facts": "holds", "multiplicity": "holds"},
        shown_by="multiplicity",
        numbers={
            "extracted": Number("extraction-unseen-facts", "extraction"),
            "one": Number("multiplicity", "extraction by K", at=0),
            "ten": Number("multiplicity", "extraction by K", at=-1),
        },
    ),
    Finding(
        text="The first fine-tuning gradient has rank 1: {share} of its squares, mean over seeds. Descent along that "
        "part alone brings out as many facts as the whole gradient ({difference} on {full}).",
        rests_on={"gradient-rank-one": "holds", "rank-one-descent": "holds"},
        shown_by="gradient",
        numbers={
            "share": Number("gradient-rank-one"),
            "difference": Number("rank-one-descent", "rank 1 - full", form="+.2f"),
            "full": Number("rank-one-descent", "full"),
        },
    ),
)
