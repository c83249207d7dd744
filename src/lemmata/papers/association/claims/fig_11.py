"""Figure 11: the first feed-forward layer is an MLP, the second linear, and either is dropped."""

from lemmata.core import Claim, Experiment, Part, Runs, at_least
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._recall_runs import recall_training
from lemmata.papers.association.probe.readings import Edited, learned_something, ratio
from lemmata.papers.association.sizes import Figure11


def remark(runs: Runs) -> str:
    left = ratio("correct", "without_F1")(Edited(runs["main"])).mean
    return (
        "Dropping the linear F₂ helps, as the caption says. Dropping F₁ does not: the second layer was trained on keys "
        f"and queries that carry F₁'s output, and without it the correct token becomes {left:.2f} times as probable as "
        "in the full model. The laptop's sizes are ours. The smallest learning rate that the paper names, with more "
        "steps, is not run."
    )


EXPERIMENT = Experiment(
    title="F₁ an MLP, F₂ linear",
    runs=lambda scale: {"main": recall_training(scale, Figure11, ("mlp", "linear"))},
    needs={"main": learned_something},
    claims=(
        Claim(
            id="fig-11",
            locus="Appendix B.5, Figure 11",
            statement=r"With $F_1$ a two-layer MLP and $F_2$ linear, dropping either makes the correct token more "
            r"probable than the full model does. Dropping $F_1$ is the better of the two: it has the lower test loss.",
            needs={"main": some_noise},
            subject=lambda runs: Edited(runs["main"]),
            # The full model read as the truncated ones.
            wrong=lambda runs: Edited(runs["main"], full="without_F2", without_F1="full", without_F2="full"),
            parts={
                "correct, without F₁ / full": Part(ratio("correct", "without_F1"), at_least(1.0, over_seeds=True)),
                "correct, without F₂ / full": Part(ratio("correct", "without_F2"), at_least(1.0, over_seeds=True)),
                "clean loss, without F₂ / without F₁": Part(
                    ratio("clean_loss", "without_F2", "without_F1"), at_least(1.0, over_seeds=True)
                ),
            },
            remark=remark,
        ),
    ),
    draw=lambda runs: draw_dropping(runs["main"], "F₁ an MLP and F₂ linear, either dropped"),
)
