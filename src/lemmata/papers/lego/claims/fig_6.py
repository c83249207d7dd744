"""Figure 6: attention on the right predicate at longer lengths."""

from lemmata.core import Claim, Experiment
from lemmata.papers.lego.claims._attention_maps import NEEDS
from lemmata.papers.lego.claims._diagonals import diagonals, draw_diagonal, drops, parts
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import length_runs

FIGURE_6 = Claim(
    id="fig-6",
    locus="Section 7, Figure 6",
    statement="Beyond the training length the attention on the right predicate is diluted, and for the symmetric "
    "action it decays with the position while the simply transitive one's stays. (The drop is of the last quarter of "
    "positions against the first, relative to the mean, at four times the training length.)",
    subject=lambda runs: diagonals(runs, "trained", "predicate"),
    wrong=lambda runs: diagonals(runs, "untrained", "predicate"),
    parts=parts(decaying="symmetric", steady="simply transitive"),
    needs=NEEDS,
    remark=lambda runs: (
        f"Attention is diluted with length, as printed. {drops(runs, 'predicate')} Where attention is sharp enough to "
        "reach long sentences it hardly depends on the position for either action; where it is soft (lower row of the "
        "figure) both decay alike, since later answers see more clauses."
    ),
)

EXPERIMENT = Experiment(
    title="Attention on the right predicate at longer lengths",
    runs=lambda scale: length_runs(scale, "sharp", "diluted"),
    needs=FAMILIES,
    claims=(FIGURE_6,),
    draw=lambda runs: draw_diagonal(runs, "predicate"),
)
