"""Figure 6: attention on the right predicate at longer lengths."""

from lemmata.core import Protocol
from lemmata.papers.lego.claims._diagonals import diagonal_experiment

EXPERIMENT = diagonal_experiment(
    "Attention on the right predicate at longer lengths",
    "predicate",
    protocol=Protocol("|X|, the width and the number of sentences, which Section 7 does not print"),
    id="fig-6",
    locus="Section 7, Figure 6",
    statement="Beyond the training length the attention on the right predicate is diluted as the task grows longer; "
    "for the symmetric action it decays with the position, while the simply transitive one's stays even. Judged: the "
    "ratio of four times to twice the training length, and the drop of the last quarter of positions against the "
    "first, relative to the mean. Control: the two actions exchanged.",
    decaying="symmetric",
    steady="simply transitive",
    more={},
)
