"""What was found of this paper, in two sentences."""

from lemmata.record import Finding, Number

FINDINGS = (
    Finding(
        text="Theorem 4.2 holds on trained models; constants in its proof change: the low-temperature "
        "optimum puts {right} where {printed} is printed, and its line has {critical} critical points, not {one}.",
        rests_on={"optimum-low-T": "erratum", "thm-b.3-critical-points": "erratum", "thm-4.2": "holds"},
        shown_by="optimum",
        numbers={
            "right": Number("optimum-low-T", form=".4f"),
            "printed": Number("optimum-low-T", of="predicted", form=".4f"),
            "critical": Number("thm-b.3-critical-points", at="min", form=".0f"),
            "one": Number("thm-b.3-critical-points", of="predicted", form=".0f"),
        },
    ),
    Finding(
        text='"Small enough temperature" hides a phase diagram: with the fewest subjects the optimum of Theorem 4.2 '
        "is the best up to T = {whole} and exists up to {exists}; beyond, all attention on one pair is better.",
        rests_on={"phase-global": "holds", "phase-exist": "holds"},
        shown_by="phase",
        numbers={"whole": Number("phase-global", at=0, form=".4f"), "exists": Number("phase-exist", at=0, form=".4f")},
    ),
)
