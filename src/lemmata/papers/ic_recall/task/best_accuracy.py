"""The accuracy that no model of the first decoding step can exceed."""

import numpy as np

from lemmata.papers.ic_recall.task import Sequences, TableWorld, correct_pattern


def best_accuracy(world: TableWorld, sequences: Sequences) -> float:
    """The best possible first-step accuracy on these very sequences: 1 / (relations that fit the context)."""
    return float(np.mean(1 / world.counts(sequences)[:, correct_pattern(sequences.k)]))
