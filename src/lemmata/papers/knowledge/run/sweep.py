"""Many cells (N, |R|, K) in few programs: worlds are padded to a common shape and trained side by side."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lemmata.core import Count, RunConfig, RunContext, RunOutput, Some, require
from lemmata.core.config import UNSAID
from lemmata.papers.knowledge.model import OneLayerConfig
from lemmata.papers.knowledge.probe.sweep import SIZES
from lemmata.papers.knowledge.run.finetuning import DescentConfig, FineTuningConfig
from lemmata.papers.knowledge.run.pretraining import PreTrainingConfig
from lemmata.papers.knowledge.run.training import check_cell, pretrain, tune, under_another
from lemmata.papers.knowledge.task import FactsConfig

STORED = ("fact_accuracy", "template_accuracy", "full_loss", "excess")
EXTRACTED = ("extraction", "relation_fraction", "own_relation_fraction", "other_fraction", "asked_accuracy")


@dataclass(frozen=True, kw_only=True)
class Sweep(RunConfig):
    """A row of metrics for each cell and seed: after gradient descent, before it (`extraction_before`), and, if that is
    asked for, after AdamW in its place (`extraction_adamw`).

    A cell is trained in the first of `shapes` that holds it, so there are two or three programs (pre-training and
    each fine-tuning) a shape; the pads change no number.
    """

    kind = "knowledge/sweep"
    version = 3

    cells: Some[tuple[int, int, int]] = ((50, 10, 2), (50, 20, 2), (50, 10, 5), (50, 20, 5))  # (N, |R|, K)
    shapes: Some[tuple[int, int]] = ((50, 20),)  # (N, |R|) with padding
    model: OneLayerConfig = field(default_factory=OneLayerConfig)
    pretraining: PreTrainingConfig = field(default_factory=PreTrainingConfig)
    tuning: FineTuningConfig = field(default_factory=FineTuningConfig)  # AdamW's
    descent: DescentConfig = field(default_factory=DescentConfig)
    adamw: bool = field(default=True, metadata=UNSAID)  # also with AdamW, for comparison
    slots: Count | None = field(default=None, metadata=UNSAID)  # templates a subject, with padding; None: the largest K
    seeds: Some[int] = (0, 1)

    def cross_check(self) -> None:
        for name in ("cells", "shapes"):
            values = getattr(self, name)
            require(len(set(values)) == len(values), name, values, "none of them twice")
        most = max(k for _, _, k in self.cells)
        enough = self.slots is None or self.slots >= most
        require(enough, "slots", self.slots, f"None, or at least {most}, the largest K")
        for cell in self.cells:
            allowed = f"each cell (N, |R|, K) at most one of the shapes {self.shapes}"
            require(any(_holds(shape, cell) for shape in self.shapes), "cells", cell, allowed)
        require(self.tuning.descent is None, "tuning.descent", self.tuning.descent, "None: `descent` is that reading")
        for world in (world for shape in self.shapes for world in self.worlds(shape)):
            check_cell(world, self.model, (self.tuning, replace(self.tuning, descent=self.descent)))

    def worlds(self, shape: tuple[int, int]) -> list[FactsConfig]:
        """The cells trained in this shape, in their order."""
        mine = [cell for cell in self.cells if shape == next(one for one in self.shapes if _holds(one, cell))]
        slots = self.slots or max((k for _, _, k in mine), default=1)
        pads: dict[str, Any] = {"pad_subjects": shape[0], "pad_templates": shape[1], "pad_multiplicity": slots}
        return [FactsConfig(subjects=n, templates=r, multiplicity=k, **pads) for n, r, k in mine]

    def execute(self, context: RunContext) -> RunOutput:
        tables = []
        descent = replace(self.tuning, descent=self.descent)
        for shape in self.shapes:
            cells = [(world, seed) for world in self.worlds(shape) for seed in self.seeds]
            if not cells:
                continue
            name = f"{shape[0]} x {shape[1]}"
            models, facts, stored = pretrain(cells, self.model, self.pretraining, context, f"pre-training {name}")
            seeds = tuple(seed for _, seed in cells)
            (outcome,) = tune(models, facts, [descent], seeds, context, f"descent {name}")
            rows = {
                **{size: np.array([getattr(world, size) for world, _ in cells]) for size in SIZES},
                "seed": np.array(seeds),
                "covered": np.array([int(np.asarray(q.covered).sum()) for q in outcome.questions]),
            }
            rows |= {name: stored[name][:, -1] for name in STORED}
            rows |= {name: outcome.metrics[name][:, -1] for name in EXTRACTED}
            rows["extraction_before"] = outcome.metrics["extraction"][:, 0]
            if self.adamw:
                (other,) = tune(models, facts, [self.tuning], seeds, context, f"AdamW {name}")
                rows["extraction_adamw"] = other.metrics["extraction"][:, -1]
            tables.append(rows)
        return RunOutput(under_another(tables))


def _holds(shape: tuple[int, int], cell: tuple[int, int, int]) -> bool:
    return shape[0] >= cell[0] and shape[1] >= cell[1]
