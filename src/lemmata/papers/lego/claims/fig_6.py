"""Figure 6: attention on the right predicate at longer lengths."""

from lemmata.papers.lego.claims._diagonals import diagonal_experiment, drops

EXPERIMENT = diagonal_experiment(
    "Attention on the right predicate at longer lengths",
    "predicate",
    id="fig-6",
    locus="Section 7, Figure 6",
    statement="Beyond the training length the attention on the right predicate is diluted, and for the symmetric "
    "action it decays with the position while the simply transitive one's stays. (The drop is of the last quarter of "
    "positions against the first, relative to the mean, at four times the training length.)",
    decaying="symmetric",
    steady="simply transitive",
    remark=lambda runs: (
        f"Attention is diluted with length, as printed. {drops(runs, 'predicate')} Where attention is sharp enough to "
        "reach long sentences it hardly depends on the position for either action; where it is soft (lower row of the "
        "figure) both decay alike, since later answers see more clauses."
    ),
)
