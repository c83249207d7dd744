"""A small model trained by us: truncation begins to help when names have been learned."""

import numpy as np

from lemmata.core import Claim, Part, at_least
from lemmata.papers.association.claims._own_training import (
    HELPS,
    KNOWN,
    Reading,
    gain_at_end,
    help_step,
    known_at_end,
    moments,
    names_step,
    trained_here,
)


def names_to_help(reading: Reading) -> float:
    return float(np.log2(help_step(reading) / names_step(Reading(reading.run))))


EXPERIMENT = trained_here(
    "A training of our own: when truncation begins to help",
    Claim(
        id="own-truncation",
        locus="Section 4.1, when the benefit of truncation appears, in a small model of ours (beyond the paper)",
        statement="In a small GPT-NeoX model trained on a text, a cut chosen on other prompts in the end raises the "
        "name "
        'against "the" half as much again as dropping the whole matrix does. The context is still used, and '
        "the cut begins to help not before names are preferred.",
        subject=lambda runs: Reading(runs["text"], "cut", "dropped"),
        wrong=lambda runs: Reading(runs["text"], "random", "dropped"),
        parts={
            "log of name over the, cut - dropped": Part(gain_at_end, at_least(HELPS, over_seeds=True, unit="prompts")),
            "octaves of steps from names to help": Part(names_to_help, at_least(0)),
            "log of name over absent name, with the cut": Part(
                known_at_end, at_least(KNOWN, over_seeds=True, unit="prompts"), carries=False
            ),
        },
        remark=moments,
    ),
)
