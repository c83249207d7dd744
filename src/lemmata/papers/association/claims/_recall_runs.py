"""The training runs of noisy recall that several figures share, at each scale."""

from dataclasses import replace
from typing import Any

from lemmata.core import Scale
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.model import FeedKind, TransformerConfig
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.task import RecallConfig

RANKS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)  # of U_in in F_2, Figure 3's rho


def recall_training(scale: Scale, feeds: tuple[FeedKind, FeedKind] = ("mlp", "mlp"), **changes: Any) -> RecallTraining:
    """The run at a scale. Laptop: the paper's corpus, optimizer and noise on the 16 most frequent characters."""
    symbols = scale.pick(smoke=8, laptop=16, paper=65)
    length = scale.pick(smoke=16, laptop=48, paper=256)
    task = RecallConfig(symbols=symbols, length=length, triggers=changes.pop("triggers", (1,)))
    model = TransformerConfig(
        vocab=task.vocab,
        length=length,
        width=scale.pick(smoke=16, laptop=64, paper=256),
        feeds=feeds,
        precision=scale.pick(smoke="float32", laptop="float32", paper="bfloat16"),
    )
    settings: dict[str, Any] = {
        "task": task,
        "model": model,
        "batch": scale.pick(smoke=8, laptop=32, paper=512),
        "steps": scale.pick(smoke=10, laptop=600, paper=2000),
        "every": scale.pick(smoke=5, laptop=10, paper=5),
        "test_sequences": scale.pick(smoke=16, laptop=48, paper=128),
        "final_sequences": scale.pick(smoke=32, laptop=512, paper=1024),
        "seeds": unseen(scale.seeds(smoke=2, laptop=6, paper=3)),
    }
    return RecallTraining(**(settings | changes))


def main_run(scale: Scale) -> RecallTraining:
    """Both layers with an MLP, noise from the first step on: Figures 3, 4 left, 7, 8 left, 9 left and 10."""
    return recall_training(
        scale,
        maps=True,
        fractions=RANKS,
        watch_ranks=True,
        steps=scale.pick(smoke=10, laptop=610, paper=2000),
        early_steps=scale.pick(smoke=0, laptop=10, paper=20),
        every=scale.pick(smoke=5, laptop=30, paper=5),
        seeds=unseen(scale.seeds(smoke=2, laptop=8, paper=3)),
    )


def far_from_its_bounds(scale: Scale, feeds: tuple[FeedKind, FeedKind], steps: int, seeds: int = 4) -> RecallTraining:
    """For claims whose every seed is far from the bounds: on a laptop fewer records, steps and mostly seeds."""
    if scale.name != "laptop":
        return recall_training(scale, feeds)
    few = unseen(scale.seeds(smoke=2, laptop=seeds, paper=3))
    return recall_training(scale, feeds, steps=steps, every=20, seeds=few)


def fine_tuned_run(scale: Scale) -> RecallTraining:
    """Clean first, then noise (appendix B.1): Figures 4 right and 8 right."""
    run = recall_training(
        scale,
        maps=True,
        clean_steps=scale.pick(smoke=10, laptop=300, paper=1000),
        steps=scale.pick(smoke=10, laptop=300, paper=1000),
        early_steps=scale.pick(smoke=0, laptop=20, paper=20),
        every=scale.pick(smoke=5, laptop=20, paper=5),
        attended_sequences=scale.pick(smoke=None, laptop=512, paper=None),
        seeds=unseen(scale.seeds(smoke=2, laptop=8, paper=3)),
    )
    # Two of three seeds diverge when the noise begins: not for want of precision, they do so in this one too.
    finer = replace(run, model=replace(run.model, precision="tensorfloat32"))
    return scale.pick(smoke=run, laptop=run, paper=finer)


def clean_run(scale: Scale) -> RecallTraining:
    """The first phase of the same. On a laptop in many more seeds, for where a clean model looks depends much on what
    it has drawn as the noise token's embedding, and in fewer steps: in trials 160 to 600 gave the same."""
    run = fine_tuned_run(scale)
    if scale.name != "laptop":
        return run
    many = unseen(scale.seeds(smoke=2, laptop=32, paper=3))
    return replace(run, clean_steps=160, steps=20, early_steps=0, seeds=many)
