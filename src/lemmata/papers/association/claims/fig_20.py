"""Figure 20: synthetic IOI trained by Adam, and the last MLP's input matrix cut to rank 2."""

from lemmata.core import Claim, Experiment, Part, RunResult, at_most
from lemmata.papers.association.claims._ioi import Compared, draw_depths, improved, ioi_runs
from lemmata.papers.association.probe.readings import at_end, learned_something
from lemmata.train import AdamWConfig


def as_large_as_the_papers(run: RunResult) -> str | None:
    if min(run.config.model.width, run.config.task.length) >= 256:
        return None
    return "whether Adam is stable without normalization depends on width and length: the paper's size alone decides"


EXPERIMENT = Experiment(
    title="Synthetic IOI by Adam: cutting the last MLP",
    runs=lambda scale: ioi_runs(scale, AdamWConfig(rate=1e-3)),
    claims=(
        Claim(
            id="fig-20",
            locus="Appendix J, Figure 20",
            statement="On synthetic IOI trained by Adam, cutting the last MLP's input matrix to ρ = 0.01 (rank 2 of "
            "256; here rank 2) improves the test accuracy and the clean loss for L = 3 and 4.",
            subject=lambda runs: Compared(runs, better="truncated", worse="full"),
            wrong=lambda runs: Compared(runs, better="full", worse="truncated"),  # exchanged
            parts=improved(3, 4),
            needs={"depth/3": learned_something, "depth/4": learned_something},
            remark="At the paper's size, with one seed, the cut raises the accuracy but not the clean loss: the cut "
            "model is right more often, surer when wrong.",
        ),
        Claim(
            id="fig-20-depth",
            locus="Appendix J, Figure 20",
            statement="With five layers Adam fails to converge: the truncated model's probability of the correct name "
            "stays under 1/2, so that not even the name rather than the distractor is learned.",
            subject=lambda runs: runs["depth/5"],
            wrong=lambda runs: runs["depth/3"],  # a depth that converges
            parts=Part(lambda run: float(at_end(run, "truncated.correct").mean()), at_most(0.5)),
            needs={"depth": as_large_as_the_papers},
        ),
    ),
    draw=lambda runs: draw_depths(runs, "Adam"),
)
