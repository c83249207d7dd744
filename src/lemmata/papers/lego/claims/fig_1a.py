"""Figure 1a: two actions, trained at length 5, and how far they reach."""

from collections.abc import Callable

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Undecided, at_least, at_most
from lemmata.papers.lego.claims import _length_curves as curves
from lemmata.papers.lego.claims._length_curves import Model, base, untrained
from lemmata.papers.lego.probe.families import FAMILIES
from lemmata.papers.lego.run.length_training import REGIMES, length_runs
from lemmata.report.plots import CYCLE, GREY, joined, new_figure

NEAR_PERFECT = 0.95  # "nearly perfect accuracy at much longer lengths"
MUCH_LONGER = 8  # times the training length


def pair(runs: Runs, model: Callable[[RunResult], Model], regime: str = "sharp") -> dict[str, Model]:
    found = {family: model(runs[f"{family}/{regime}"]) for family in FAMILIES}
    for made in (one.run.config for one in found.values()):
        if made.lengths[-1] < MUCH_LONGER * made.task.length:
            raise Undecided(f"length {made.lengths[-1]} is not {MUCH_LONGER} times the training length")
    return found


def remark(runs: Runs) -> str:
    sharp, soft = pair(runs, base), pair(runs, base, "diluted")
    numbers = ", ".join(
        f"{model.run.config.task.action} {model.longest:.2f} with {REGIMES['sharp']} and {soft[family].longest:.2f} "
        f"with {REGIMES['diluted']}"
        for family, model in sharp.items()
    )
    return (
        f"The length is reached, the gap is not there. At the longest length: {numbers}. The symmetric action stays on "
        "a plateau for thousands of steps before it learns values, so a budget that is ample for one action is short "
        "for the other."
    )


FIGURE_1A = Claim(
    id="fig-1a",
    locus="Section 7, Figure 1a",
    statement="Trained at length 5, the model of the simply transitive action answers nearly every sentence of much "
    "longer lengths, while the symmetric action's falls. (All clauses right at the longest test length, at least 8 "
    "times the training length, mean over seeds.)",
    subject=lambda runs: pair(runs, base),
    wrong=lambda runs: pair(runs, untrained),
    parts={
        "simply transitive": Part(lambda models: models["transitive"].longest, at_least(NEAR_PERFECT)),
        "symmetric": Part(lambda models: models["symmetric"].longest, at_most(curves.FALLEN)),
    },
    remark=remark,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6, sharey=True)
    tables = []
    for ax, (regime, words) in zip(axes, REGIMES.items(), strict=True):
        for family, colour in zip(FAMILIES, CYCLE, strict=False):
            run = runs[f"{family}/{regime}"]
            name = run.config.task.action
            for model, label, style in ((base(run), name, "-"), (untrained(run), f"{name}, untrained", ":")):
                table = curves.draw_curve(ax, model, label, colour, style)
                tables.append({"regime": np.repeat(regime, len(table["length"])), **table})
            ax.axvline(run.config.task.length, color=GREY, linestyle="--", linewidth=1)
        curves.finish(ax, runs[f"symmetric/{regime}"], f"Figure 1a: {words}")
    axes[0].set_ylabel("all clauses right")
    return Artefact(figure, joined(tables), f"Dashed: the training length. {curves.setting(runs['symmetric/sharp'])}")


EXPERIMENT = Experiment(
    title="Length generalization of two actions",
    runs=lambda scale: length_runs(scale, "sharp", "diluted"),
    needs=curves.needs("sharp"),
    claims=(FIGURE_1A,),
    draw=draw,
)
