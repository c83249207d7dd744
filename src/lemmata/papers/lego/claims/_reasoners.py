"""The trained reasoners that the dilution of attention and the word problem share."""

from typing import Any

from lemmata.core import Scale
from lemmata.papers.lego.run.one_step import Descent
from lemmata.papers.lego.run.reasoners import TrainedReasoner
from lemmata.papers.lego.run.self_training import Stage, doubling


def symmetric_reasoner(scale: Scale) -> TrainedReasoner:
    """Self-trained to length 8, with words to decide; at smoke scale a small one, on two steps alone."""
    if scale.name == "smoke":
        return TrainedReasoner(
            action="S3",
            variables=11,
            width=6,
            value=Descent(steps=1500, every=1500),
            variable=Descent(steps=500, every=500),
            stages=(Stage(steps=200, every=200),),
            lengths=(2, 5, 10),
            sentences=32,
            words=16,
            word_length=6,
            seeds=scale.seeds(smoke=2, laptop=3, paper=5),
        )
    words = scale.pick(smoke=0, laptop=32, paper=128)
    return TrainedReasoner(action="S5", stages=doubling(_two_steps(scale), 3), words=words, **_shared(scale))


def transitive_reasoner(scale: Scale) -> TrainedReasoner:
    """On two steps alone."""
    return TrainedReasoner(action="C6", stages=(_two_steps(scale),), **_shared(scale))


def _two_steps(scale: Scale) -> Stage:
    return Stage(steps=1600, every=1600) if scale.name == "paper" else Stage(steps=400, every=400)


def _shared(scale: Scale) -> dict[str, Any]:
    """At the paper's scale |X| is large enough for length 160."""
    paper = scale.name == "paper"
    return {
        "variables": 170 if paper else 41,
        "lengths": (2, 5, 10, 20, 40, 80, 160) if paper else (2, 5, 10, 20, 40),
        "variable": Descent(steps=15_000 if paper else 3000, every=3000),  # a variable waits |X| steps
        "seeds": scale.seeds(smoke=2, laptop=3, paper=5),
    }
