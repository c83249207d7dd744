"""Figure 11: the first feed-forward layer is an MLP, the second linear, and either is dropped."""

from lemmata.core import (
    Claim,
    Experiment,
    OutsideSetting,
    Part,
    Protocol,
    RunResult,
    Runs,
    Scale,
    Undecided,
    at_least,
    of_result,
)
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._recall_runs import recall_training
from lemmata.papers.association.model import FeedKind
from lemmata.papers.association.probe.readings import Edited, learned_something, ratio
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.sizes import Figure11, Figure11Slow
from lemmata.train import SGDConfig

SMALLER = 0.001  # of the rates that Appendix B.6 names


def remark(runs: Runs) -> str:
    left = ratio("correct", "without_F1")(Edited(runs["main"])).mean
    return (
        "Dropping the linear F₂ helps, as the caption says. Dropping F₁ does not: the second layer was trained on keys "
        f"and queries that carry F₁'s output, and without it the correct token becomes {left:.2f} times as probable as "
        "in the full model. The laptop's sizes are ours. For the smaller rate that the paper names see "
        "fig-11-small-rate."
    )


PARTS = {
    "correct, without F₁ / full": Part(ratio("correct", "without_F1"), at_least(1.0, over_seeds=True)),
    "correct, without F₂ / full": Part(ratio("correct", "without_F2"), at_least(1.0, over_seeds=True)),
    "clean loss, without F₂ / without F₁": Part(
        ratio("clean_loss", "without_F2", "without_F1"), at_least(1.0, over_seeds=True)
    ),
}


@of_result
def at_the_smaller_rate(run: RunResult) -> Undecided | None:
    rate = run.config.optimizer.rate
    other = OutsideSetting(f"the run has a rate of {rate:g}: the smaller one, {SMALLER:g}, is run at the paper's size")
    return None if rate == SMALLER else other


def full_as_truncated(run: RunResult) -> Edited:
    return Edited(run, full="without_F2", without_F1="full", without_F2="full")


def runs(scale: Scale) -> dict[str, RecallTraining]:
    feeds: tuple[FeedKind, FeedKind] = ("mlp", "linear")
    slow = SGDConfig(rate=Figure11Slow.RATE.at(scale))
    return {
        "main": recall_training(scale, Figure11, feeds),
        "slow": recall_training(scale, Figure11Slow, feeds, optimizer=slow),
    }


EXPERIMENT = Experiment(
    title="F₁ an MLP, F₂ linear",
    runs=runs,
    claims=(
        Claim(
            id="fig-11",
            locus="Appendix B.5, Figure 11",
            statement=r"With $F_1$ a two-layer MLP and $F_2$ linear, dropping either makes the correct token more "
            r"probable than the full model does. Dropping $F_1$ is the better of the two: it has the lower test loss.",
            needs={"main": (some_noise, learned_something)},
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: full_as_truncated(runs["main"]),
            parts=PARTS,
            remark=remark,
        ),
        Claim(
            id="fig-11-small-rate",
            locus="Appendix B.5, Figure 11, at the smaller rate of Appendix B.6",
            statement=r"Trained by SGD with learning rate $.001$, with $F_1$ a two-layer MLP and $F_2$ linear, "
            r"dropping either makes the correct token more probable than the full model does. Dropping $F_1$ has the "
            "lower test loss.",
            needs={"slow": (some_noise, at_the_smaller_rate, learned_something)},
            subject=lambda runs: Edited(runs["slow"]),
            wrong=lambda runs: full_as_truncated(runs["slow"]),
            parts=PARTS,
            protocol=Protocol("a rate of .03", why="At .001 a small model takes long.", below_paper=True),
        ),
    ),
    draw=lambda runs: draw_dropping(runs["main"], "F₁ an MLP and F₂ linear, either dropped"),
)
