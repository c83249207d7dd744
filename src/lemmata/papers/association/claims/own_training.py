"""A small model trained by us: "the" first, then names from the context."""

import numpy as np

from lemmata.core import Claim, Part, at_least
from lemmata.papers.association.claims._own_training import (
    KNOWN,
    Reading,
    article_step,
    known_at_end,
    moments,
    names_step,
    trained_here,
)

MUCH_EARLIER = 2  # octaves: four times


def article_to_names(reading: Reading) -> float:
    return float(np.log2(names_step(reading) / article_step(reading)))


EXPERIMENT = trained_here(
    'A training of our own: "the" before names',
    Claim(
        id="own-training",
        locus="Section 4.1, the order of learning, in a small model of ours (beyond the paper)",
        statement='A small GPT-NeoX model trained on a text gives "the" its probability after prepositions at least '
        "four times earlier than it prefers the name that followed the same preposition before in the passage.",
        subject=lambda runs: Reading(runs["text"]),
        wrong=lambda runs: Reading(runs["shuffled"]),
        parts={
            "log of name over absent name, at the end": Part(
                known_at_end, at_least(KNOWN, over_seeds=True, unit="prompts")
            ),
            'octaves of steps from "the" to names': Part(article_to_names, at_least(MUCH_EARLIER)),
        },
        remark=moments,
    ),
)
