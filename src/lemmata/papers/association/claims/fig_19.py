"""Figure 19: synthetic IOI trained by SGD, and the last MLP dropped."""

from lemmata.core import Claim, Experiment
from lemmata.papers.association.claims._ioi import Compared, draw_depths, improved, ioi_runs
from lemmata.papers.association.probe.readings import learned_something
from lemmata.papers.association.sizes import IOI
from lemmata.train import SGDConfig

EXPERIMENT = Experiment(
    title="Synthetic IOI by SGD: dropping the last MLP",
    # The norm is clipped: without normalization layers a rare batch throws plain SGD off.
    runs=lambda scale: ioi_runs(scale, SGDConfig(clip=2.0), IOI.SGD_DEPTHS.at(scale)),
    needs={"depth": learned_something},
    claims=(
        Claim(
            id="fig-19",
            locus="Appendix J, Figure 19",
            statement="On synthetic IOI with noisy answers, trained by SGD, dropping the last layer's MLP improves "
            r"the test accuracy and the test loss at every depth $L = 3, \ldots, 7$. Measured are dropped over full "
            "accuracy, and full over dropped loss, of means over the last half of the steps.",
            subject=lambda runs: Compared(runs, better="dropped", worse="full"),
            wrong=lambda runs: Compared(runs, better="dropped_first", worse="full"),  # the first layer's MLP
            parts=improved(*IOI.SGD_DEPTHS.paper),
            remark="The laptop's sizes and the clipped norm are ours.",
        ),
    ),
    draw=lambda runs: draw_depths(runs, "SGD"),
)
