"""Figure 4 on relation sets: half of the relations are asked about in fine-tuning, then the other half instead.

So each relation is covered once and left out once, at the same number of questions. Subjects that are asked afterwards
are never asked in fine-tuning; each is asked in a wording that fine-tuning uses where it covers, and in one it never
uses. Looked at are the facts that the model answers after demonstrations of their relation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lemmata import lm
from lemmata.core import (
    Checkpoint,
    Count,
    Positive,
    RunConfig,
    RunContext,
    RunOutput,
    Several,
    Some,
    UserError,
    named_generator as drawn,
)
from lemmata.lm.cover_answers import answers_given
from lemmata.lm.hashing import hash_files
from lemmata.lm.source import find_source
from lemmata.papers.knowledge.run.language.answers import Pair
from lemmata.papers.knowledge.run.language.tuning import Tuning, tuned
from lemmata.papers.knowledge.task.relation_sets import RelationSet, files, relation_set

SIDES = ("taught", "other")  # wordings


class Fact(NamedTuple):
    relation: int
    subject: str
    answers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RelationTuning(RunConfig):
    """One row a seed, an arm and a fact: whether it comes out, in a wording that covering teaches and in another."""

    kind = "knowledge/relation-tuning"

    model: str = lm.DEFAULT
    revision: str | None = None
    device: str = "cpu"
    kinds: Some[str] = ("commonsense", "factual", "linguistic")  # folders of relations
    looked_at: Several = 12  # facts of each relation
    spare: Several = 8  # subjects beyond these, which a relation must have: to demonstrate, and to be asked
    shots: Count = 3  # demonstrations after which a stored fact must be answered
    least_stored: Count = 3  # facts of a relation: with fewer it takes no part
    questions: Several = 64  # of a fine-tuning, about half of the relations
    rank: Count = 8  # of LoRA
    steps: Count = 48
    batch: Count = 4
    learning_rate: Positive = 1e-3
    seeds: Some[int] = (0, 1)

    def lacks(self) -> str | None:
        try:
            find_source(self.model, self.revision)
            files(self.kinds)
        except UserError as missing:
            return str(missing)
        return None

    def input_hashes(self) -> tuple[str, ...]:
        return (lm.weights_hash(self.model, self.revision), hash_files(files(self.kinds)))

    def execute(self, context: RunContext) -> RunOutput:
        model = lm.load(self.model, revision=self.revision, device=self.device)
        enough = self.looked_at + self.spare
        sets = [one for one in map(relation_set, files(self.kinds)) if len(one.wordings) > 1]
        sets = [one for one in sets if len(one.answers) >= enough]
        facts = [fact for i, one in enumerate(sets) for fact in self._looked_at(i, one)]
        away = {fact.subject for fact in facts}
        rest = [[subject for subject in one.answers if subject not in away] for one in sets]
        kept = context.load("arms") or Checkpoint(0, {"stored": self._stored(model, sets, facts, rest, context)})
        stored = kept.arrays["stored"].astype(bool)
        counts = np.bincount([fact.relation for fact in facts], stored, minlength=len(sets))
        taking_part = [i for i, count in enumerate(counts) if count >= self.least_stored and rest[i]]
        asked = [fact for fact, known in zip(facts, stored, strict=True) if known and fact.relation in taking_part]
        arms = [(seed, block) for seed in self.seeds for block in (0, 1)] if len(taking_part) > 1 else []
        found = list(kept.arrays.get("found", ()))
        for done in range(len(found), len(arms)):
            context.progress("fine-tunings", done, len(arms))
            found.append(self._one(model, sets, asked, rest, taking_part, *arms[done]))
            context.save("arms", Checkpoint(done + 1, {"stored": kept.arrays["stored"], "found": np.stack(found)}))
        rows = [
            {"seed": seed, "block": block, "relation": sets[fact.relation].name}
            | dict(zip(("covered", *SIDES), values, strict=True))
            for (seed, block), table in zip(arms, found, strict=True)
            for fact, values in zip(asked, table.tolist(), strict=True)
        ]
        names = ("seed", "block", "relation", "covered", *SIDES)
        metrics = {name: np.array([row[name] for row in rows]) for name in names}
        return RunOutput(metrics, {"stored": counts.astype(int), "looked_at": np.array([self.looked_at] * len(sets))})

    def _looked_at(self, place: int, one: RelationSet) -> list[Fact]:
        subjects = sorted(one.answers)
        order = drawn(0, "looked at", one.name).permutation(len(subjects))[: self.looked_at]
        return [Fact(place, subjects[i], one.answers[subjects[i]]) for i in order]

    def _stored(
        self,
        model: lm.LanguageModel,
        sets: Sequence[RelationSet],
        facts: Sequence[Fact],
        rest: Sequence[Sequence[str]],
        context: RunContext,
    ) -> np.ndarray:
        """Asked in a wording that covering teaches, after others of the relation, none of which has its answer."""
        prompts = []
        for fact in facts:
            one, words = sets[fact.relation], self._wordings(sets[fact.relation])[0][0]
            apart = [subject for subject in rest[fact.relation] if not set(one.answers[subject]) & set(fact.answers)]
            order = drawn(0, "demonstrations", one.name, fact.subject).permutation(len(apart))[: self.shots]
            shown = "".join(f"{prompt(words, apart[i])} {one.answers[apart[i]][0]}\n" for i in order)
            prompts.append((shown + prompt(words, fact.subject), fact.answers))
        return answers_given(model, prompts, lambda done, total: context.progress("stored", done, total))[0]

    def _wordings(self, one: RelationSet) -> tuple[list[str], list[str]]:
        """Those that covering teaches, and the others."""
        order = [one.wordings[i] for i in drawn(0, "wordings", one.name).permutation(len(one.wordings))]
        return order[: len(order) // 2], order[len(order) // 2 :]

    def _one(
        self,
        model: lm.LanguageModel,
        sets: Sequence[RelationSet],
        asked: Sequence[Fact],
        rest: Sequence[Sequence[str]],
        taking_part: Sequence[int],
        seed: int,
        block: int,
    ) -> np.ndarray:
        """[fact, (covered, comes out in a taught wording, in another)]."""
        order: list[int] = [taking_part[i] for i in drawn(seed, "blocks").permutation(len(taking_part)).tolist()]
        covered = order[block::2]
        pairs = []
        for turn in range(self.questions):
            time, relation = turn // len(covered), covered[turn % len(covered)]
            one, others = sets[relation], rest[relation]
            words, _ = self._wordings(one)
            places: list[int] = drawn(seed, "asked", one.name).permutation(len(others)).tolist()
            subject = others[places[time % len(others)]]
            pairs.append(Pair(prompt=prompt(words[time % len(words)], subject), answer=one.answers[subject][0]))
        tuning = Tuning(rank=self.rank, steps=self.steps, batch=self.batch, rate=self.learning_rate)
        table = np.zeros((len(asked), 3), bool)
        table[:, 0] = [fact.relation in covered for fact in asked]
        with tuned(model, pairs, tuning, seed=seed, names=(f"block {block}",)):
            for side in (0, 1):
                words = [self._wordings(sets[fact.relation])[side][0] for fact in asked]
                prompts = [(prompt(w, fact.subject), fact.answers) for w, fact in zip(words, asked, strict=True)]
                table[:, 1 + side] = answers_given(model, prompts, lambda done, total: None)[0]
        return table


def prompt(wording: str, subject: str) -> str:
    return f"Q: {wording.replace('{}', subject)} A:"
