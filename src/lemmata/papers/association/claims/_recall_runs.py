"""The training runs of noisy recall that several figures share, at each scale."""

from dataclasses import replace
from typing import Any

from lemmata.core import Scale
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.model import FeedKind, TransformerConfig
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.sizes import Clean, Figure11, Figure12, FineTuned, Main, Recall
from lemmata.papers.association.task import RecallConfig

RANKS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)  # of U_in in F_2, Figure 3's rho


def recall_training(
    scale: Scale, feeds: tuple[FeedKind, FeedKind] = ("mlp", "mlp"), triggers: tuple[int, ...] = (1,), **changes: Any
) -> RecallTraining:
    """The run at a scale. Laptop: the paper's corpus, optimizer and noise on the 16 most frequent characters."""
    task = RecallConfig(symbols=Recall.SYMBOLS.at(scale), length=Recall.LENGTH.at(scale), triggers=triggers)
    model = TransformerConfig(
        vocab=task.vocab,
        length=task.length,
        width=Recall.WIDTH.at(scale),
        feeds=feeds,
        precision=Recall.PRECISION.at(scale),
    )
    settings: dict[str, Any] = {
        "task": task,
        "model": model,
        "batch": Recall.BATCH.at(scale),
        "steps": Recall.STEPS.at(scale),
        "every": Recall.EVERY.at(scale),
        "test_sequences": Recall.TEST_SEQUENCES.at(scale),
        "final_sequences": Recall.FINAL_SEQUENCES.at(scale),
        "seeds": unseen(scale, Recall.SEEDS),
    }
    return RecallTraining(**(settings | changes))


def main_run(scale: Scale) -> RecallTraining:
    """Both layers with an MLP, noise from the first step on: Figures 3, 4 left, 7, 8 left, 9 left and 10."""
    return recall_training(
        scale,
        maps=True,
        fractions=RANKS,
        watch_ranks=True,
        steps=Main.STEPS.at(scale),
        early_steps=Main.EARLY_STEPS.at(scale),
        every=Main.EVERY.at(scale),
        seeds=unseen(scale, Main.SEEDS),
    )


def linear_run(scale: Scale, feeds: tuple[FeedKind, FeedKind], of: type[Figure11] | type[Figure12]) -> RecallTraining:
    """One of the layers linear: Figures 11 and 12."""
    few = {"steps": of.STEPS.at(scale), "every": of.EVERY.at(scale), "seeds": unseen(scale, of.SEEDS)}
    return recall_training(scale, feeds, **few)


def fine_tuned_run(scale: Scale) -> RecallTraining:
    """Clean first, then noise (appendix B.1): Figures 4 right and 8 right."""
    run = recall_training(
        scale,
        maps=True,
        clean_steps=FineTuned.CLEAN_STEPS.at(scale),
        steps=FineTuned.STEPS.at(scale),
        early_steps=FineTuned.EARLY_STEPS.at(scale),
        every=FineTuned.EVERY.at(scale),
        attended_sequences=FineTuned.ATTENDED_SEQUENCES.at(scale),
        seeds=unseen(scale, FineTuned.SEEDS),
    )
    # Seeds that diverge at the paper's size when the noise begins do so in this precision too: it is not the cause.
    return replace(run, model=replace(run.model, precision=FineTuned.PRECISION.at(scale)))


def clean_run(scale: Scale) -> RecallTraining:
    """The first phase of the same. On a laptop in many more seeds, for where a clean model looks depends much on what
    it has drawn as the noise token's embedding."""
    return replace(
        fine_tuned_run(scale),
        clean_steps=Clean.CLEAN_STEPS.at(scale),
        steps=Clean.STEPS.at(scale),
        early_steps=Clean.EARLY_STEPS.at(scale),
        seeds=unseen(scale, Clean.SEEDS),
    )
