"""Figure 11: the first feed-forward layer is an MLP, the second linear, and either is dropped."""

from lemmata.core import Claim, Experiment, Part, Runs, at_least
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import some_noise
from lemmata.papers.association.claims._recall_runs import far_from_its_bounds
from lemmata.papers.association.probe.readings import Edited, learned_something, ratio


def remark(runs: Runs) -> str:
    left = ratio("correct", "without_F1")(Edited(runs["main"])).mean
    return (
        "Dropping the linear F₂ helps, as the caption says. Dropping F₁ does not: the second layer was trained on keys "
        f"and queries that carry F₁'s output, and without it the correct token becomes {left:.2f} times as probable as "
        "in the full model. The laptop's sizes are ours; a run at the paper's (one seed) fails the same way, and so do "
        "runs with the conventions of the authors' code (loss from the second trigger on, outputs from the whole "
        "alphabet): as far as we can see this is the caption's. The smallest rate that the paper names, with more "
        "steps, was not tried."
    )


EXPERIMENT = Experiment(
    title="F₁ an MLP, F₂ linear",
    runs=lambda scale: {"main": far_from_its_bounds(scale, ("mlp", "linear"), steps=400)},
    needs={"main": learned_something},
    claims=(
        Claim(
            id="fig-11",
            locus="Appendix B.5, Figure 11",
            statement="With F₁ an MLP and F₂ linear, dropping either one makes the correct token more probable than "
            "the full model does, and dropping F₁ is the better of the two: it has the lower clean loss.",
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
