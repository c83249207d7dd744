"""Figure 20: synthetic IOI trained by Adam, and the last MLP's input matrix cut to a hundredth of its rank."""

from dataclasses import dataclass, replace
from typing import Any

from lemmata.core import (
    SHARE,
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    Seeds,
    TooShort,
    Undecided,
    at_most,
    of_config,
    of_result,
    word,
)
from lemmata.papers.association.claims._ioi import Compared, draw_depths, improved, ioi_runs
from lemmata.papers.association.probe.readings import at_end
from lemmata.papers.association.run.ioi_training import IOITraining
from lemmata.papers.association.sizes import IOI
from lemmata.train import AdamWConfig

IMPROVED = (3, 4)  # L
RATE = Protocol("Adam's learning rate and the number of steps", why="The paper prints neither.")
FRACTION = 0.01  # of the rank of U_in, the paper's ρ
COIN = 0.5  # between the two names
KNOWN = 0.75  # of the two names' probability goes to the right one, in a model that has learned the task


def runs(scale: Scale) -> dict[str, IOITraining]:
    """Depths 3, 4 and 5 at the paper's size; a hundredth of a smaller width is nothing, so nothing larger than a smoke
    test is trained on a laptop."""
    small = Scale("smoke", scale.num_seeds)
    size = scale.pick(smoke=small, laptop=small, paper=scale)
    found = ioi_runs(size, AdamWConfig(rate=1e-3), IOI.ADAM_DEPTHS.at(scale))
    for rate in IOI.SLOW_RATES if scale.name == "paper" else ():
        made = ioi_runs(size, AdamWConfig(rate=rate), IMPROVED)
        found |= {at(rate, name): replace(run, steps=IOI.SLOW_STEPS.at(size)) for name, run in made.items()}
    return found


def at(rate: float, name: str) -> str:
    """The name of a run at a smaller rate: "depth/3" -> "depth at 0.0003/3"."""
    return name.replace("/", f" at {rate:g}/")


@dataclass(frozen=True)
class AtRate:
    """The runs at a smaller rate, by the names of those at the first."""

    runs: Runs
    rate: float

    def __getitem__(self, name: str) -> RunResult:
        return self.runs[at(self.rate, name)]


@of_result
def decides(run: RunResult) -> Undecided | None:
    """The paper's fraction must be a rank, and the model must have learned which of the two names came once."""
    width = run.config.model.width
    if FRACTION * width < 1:
        return OutsideSetting(f"the fraction {FRACTION:g} of d = {width} is rank 0: the paper's size (d = 256) decides")
    right, wrong = (float(at_end(run, f"full.{name}").mean()) for name in ("correct", "distractor"))
    if right >= KNOWN * (right + wrong):
        return None
    return TooShort(
        f"L = {run.config.depth} has not learned the task: of the two names' probability the right one gets "
        f"{right / (right + wrong):.2f}"
    )


@of_config
def a_rank(config: Any) -> Undecided | None:
    width = config.model.width
    gone = f"the fraction {FRACTION:g} of d = {width} is rank 0: the paper's size (d = 256) decides"
    return OutsideSetting(gone) if FRACTION * width < 1 else None


def at_smaller_rate(rate: float) -> Claim:
    """Figure 20's claim where Adam has another learning rate; the paper prints none."""
    return Claim(
        id=f"fig-20-at-{rate:g}",
        locus=f"Appendix J, Figure 20, by Adam with learning rate {rate:g}",
        statement="On synthetic IOI with noisy answers, trained by Adam with learning rate "
        rf"${rate:g}$, truncating the last MLP's input weights to $\rho = 0.01$ (rank 2 of 256) improves the test "
        "accuracy and the test loss for $L = 3$ and $4$. Read are means over the last half of the steps.",
        wording={"rank 2 of 256": word("rank {} of {}", "depth/3.rank", "depth/3.model.width")},
        subject=lambda runs: Compared(AtRate(runs, rate), better="truncated", worse="full"),
        wrong=lambda runs: Compared(AtRate(runs, rate), better="truncated_first", worse="full"),
        parts=improved(*IMPROVED),
        protocol=RATE,
        needs={at(rate, f"depth/{depth}"): (a_rank, decides) for depth in IMPROVED},
    )


EXPERIMENT = Experiment(
    title="Synthetic IOI by Adam: cutting the last MLP",
    runs=runs,
    claims=(
        Claim(
            id="fig-20",
            locus="Appendix J, Figure 20",
            statement="On synthetic IOI with noisy answers, trained by Adam, truncating the last MLP's input weights "
            r"to $\rho = 0.01$ (rank 2 of 256) improves the test accuracy and the test loss for $L = 3$ and $4$. Read "
            "are means over the last half of the steps.",
            wording={"rank 2 of 256": word("rank {} of {}", "depth/3.rank", "depth/3.model.width")},
            subject=lambda runs: Compared(runs, better="truncated", worse="full"),
            wrong=lambda runs: Compared(runs, better="truncated_first", worse="full"),  # the first layer's
            parts=improved(3, 4),
            protocol=RATE,
            needs={"depth/3": decides, "depth/4": decides},
        ),
        Claim(
            id="fig-20-depth",
            locus="Appendix J, Figure 20",
            statement="On synthetic IOI with noisy answers, trained by Adam, the model with $L = 5$ fails to "
            "converge. The truncated model's probability of the correct name stays under 1/2: not even the name "
            "rather than the distractor is learned.",
            subject=lambda runs: runs["depth/5"],
            wrong=lambda runs: runs["depth/3"],  # a depth that converges
            parts=Part(
                lambda run: Seeds(at_end(run, "truncated.correct"), bounds=SHARE), at_most(COIN, over_seeds=True)
            ),
            protocol=RATE,
            needs={"depth/3": decides},
        ),
        *map(at_smaller_rate, IOI.SLOW_RATES),
    ),
    draw=lambda runs: draw_depths(runs, "Adam"),
)
