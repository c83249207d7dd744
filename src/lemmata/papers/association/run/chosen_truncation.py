"""A language model truncated layer by layer: ranks are chosen on one half of the prompts, judged on the other."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from lemmata.core import Bound, Inside, Natural, Positive, RunContext, RunOutput, Several, Some, require
from lemmata.lm.keep import Largest
from lemmata.lm.roles import Role
from lemmata.lm.run import LanguageModelRun
from lemmata.papers.association.probe.gains import best
from lemmata.papers.association.run._cutting import Bench, Counter, bench, removals, subspaces, upper_layers
from lemmata.papers.association.run._questions import LongTable, Task, both_halves
from lemmata.papers.association.task.language.halves import Half


@dataclass(frozen=True, kw_only=True)
class ChosenTruncation(LanguageModelRun):
    """At each matrix and layer the share of the largest answer/"the" on `chosen_on`, then that cut on `judged_on`.

    There it is set against random subspaces of the same rank, the matrix dropped, and the matrix scaled by the share.
    """

    kind = "association/chosen-truncation"
    version = 2

    task: Task = "facts"
    prompts: Several = 50  # of each half; of facts there are about fifty
    seed: Natural = 0
    matrices: Some[Role] = ("mlp in",)
    upper: Annotated[float, Bound(above=0, most=1)] = 0.5  # share of the layers: the paper's cuts are all in it
    shares: Some[Inside] = (0.02, 0.2, 0.5, 0.8, 0.95)  # of the rank kept
    keeps: Positive = 0.9  # a cut may be chosen if the answer keeps so large a share of its probability
    subspaces: Annotated[int, Bound(least=2)] = (
        4  # random ones of the rank chosen; the later half of them is the control
    )
    chosen_on: Half = "choose"
    judged_on: Half = "judge"

    def cross_check(self) -> None:
        require(self.chosen_on != self.judged_on, "judged_on", self.judged_on, "another half than chosen_on")
        for name in ("matrices", "shares"):
            values = getattr(self, name)
            require(len(set(values)) == len(values), name, values, "all different")

    def execute(self, context: RunContext) -> RunOutput:
        model, table = self.loaded(), LongTable()
        layers = upper_layers(model.layers, self.upper)
        questions = both_halves(model, self.task, count=self.prompts, seed=self.seed)
        choosing, judging = (bench(model, questions[half], layers) for half in (self.chosen_on, self.judged_on))
        table.add(choosing.whole, **self._labels("whole", on_choice=True))
        table.add(judging.whole, **self._labels("whole", on_choice=False))
        cuts = len(self.matrices) * len(layers)
        counter = Counter(context.progress, "cuts", cuts * (len(self.shares) + 3 + self.subspaces))
        for place, role in enumerate(self.matrices):
            for layer in layers:
                share = self._choose(choosing, place, role, layer, table, counter)
                if share is not None:
                    self._judge(judging, place, role, layer, share, table, counter)
        return RunOutput(table.columns())

    def _choose(
        self, on: Bench, place: int, role: Role, layer: int, table: LongTable, counter: Counter
    ) -> float | None:
        found = []
        for share in self.shares:
            found.append(on.cut(layer, role, Largest(share)))
            table.add(found[-1], **self._labels("cut", on_choice=True, matrix=place, layer=layer, share=share))
            counter.one()
        least = self.keeps * float(on.whole["answer"].mean())
        answer, the = (np.stack([one[name] for one in found]) for name in ("answer", "the"))
        chosen = best(answer, the, least)
        return None if chosen is None else self.shares[chosen]

    def _judge(
        self, on: Bench, place: int, role: Role, layer: int, share: float, table: LongTable, counter: Counter
    ) -> None:
        where = {"on_choice": False, "matrix": place, "layer": layer, "share": share}
        table.add(on.cut(layer, role, Largest(share)), **self._labels("cut", **where))
        counter.one()
        for name, keep in removals(share).items():
            table.add(on.cut(layer, role, keep), **self._labels(name, **where))
            counter.one()
        for number, keep in subspaces(share, self.subspaces, self.seed):
            table.add(on.cut(layer, role, keep), **self._labels("random", **where, subspace=number))
            counter.one()

    def _labels(
        self, edit: str, *, on_choice: bool, matrix: int = -1, layer: int = 0, share: float = 1.0, subspace: int = -1
    ) -> dict[str, object]:
        """The whole model has matrix -1, layer 0 and all of its rank."""
        half = self.chosen_on if on_choice else self.judged_on
        places = {"matrix": matrix, "layer": layer, "share": share, "subspace": subspace}
        return {"half": half, "edit": edit, **places}
