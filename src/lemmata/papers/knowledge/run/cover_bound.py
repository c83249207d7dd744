"""Exact tails of the appendix's concentration bound, and the same counts in facts drawn by the task."""

from dataclasses import dataclass

import numpy as np

from lemmata.core import Count, Inside, RunConfig, RunContext, RunOutput, Several, Some
from lemmata.papers.knowledge.task import Facts, FactsConfig
from lemmata.papers.knowledge.theory import concentration


@dataclass(frozen=True, kw_only=True)
class CoverBound(RunConfig):
    """A row for each case and number of subjects."""

    kind = "knowledge/cover-bound"
    version = 2

    cases: Some[tuple[int, int]] = ((5, 5), (3, 8), (5, 20), (1, 10), (5, 80))  # K, q
    subjects: Some[Several] = (10, 20, 50, 100, 200)
    failure: Inside = 0.05  # the probability of missing some template that is put up with
    worlds: Count = 40

    def cross_check(self) -> None:
        for case in self.cases:
            self.facts(*case)  # refuses a world that cannot be

    def facts(self, multiplicity: int, templates: int) -> FactsConfig:
        return FactsConfig(subjects=max(self.subjects), templates=templates, multiplicity=multiplicity)

    def execute(self, context: RunContext) -> RunOutput:
        tails = []
        for done, (multiplicity, templates) in enumerate(self.cases):
            context.progress("cases", done, len(self.cases))
            counts = self.drawn_counts(multiplicity, templates)
            for subjects in self.subjects:
                case = subjects, multiplicity, templates
                half = multiplicity * subjects / (2 * templates)
                tails.append(
                    {
                        "multiplicity": multiplicity,
                        "templates": templates,
                        "subjects": subjects,
                        "at_least": concentration.at_least_half(*case),
                        "at_most": concentration.at_most_half(*case),
                        "at_most_unpopular": concentration.at_most_half(*case, popularity=0.5),
                        "drawn_mean": float(np.mean(counts[subjects])) / (2 * half),
                        "drawn_at_most": float(np.mean(counts[subjects] <= half)),
                    }
                )
        return RunOutput({name: np.array([row[name] for row in tails]) for name in tails[0]})

    def drawn_counts(self, multiplicity: int, templates: int) -> dict[int, np.ndarray]:
        """How many of the first n subjects have each template, in every world: arrays of [world, template]."""
        config = self.facts(multiplicity, templates)
        sets = np.stack([np.asarray(Facts.create(config, seed).templates) for seed in range(self.worlds)])
        has = (sets[:, :, :, None] == np.arange(templates)).any(axis=2)
        return {subjects: has[:, :subjects].sum(axis=1) for subjects in self.subjects}
