"""The training runs of noisy recall that several figures share, at each scale."""

from typing import Any, Literal

from lemmata.core import Scale
from lemmata.papers.association.claims._unseen import unseen
from lemmata.papers.association.model import FeedKind, TransformerConfig
from lemmata.papers.association.run.recall_training import RecallTraining
from lemmata.papers.association.sizes import Clean, FineTuned, Main, Recall
from lemmata.papers.association.task import RecallConfig

RANKS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)  # of U_in in F_2, Figure 3's rho


def recall_training(
    scale: Scale,
    sizes: type[Recall] = Recall,
    feeds: tuple[FeedKind, FeedKind] = ("mlp", "mlp"),
    triggers: tuple[int, ...] = (1,),
    conventions: Literal["paper", "script"] = "paper",
    **changes: Any,
) -> RecallTraining:
    """The run at a scale. Laptop: the paper's corpus, optimizer and noise on the 16 most frequent characters."""
    task = RecallConfig(
        symbols=sizes.SYMBOLS.at(scale), length=sizes.LENGTH.at(scale), triggers=triggers, conventions=conventions
    )
    model = TransformerConfig(
        vocab=task.vocab,
        length=task.length,
        width=sizes.WIDTH.at(scale),
        feeds=feeds,
        precision=sizes.PRECISION.at(scale),
    )
    return RecallTraining(
        task=task,
        model=model,
        batch=sizes.BATCH.at(scale),
        steps=sizes.STEPS.at(scale),
        every=sizes.EVERY.at(scale),
        test_sequences=sizes.TEST_SEQUENCES.at(scale),
        final_sequences=sizes.FINAL_SEQUENCES.at(scale),
        seeds=unseen(scale, sizes.SEEDS),
        **changes,
    )


def main_run(scale: Scale) -> RecallTraining:
    """Both layers with an MLP, noise from the first step on: Figures 3, 4 left, 7, 8 left, 9 left and 10."""
    early_steps = Main.EARLY_STEPS.at(scale)
    return recall_training(scale, Main, maps=True, fractions=RANKS, watch_ranks=True, early_steps=early_steps)


def fine_tuned_run(scale: Scale, sizes: type[FineTuned] = FineTuned) -> RecallTraining:
    """Clean first, then noise (appendix B.1): Figures 4 right and 8 right."""
    return recall_training(
        scale,
        sizes,
        maps=True,
        clean_steps=sizes.CLEAN_STEPS.at(scale),
        noisy_rate=sizes.NOISY_RATE.at(scale),
        early_steps=sizes.EARLY_STEPS.at(scale),
        attended_sequences=sizes.ATTENDED_SEQUENCES.at(scale),
    )


def clean_run(scale: Scale) -> RecallTraining:
    """The first phase of the same."""
    return fine_tuned_run(scale, Clean)
