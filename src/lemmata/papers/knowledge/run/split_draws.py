"""What the split by tuple leaks, in many drawn splits of small worlds: there an approximation shows."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Count, RunConfig, RunContext, RunOutput, Several, Some
from lemmata.papers.knowledge.task import CoverageConfig, Facts, FactsConfig, Questions


@dataclass(frozen=True, kw_only=True)
class SplitDraws(RunConfig):
    """arrays: `leak` (world, draw), the share of held-out questions that fine-tuning asks."""

    kind = "knowledge/split-draws"

    worlds: Some[tuple[Several, Several]] = ((4, 2), (4, 3), (6, 4))  # N, K
    draws: Count = 200

    def execute(self, context: RunContext) -> RunOutput:
        leaks = []
        for done, (n, k) in enumerate(self.worlds):
            context.progress("worlds", done, len(self.worlds))
            facts = Facts.create(FactsConfig(subjects=n, templates=k, multiplicity=k), 0)
            split = CoverageConfig(split="tuple")
            leaks.append([Questions.choose(facts, split, seed).leak() for seed in range(self.draws)])
        return RunOutput({"world": np.arange(len(leaks))}, {"leak": np.array(leaks)})
