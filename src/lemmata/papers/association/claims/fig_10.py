"""Figure 10: both feed-forward layers are MLPs, and either is dropped."""

from lemmata.core import Claim, Experiment, Part, Runs, at_least
from lemmata.papers.association.claims._drawing import draw_dropping
from lemmata.papers.association.claims._recall_runs import main_run
from lemmata.papers.association.probe.readings import Edited, end, learned_something, ratio


def remark(runs: Runs) -> str:
    edited, config = Edited(runs["main"]), runs["main"].config
    return (
        f"With {config.task.symbols} characters and d = {config.model.width}, noise without F₁ ends at "
        f"{end('without_F1', 'noise')(edited):.2f}, {ratio('noise', 'without_F1')(edited):.1f} times the full model's."
    )


EXPERIMENT = Experiment(
    title="Dropping F₁ or F₂, both MLPs",
    runs=lambda scale: {"main": main_run(scale)},
    needs={"main": learned_something},
    claims=(
        Claim(
            id="fig-10",
            locus="Appendix B.5, Figure 10",
            statement="With two MLPs, dropping F₂ makes the model predict the correct token with probability near 1, "
            "and dropping F₁ makes it predict noise with high probability: twice everything else, and more than the "
            "full model does.",
            subject=lambda runs: Edited(runs["main"]),
            wrong=lambda runs: Edited(runs["main"]).exchanged(),  # the two layers
            parts={
                "without F₂, correct": Part(end("without_F2", "correct"), at_least(0.8)),
                "without F₁, noise": Part(end("without_F1", "noise"), at_least(2 / 3)),
                "without F₁, noise relative to full": Part(ratio("noise", "without_F1"), at_least(1.0)),
            },
            remark=remark,
        ),
    ),
    draw=lambda runs: draw_dropping(runs["main"], "Two MLPs, either dropped"),
)
