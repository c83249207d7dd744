"""What a fine-tuning on PopQA asks about: split by subject, some relations covered, the same number of facts each time.

Plain Python: which questions, in which order, with which answers. All choices are drawn by name from the seed.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lemmata.core import named_generator
from lemmata.papers.knowledge.task.popqa import Question, exact_match


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One fine-tuning. Blocks are disjoint sets of relations: what one covers, the other leaves out."""

    rank: int  # 0: every weight
    facts: int
    relations: int  # covered; 0: all
    block: int = 0
    shuffled: bool = False  # answers of other subjects of the same relation: a wrong subject

    @property
    def names(self) -> tuple[str, ...]:
        """What its batches and first values are drawn by: not by whether answers are shuffled, so these are pairs."""
        return (f"rank {self.rank}", f"facts {self.facts}", f"relations {self.relations}", f"block {self.block}")


def by_relation(asked: Iterable[Question]) -> dict[str, list[Question]]:
    found: defaultdict[str, list[Question]] = defaultdict(list)
    for one in asked:
        found[one.relation].append(one)
    return {relation: found[relation] for relation in sorted(found)}


def most_popular(asked: Iterable[Question], count: int) -> tuple[Question, ...]:
    """So many of each relation at most, those of the best known subjects: a small model knows these if any."""
    kept = []
    for mine in by_relation(asked).values():
        kept += sorted(mine, key=lambda one: (-one.popularity, one.subject, one.answer))[:count]
    return tuple(kept)


def demonstrated(one: Question, others: Sequence[Question], shots: int) -> str | None:
    """The question after other subjects' questions and answers, none of which is its own; None if they are too few.

    What is known is a property of the model: the demonstrations are the same for all seeds.
    """
    apart = [q for q in others if q.subject != one.subject and not exact_match(q.answer, one.answers)]
    if len(apart) < shots:
        return None
    order = named_generator(0, "demonstrations", one.relation, one.subject).permutation(len(apart))
    shown = "".join(f"{apart[place].prompt} {apart[place].answer}\n" for place in order[:shots])
    return shown + one.prompt


def covered(relations: Sequence[str], arm: Arm, seed: int) -> tuple[str, ...]:
    """The relations that the arm asks about; () if there are too few for its block."""
    if not arm.relations:
        return tuple(relations)
    order = named_generator(seed, "relations").permutation(len(relations))
    block: list[int] = order[arm.block * arm.relations : (arm.block + 1) * arm.relations].tolist()
    return tuple(relations[place] for place in sorted(block)) if len(block) == arm.relations else ()


def chosen(asked: Iterable[Question], arm: Arm, relations: Sequence[str], seed: int) -> tuple[Question, ...]:
    """So many facts of the covered relations, as evenly as they can be had; () if there are too few.

    More facts hold the fewer ones among them, so that numbers of facts are compared within a seed.
    """
    queues = []
    for relation, mine in by_relation(asked).items():
        if relation in relations:
            ordered = sorted(mine, key=lambda one: (one.subject, one.answer))
            order = named_generator(seed, "facts", relation).permutation(len(ordered))
            queues.append([ordered[place] for place in order])
    turns = [queue[turn] for turn in range(max(map(len, queues), default=0)) for queue in queues if turn < len(queue)]
    return tuple(turns[: arm.facts]) if len(turns) >= arm.facts else ()


def with_wrong_answers(asked: Iterable[Question], seed: int) -> tuple[Question, ...]:
    """Each with the answer of another of its relation: in a drawn order, moved on by as much as leaves fewest right."""
    moved = []
    for relation, mine in by_relation(asked).items():
        mine = sorted(mine, key=lambda one: (one.subject, one.answer))
        order = [mine[place] for place in named_generator(seed, "wrong answers", relation).permutation(len(mine))]
        shift = min(range(1, max(2, len(order))), key=lambda by: sum(_right(order, by)))
        moved += [replace(one, answer=_next(order, place, shift)) for place, one in enumerate(order)]
    return tuple(moved)


def _next(order: Sequence[Question], place: int, shift: int) -> str:
    return order[(place + shift) % len(order)].answer


def _right(order: Sequence[Question], shift: int) -> list[bool]:
    return [exact_match(_next(order, place, shift), one.answers) for place, one in enumerate(order)]
