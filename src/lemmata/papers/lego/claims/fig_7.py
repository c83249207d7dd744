"""Figure 7: attention on the right answer clause at longer lengths."""

from lemmata.core import Claim, Experiment
from lemmata.papers.lego.claims._attention_maps import NEEDS
from lemmata.papers.lego.claims._diagonals import diagonals, draw_diagonal, drops, parts
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import length_runs

FIGURE_7 = Claim(
    id="fig-7",
    locus="Section 7, Figure 7",
    statement="For the attention on the right answer clause the pattern of Figure 6 is reversed: the simply transitive "
    "action's falls with length and position, the symmetric one's is stable.",
    subject=lambda runs: diagonals(runs, "trained", "answer"),
    wrong=lambda runs: diagonals(runs, "untrained", "answer"),
    parts=parts(decaying="simply transitive", steady="symmetric"),
    needs=NEEDS,
    remark=lambda runs: (
        "The attention on the answer clause does fall with length and position for the simply transitive action, and "
        f"for the symmetric one about as much, in both regimes. {drops(runs, 'answer')}"
    ),
)

EXPERIMENT = Experiment(
    title="Attention on the right answer at longer lengths",
    runs=lambda scale: length_runs(scale, "sharp", "diluted"),
    needs=FAMILIES,
    claims=(FIGURE_7,),
    draw=lambda runs: draw_diagonal(runs, "answer"),
)
