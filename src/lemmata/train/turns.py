"""Replicas of one stage trained by several processes side by side: each takes those that nobody has.

Every process executes the whole run; only the training is shared, so no run need say how it is cut in pieces. A replica
that is trained alone has the bits that it has among others.
"""

from collections.abc import Callable, Sequence
from typing import Any

from lemmata.core import RunContext
from lemmata.core.run import SharedContext
from lemmata.train.replicas import concatenate

Trained = tuple[Any, Any]  # states and rows, of one replica or of all


class Part:
    """A run's context for one replica of a stage: progress is that of the whole stage."""

    def __init__(self, context: RunContext, before: int, count: int) -> None:
        self._context, self._before, self._count = context, before, count
        self.save, self.load = context.save, context.load

    def progress(self, stage: str, done: int, total: int) -> None:
        self._context.progress(stage.partition("~")[0], self._before * total + done, self._count * total)


def in_turns(replicas: Sequence[Callable[..., Trained]], records: int, context: SharedContext, stage: str) -> Trained:
    """Train those replicas that no other process trains, and take the others as they were left when they were done."""
    found: dict[int, Trained] = {}
    while len(found) < len(replicas):
        before = len(found)
        for number in [number for number in range(len(replicas)) if number not in found]:
            name = f"{stage}~{number}"
            saved = context.load(name)
            is_done = saved is not None and saved.step == records
            with context.claim(name) as mine:
                if mine or is_done:  # what is done is only read
                    part = Part(context, len(found), len(replicas))
                    found[number] = replicas[number](context=part, stage=name)
        if len(found) == before:
            context.wait()
    trained = [found[number] for number in range(len(replicas))]
    return concatenate([state for state, _ in trained]), concatenate([rows for _, rows in trained])
