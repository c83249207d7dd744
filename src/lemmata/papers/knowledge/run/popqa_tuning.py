"""Figure 4's run: a language model is fine-tuned on facts of PopQA and asked about subjects it was not asked about.

Only facts that the model has stored can be unlocked. Stored are those that it answers after a few demonstrations of the
same relation, none of which gives the answer away; the others are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from lemmata import core, lm
from lemmata.lm.data import find
from lemmata.lm.hashing import hash_file
from lemmata.lm.source import find_source
from lemmata.papers.knowledge.run import popqa_plan as plan
from lemmata.papers.knowledge.run.language.answers import Pair
from lemmata.papers.knowledge.run.language.generation import greedy
from lemmata.papers.knowledge.run.language.tuning import Tuning, tuned
from lemmata.papers.knowledge.run.popqa_plan import Arm, by_relation
from lemmata.papers.knowledge.task.popqa import POPQA, TEMPLATES, Question, exact_match, questions, split_by_subject

LONGEST = 10  # tokens of an answer


@dataclass(frozen=True, kw_only=True)
class PopqaTuning(core.RunConfig):
    """One row an arm, a seed and a relation: how many held-out facts were asked, and how many answers match exactly.

    Rows with facts = 0 are the model before fine-tuning. Which facts are stored does not depend on the seed.
    """

    kind = "knowledge/popqa-tuning"

    model: str = lm.DEFAULT
    revision: str | None = None
    device: str = "cpu"
    asked_about: tuple[str, ...] = ()  # relations that are looked at; (): all of PopQA's
    pool: core.Several = 50  # facts of each relation that are looked at, those of the most popular subjects
    shots: core.Count = 3  # demonstrations after which a stored fact must be answered
    least_stored: core.Several = 4  # facts of a relation: with fewer it takes no part
    # Which of the facts that are not held out fine-tuning asks about.
    train_facts: Literal["stored", "any"] = field(default="stored", metadata=core.stored_as("taught"))
    held_out: core.Inside = 0.5
    rank: core.Natural = 1  # of the arms that vary facts and relations; 0: every weight
    ranks: tuple[core.Natural, ...] = (4, 16, 0)  # others, at the largest number of facts, every relation covered
    facts: core.Some[core.Count] = (2, 8, 24)  # asked in fine-tuning, every relation covered
    relations: tuple[core.Count, ...] = (2,)  # covered, at an equal number of facts
    equal_facts: core.Count = 8  # that number
    steps: core.Count = 12
    batch: core.Count = 4
    learning_rate: core.Positive = field(default=1e-3, metadata=core.stored_as("rate"))
    full_learning_rate: core.Positive = field(default=5e-5, metadata=core.stored_as("full_rate"))  # of full fine-tuning
    seeds: core.Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        core.require(self.rank not in self.ranks, "ranks", self.ranks, f"ranks other than rank = {self.rank}")
        for relation in self.asked_about:
            if relation not in TEMPLATES:
                raise core.unknown("relation in asked_about:", relation, TEMPLATES)
        for name in ("facts", "relations", "ranks", "asked_about"):
            values = getattr(self, name)
            core.require(len(set(values)) == len(values), name, values, "no two alike")

    def lacks(self) -> str | None:
        try:
            find_source(self.model, self.revision)
            find(POPQA)
        except core.UserError as missing:
            return str(missing)
        return None

    def input_hashes(self) -> tuple[str, ...]:
        return (lm.weights_hash(self.model, self.revision), hash_file(find(POPQA)))

    def arms(self) -> tuple[Arm, ...]:
        """Fine-tunings of a seed; with wrong answers those on fewest and on most facts."""
        by_facts = [Arm(rank=self.rank, facts=count, relations=0) for count in sorted(self.facts)]
        by_relations = [
            Arm(rank=self.rank, facts=self.equal_facts, relations=count, block=block)
            for count in sorted(self.relations)
            for block in (0, 1)
        ]
        by_rank = [Arm(rank=rank, facts=max(self.facts), relations=0) for rank in self.ranks]
        true = [*by_facts, *by_relations, *by_rank]
        if self.equal_facts not in self.facts:
            true.append(Arm(rank=self.rank, facts=self.equal_facts, relations=0))
        wrong = [replace(arm, shuffled=True) for arm in (by_facts[0], by_facts[-1])]
        return tuple(dict.fromkeys((*true, *wrong)))

    def tuning(self, arm: Arm) -> Tuning:
        learning_rate = self.learning_rate if arm.rank else self.full_learning_rate
        return Tuning(rank=arm.rank, steps=self.steps, batch=self.batch, rate=learning_rate)

    def execute(self, context: core.RunContext) -> core.RunOutput:
        model = lm.load(self.model, revision=self.revision, device=self.device)
        pool = plan.most_popular(self._looked_at(), self.pool)
        kept = context.load("arms") or core.Checkpoint(0, {"stored": self._answered_after_demonstrations(model, pool)})
        stored = [one for one, right in zip(pool, kept.arrays["stored"], strict=True) if right]
        counts = {relation: len(mine) for relation, mine in by_relation(stored).items()}
        relations = [relation for relation, count in counts.items() if count >= self.least_stored]
        stored = [one for one in stored if one.relation in relations]
        planned = [(Arm(rank=self.rank, facts=0, relations=0), seed) for seed in self.seeds]
        planned += [(arm, seed) for seed in self.seeds for arm in self.arms()]
        found = list(kept.arrays.get("found", ()))  # [relation, (covered, asked, matched)] each
        for done in range(len(found), len(planned) if stored else 0):
            context.progress("fine-tunings", done, len(planned))
            found.append(self._one(model, pool, stored, relations, *planned[done]))
            arrays = {"stored": kept.arrays["stored"], "found": np.stack(found)}
            context.save("arms", core.Checkpoint(done + 1, arrays))
        return self._output(pool, kept.arrays["stored"], relations, planned, found)

    def _looked_at(self) -> list[Question]:
        return [one for one in questions() if not self.asked_about or one.relation in self.asked_about]

    def _answered_after_demonstrations(self, model: lm.LanguageModel, pool: Sequence[Question]) -> np.ndarray:
        mine = by_relation(pool)
        prompts = [plan.demonstrated(one, mine[one.relation], self.shots) for one in pool]
        places = [place for place, prompt in enumerate(prompts) if prompt]
        right = np.zeros(len(pool), bool)
        if places:
            said = greedy(model, [prompts[place] or "" for place in places], tokens=LONGEST)
            right[places] = [exact_match(text, pool[place].answers) for text, place in zip(said, places, strict=True)]
        return right

    def _one(
        self,
        model: lm.LanguageModel,
        pool: Sequence[Question],
        stored: Sequence[Question],
        relations: Sequence[str],
        arm: Arm,
        seed: int,
    ) -> np.ndarray:
        """[relation, (covered, asked, matched)]; nothing is asked where the arm cannot be made from these facts."""
        _, held_out = split_by_subject(stored, held_out=self.held_out, seed=seed)
        away = {one.subject for one in held_out}
        rest = [one for one in (stored if self.train_facts == "stored" else pool) if one.subject not in away]
        asks = plan.covered(relations, arm, seed) if arm.facts else ()
        facts = plan.chosen(rest, arm, asks, seed)
        if arm.facts and not facts:
            return np.zeros((len(relations), 3), int)
        if arm.shuffled:
            wrong = {(one.subject, one.relation): one for one in plan.with_wrong_answers(rest, seed)}
            facts = [wrong[one.subject, one.relation] for one in facts]
        prompts = [one.prompt for one in held_out]
        if arm.facts:
            pairs = [Pair(prompt=one.prompt, answer=one.answer) for one in facts]
            with tuned(model, pairs, self.tuning(arm), seed=seed, names=arm.names):
                said = greedy(model, prompts, tokens=LONGEST)
        else:
            said = greedy(model, prompts, tokens=LONGEST)
        table = np.zeros((len(relations), 3), int)
        table[:, 0] = [relation in asks for relation in relations]
        for one, text in zip(held_out, said, strict=True):
            table[relations.index(one.relation), 1:] += (1, exact_match(text, one.answers))
        return table

    def _output(
        self,
        pool: Sequence[Question],
        right: np.ndarray,
        relations: Sequence[str],
        planned: Sequence[tuple[Arm, int]],
        found: Sequence[np.ndarray],
    ) -> core.RunOutput:
        rows = [
            {"seed": seed, **vars(arm), "relation": relation, "covered": a, "asked": b, "matched": c}
            for (arm, seed), table in zip(planned, found, strict=False)
            for relation, (a, b, c) in zip(relations, table.tolist(), strict=True)
        ]
        names = ("seed", "rank", "facts", "relations", "block", "shuffled", "relation", "covered", "asked", "matched")
        looked, known = by_relation(pool), by_relation([one for one, yes in zip(pool, right, strict=True) if yes])
        arrays = {
            "looked_at": np.array([len(mine) for mine in looked.values()]),
            "stored": np.array([len(known.get(relation, ())) for relation in looked]),
        }
        return core.RunOutput({name: np.array([row[name] for row in rows]) for name in names}, arrays)
