"""Exact match after fine-tunings on PopQA, by facts asked, relations covered and rank: what Figure 4's claims read."""

from typing import NamedTuple

import numpy as np

from lemmata.core import RunResult, Undecided


class Answers(NamedTuple):
    """Exact match on stored facts of held-out subjects, a number a seed."""

    run: RunResult
    shuffled: bool = False  # after fine-tuning on answers of other subjects
    tuned: bool = True  # False: the model before fine-tuning, whatever is asked
    mixed: bool = False  # half of the relations called covered are

    def match(self, *, facts: int, relations: int = 0, rank: int | None = None, true: bool = False) -> np.ndarray:
        """Over all relations, and all blocks of so many covered ones."""
        asked, matched, _ = self._tables(facts, relations, self.run.config.rank if rank is None else rank, true)
        return matched.sum(axis=(1, 2)) / asked.sum(axis=(1, 2))

    @property
    def before(self) -> np.ndarray:
        return self.match(facts=0, true=True)

    @property
    def most(self) -> np.ndarray:
        return self.match(facts=max(self.run.config.facts))

    @property
    def rise(self) -> np.ndarray:
        return self.most - self.match(facts=min(self.run.config.facts))

    @property
    def behind(self) -> np.ndarray:
        """Of low rank, less that of full fine-tuning on the true answers."""
        return self.most - self.match(facts=max(self.run.config.facts), rank=0, true=True)

    @property
    def by_relations(self) -> np.ndarray:
        """From the fewest covered relations to all of them, at an equal number of facts."""
        config = self.run.config
        if not config.relations:
            raise Undecided("no number of covered relations but all was tried")
        few = self.match(facts=config.equal_facts, relations=min(config.relations))
        return self.match(facts=config.equal_facts) - few

    @property
    def half(self) -> int:
        """The largest number of relations that are covered once and left out once."""
        if not self.run.config.relations:
            raise Undecided("no number of covered relations but all was tried")
        return max(self.run.config.relations)

    def sides(self, relations: int) -> tuple[np.ndarray, np.ndarray]:
        """Exact match in covered and in uncovered relations."""
        config = self.run.config
        asked, matched, covered = self._tables(config.equal_facts, relations, config.rank, False)
        if self.mixed:
            covered = covered ^ _every_other(covered[:, :1])
        if not ((asked * covered).any() and (asked * ~covered).any()):
            raise Undecided(f"with {relations} relations covered none is left out")
        return tuple(
            (matched * side).sum(axis=(1, 2)) / (asked * side).sum(axis=(1, 2)) for side in (covered, ~covered)
        )

    @property
    def gap(self) -> np.ndarray:
        return np.subtract(*self.sides(self.half))

    def _tables(self, facts: int, relations: int, rank: int, true: bool) -> list[np.ndarray]:
        """Asked, matched, covered: [seed, block, relation]."""
        run = self.run
        where = {"facts": facts, "relations": relations, "rank": rank, "shuffled": self.shuffled and not true}
        if not (self.tuned and facts):
            where = {"facts": 0}
        seeds, names = run.config.seeds, list(dict.fromkeys(run.column("relation", facts=0).tolist()))
        found = [
            np.stack([run.column(name, seed=seed, **where).reshape(-1, len(names)) for seed in seeds])
            for name in ("asked", "matched", "covered")
        ]
        if not found[0].any(axis=2).all():
            raise Undecided(f"in some seed there are not {facts} facts to ask in {relations or 'all'} relations")
        return [found[0], found[1], found[2].astype(bool)]


def _every_other(covered: np.ndarray) -> np.ndarray:
    """[seed, 1, relation]: every other of the first block's relations, and every other of those it leaves out."""
    inside, outside = np.cumsum(covered, axis=2), np.cumsum(~covered, axis=2)
    return np.where(covered, inside, outside) % 2 == 0
