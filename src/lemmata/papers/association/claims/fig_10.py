"""Figure 10: both feed-forward layers are MLPs, and either is dropped."""

from lemmata.core import Claim, Experiment, Live, Part, RunResult, TooShort, Undecided, at_least, of_result
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import noise_within
from lemmata.papers.association.claims._recall_readings import follows
from lemmata.papers.association.claims._recall_runs import main_run
from lemmata.papers.association.probe.readings import Edited, end, ratio

NEAR_ONE = 0.95
AS_FAR = 0.97  # what the paper's model has without F_2, in its figure's thickness
HIGH = 2 / 3  # "with high probability": twice everything else
PARTS = {"without F₂, correct": "without_F2.correct", "without F₁, noise": "without_F1.noise"}


@of_result
def trained_to_the_end(run: RunResult) -> Undecided | None:
    """A need: what is left without F_2 is as good as the paper's (about 0.98), so that F_1 is judged in the model it
    was seen in. Noise without F_1 keeps growing until then."""
    edited = Edited(run)
    correct, noise = end("without_F2", "correct")(edited).mean, end("without_F1", "noise")(edited).mean
    if correct >= AS_FAR:
        return None
    return TooShort(
        f"the model is not as far as the paper's: without F₂ the correct token has {correct:.2f}, not 0.98 (without F₁ "
        f"the noise has {noise:.2f} here, and grows with the size and the length of training)"
    )


EXPERIMENT = Experiment(
    title="Dropping F₁ or F₂, both MLPs",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": trained_to_the_end},
    claims=(
        Claim(
            id="fig-10",
            locus="Appendix B.5, Figure 10",
            statement=r"With $F_1$ and $F_2$ two-layer MLPs, dropping $F_2$ makes the model predict the correct token "
            r"with probability near 1. Dropping $F_1$ makes it predict noise with high probability: twice everything "
            "else, and more than the full model does.",
            needs={"main": noise_within(0.5, 0.6)},  # from 2/3 on noise has its bar in the full model
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: Edited(runs["main"]).exchanged(),  # the other layer dropped
            parts={
                "without F₂, correct": Part(end("without_F2", "correct"), at_least(NEAR_ONE, over_seeds=True)),
                "without F₁, noise": Part(end("without_F1", "noise"), at_least(HIGH, over_seeds=True)),
                "without F₁, noise relative to full": Part(
                    ratio("noise", "without_F1"), at_least(1.0, over_seeds=True)
                ),
            },
            remark="The laptop's sizes are ours.",
        ),
    ),
    draw=lambda runs: draw_dropping(runs["main"], "Two MLPs, either dropped"),
    live=Live(follows=follows("fig-10", PARTS)),
)
