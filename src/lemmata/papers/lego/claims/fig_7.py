"""Figure 7: attention on the right answer clause at longer lengths."""

from lemmata.papers.lego.claims._diagonals import diagonal_experiment, drops

EXPERIMENT = diagonal_experiment(
    "Attention on the right answer at longer lengths",
    "answer",
    id="fig-7",
    locus="Section 7, Figure 7",
    statement="For the attention on the right answer clause the pattern of Figure 6 is reversed: the simply transitive "
    "action's falls with length and position, the symmetric one's is stable.",
    decaying="simply transitive",
    steady="symmetric",
    remark=lambda runs: (
        "The attention on the answer clause does fall with length and position for the simply transitive action, and "
        f"for the symmetric one about as much, in both regimes. {drops(runs, 'answer')}"
    ),
)
