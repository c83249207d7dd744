"""Figure 19: synthetic IOI trained by SGD, and the last MLP dropped."""

from lemmata.core import Claim, Experiment
from lemmata.papers.association.claims._ioi import DEPTHS, Compared, draw_depths, improved, ioi_runs
from lemmata.papers.association.probe.readings import learned_something
from lemmata.train import SGDConfig

EXPERIMENT = Experiment(
    title="Synthetic IOI by SGD: dropping the last MLP",
    # The norm is clipped: without normalization layers a rare batch throws plain SGD off.
    runs=lambda scale: ioi_runs(scale, SGDConfig(clip=2.0), DEPTHS),
    needs={"depth": learned_something},
    claims=(
        Claim(
            id="fig-19",
            locus="Appendix J, Figure 19",
            statement="On synthetic IOI trained by SGD, dropping the last layer's MLP improves the test accuracy and "
            "the clean loss at every depth, L = 3 to 7. Measured are dropped over full accuracy, and full over dropped "
            "loss, of means over the last half of the steps.",
            subject=lambda runs: Compared(runs, better="dropped", worse="full"),
            wrong=lambda runs: Compared(runs, better="dropped_first", worse="full"),  # the first layer's MLP
            parts=improved(*DEPTHS),
            remark="The laptop's sizes and the clipped norm are ours. At the paper's size three seeds say the same at "
            "every depth.",
        ),
    ),
    draw=lambda runs: draw_depths(runs, "SGD"),
)
