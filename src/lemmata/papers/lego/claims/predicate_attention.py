"""The conjecture after Figure 7: length generalization hinges on the attention to the right predicate."""

from typing import NamedTuple

import numpy as np

from lemmata.core import Artefact, Claim, Experiment, Part, RunResult, Runs, Seeds, Undecided, at_least
from lemmata.papers.lego.claims import _length_curves as curves
from lemmata.papers.lego.claims._length_curves import Model, base
from lemmata.papers.lego.run.length_training import HIDING, length_runs
from lemmata.report.plots import CYCLE, joined, new_figure

REPAIRED = 0.5  # of the sentences that fail: most of what is lost
LOST = 0.1  # of the sentences fail at least, or there is nothing to repair


class Repair(NamedTuple):
    """The symmetric action's model, and the same with some clauses hidden from every query."""

    before: Model
    after: Model

    @property
    def share(self) -> Seeds:
        """Of the sentences that fail at the longest length, net, by seed."""
        lost = 1 - self.before.longest
        if lost < LOST:
            raise Undecided(f"only {lost:.2f} of the longest sentences fail: nothing to repair")
        return Seeds((self.after.longest_by_seed - self.before.longest_by_seed) / lost)


def hiding(run: RunResult, what: str) -> Model:
    return Model(run, HIDING[what], run.config.task.length)  # pyright: ignore[reportArgumentType]


def remark(runs: Runs) -> str:
    run = runs["symmetric"]
    seen = ", ".join(f"{hiding(run, what).longest:.2f} with other {what} hidden" for what in HIDING)
    length = run.config.lengths[-1]
    return f"{run.config.task.action} at length {length}: {base(run).longest:.2f} as it is, {seen}."


CONJECTURE = Claim(
    id="predicate-attention",
    locus="Section 7, conjecture after Figure 7",
    statement="Conjecture: length generalization hinges on a robust attention to the right predicate. Judged at the "
    "longest length: of the sentences that the symmetric action's model fails, the share that is answered if every "
    "query sees one predicate only, the right one. Control: the other answers hidden instead, and every predicate "
    "seen.",
    subject=lambda runs: Repair(base(runs["symmetric"]), hiding(runs["symmetric"], "predicates")),
    wrong=lambda runs: Repair(base(runs["symmetric"]), hiding(runs["symmetric"], "answers")),
    parts=Part(lambda repair: repair.share, at_least(REPAIRED, over_seeds=True)),
    remark=remark,
)


def draw(runs: Runs) -> Artefact:
    figure, axes = new_figure(1, 2, width=9.6, height=3.6, sharey=True)
    tables = []
    for ax, family in zip(axes, ("transitive", "symmetric"), strict=True):
        run = runs[family]
        name = run.config.task.action
        models = {"as it is": base(run)} | {f"other {what} hidden": hiding(run, what) for what in HIDING}
        for (label, model), colour in zip(models.items(), CYCLE, strict=False):
            table = curves.draw_curve(ax, model, label, colour)
            tables.append({"action": np.repeat(name, len(table["length"])), **table})
        curves.finish(ax, run, name)
    axes[0].set_ylabel("all clauses right")
    return Artefact(figure, joined(tables), curves.setting(runs["symmetric"]))


EXPERIMENT = Experiment(
    title="What the lost sentences need", runs=length_runs, needs=curves.NEEDS, claims=(CONJECTURE,), draw=draw
)
