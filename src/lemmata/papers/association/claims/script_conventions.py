"""The data as the authors' published script draws them, by Figure 3's end."""

from lemmata.core import Claim, Experiment, Part, RunResult, Runs, at_least, at_most, near
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._noise_level import room_for
from lemmata.papers.association.claims._recall_runs import recall_training
from lemmata.papers.association.claims.fig_3 import ALMOST_ALL, GROWS, LAST, LITTLE, NEAR_ALPHA
from lemmata.papers.association.probe.readings import Edited, end, learned_something, level, ratio
from lemmata.papers.association.sizes import Script


def little_noise(runs: Runs) -> float:
    """Figure 3's bar, and again where the sequence's own output is the noise token."""
    task = runs["script"].config.task
    return LITTLE + (task.noise_token in task.outputs()) / len(task.outputs())


def exchanged(run: RunResult) -> Edited:
    """The full model read as the one without F_2, and the other way round."""
    return Edited(run, full="without_F2", without_F2="full")


EXPERIMENT = Experiment(
    title="Figure 3's end with the data of the authors' script",
    runs=lambda scale: {"script": recall_training(scale, Script, conventions="script")},
    needs={"script": learned_something},
    claims=(
        Claim(
            id="script-conventions",
            locus="Section 3, Figure 3, with the data of the authors' published script",
            uses=("fig-3",),
            statement=r"With the data of the authors' script Figure 3's end is the same: there $\bar y$ may be the "
            "trigger or the noise token, the last token is drawn like the others, and the loss is taken from the "
            r"second occurrence of the trigger on. The full model's noise is around $\alpha$; with "
            "$F_2$ dropped the correct token gets almost all.",
            needs={"script": room_for(GROWS)},
            subject=lambda runs: Edited(runs["script"]),
            wrong=lambda runs: exchanged(runs["script"]),
            parts={
                "full model, noise": Part(
                    level("full", "noise", LAST),
                    near(lambda runs: runs["script"].config.task.alpha, atol=NEAR_ALPHA, over_seeds=True),
                ),
                "without F₂, correct": Part(end("without_F2", "correct"), at_least(ALMOST_ALL, over_seeds=True)),
                "correct, without F₂ / full": Part(ratio("correct", "without_F2"), at_least(GROWS, over_seeds=True)),
                "without F₂, noise": Part(end("without_F2", "noise"), at_most(little_noise, over_seeds=True)),
            },
            remark="One switch sets all four: `--set task.conventions=script`. At α = 0 a sequence whose output is the "
            "trigger is absorbed, and counts.",
        ),
    ),
    draw=lambda runs: draw_dropping(runs["script"], "The data of the authors' script"),
)
