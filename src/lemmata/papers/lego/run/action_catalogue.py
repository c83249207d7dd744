"""The algebra of the actions as a run: every number by brute force, and how often drawn sentences meet a distractor."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from lemmata.core import Count, RunConfig, RunContext, RunOutput, Some, named_key, require
from lemmata.papers.lego.task import Action, Lego, LegoConfig, action

CATALOGUE = (
    *("C2", "C3", "C4", "C5", "C6", "C2xC3", "S3:self"),  # simply transitive
    *("S3", "S4", "S5", "A4", "A5", "D4", "D5", "D6", "F5", "S4:pairs", "S5:pairs"),
    "S5:self",  # simply transitive and not solvable
)
INTRANSITIVE = {  # controls: two orbits on 3, 4 and 5 values
    3: "C2:[[0,1,2],[1,0,2]]",
    4: "C2:[[0,1,2,3],[1,0,3,2]]",
    5: "C6:[[0,1,2,3,4],[1,0,3,4,2],[0,1,4,2,3],[1,0,2,3,4],[0,1,3,4,2],[1,0,4,2,3]]",
}


@dataclass(frozen=True, kw_only=True)
class ActionCatalogue(RunConfig):
    """Every number by brute force over all (action, value, other action), and two worlds sampled."""

    kind = "lego/actions"

    actions: Some[str] = (*CATALOGUE, *INTRANSITIVE.values())
    sampled: tuple[str, ...] = ("C6", "S5")  # of these, also the share among drawn sentences
    variables: int = 41
    length: int = 5
    sentences: Count = 4000

    def cross_check(self) -> None:
        for name in self.actions:
            _ = self.task(name)  # refuses what is not an action, and lengths that do not fit
        require(set(self.sampled) <= set(self.actions), "sampled", self.sampled, "some of the actions")

    def task(self, name: str) -> LegoConfig:
        return LegoConfig(action=name, variables=self.variables, length=self.length)

    def execute(self, context: RunContext) -> RunOutput:
        rows = []
        for done, name in enumerate(self.actions):
            context.progress("actions", done, len(self.actions))
            drawn = self.draw_shares(name) if name in self.sampled else (np.nan, np.nan)
            rows.append({**describe(action(name)), "drawn": drawn[0], "drawn_context": drawn[1]})
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]})

    def draw_shares(self, name: str) -> tuple[float, float]:
        """Among drawn sentences: wrong clauses that are distractors of a step, and steps that have one."""
        task = Lego.create(self.task(name))
        clauses = np.asarray(task.draw(self.sentences, key=named_key(0, "sentences", name)))
        found = distractors_of(clauses, action(name).table, task.vocabulary.first_action, task.vocabulary.first_value)
        wrong = ~np.eye(self.length, dtype=bool)
        return float(found[:, wrong].mean()), float((found & wrong).any(axis=2).mean())


def distractors_of(
    clauses: Int[np.ndarray, "num clauses 5"], table: np.ndarray, first_action: int, first_value: int
) -> Bool[np.ndarray, "num step clause"]:
    """[sentence, step l, clause k]: whether predicate k sends y_{l-1} to y_l."""
    length = (clauses.shape[1] - 1) // 2
    acting = clauses[:, :length, 1] - first_action
    values = clauses[:, length:, 4] - first_value
    moved = table[acting[:, None, :], values[:, :-1, None]]
    return moved == values[:, 1:, None]


def describe(acting: Action) -> dict[str, Any]:
    same = acting.table[:, None, :] == acting.table[None, :, :]  # [g, g', y]
    other = ~np.eye(acting.num_actions, dtype=bool)
    return {
        "action": acting.name,
        "order": acting.group.order,
        "values": acting.num_values,
        "transitive": acting.transitive,
        "free": acting.free,
        "stabilizer": acting.stabilizer_size,
        "fibre": int(same.sum(axis=0).max()),
        "abelian": acting.group.abelian,
        "solvable": acting.solvable,
        "derived_series": " > ".join(map(str, acting.group.derived_series)),
        "distractor": float(same.mean()),
        "another_action": float(same[other].sum() / same.size),
    }
