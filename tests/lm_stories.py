"""A text made on the spot, in which a name that followed a preposition follows it again."""

import numpy as np

NAMES = ("Anna", "Boris", "Clara", "Diego", "Elena", "Felix", "Greta", "Hugo", "Irma", "Jonas", "Karla", "Ludwig")
PREPOSITIONS = ("to", "of", "with", "from")
WORDS = ("walked", "spoke", "rode", "sang", "came", "went", "looked", "wrote", "slept", "waited", "early", "late")


def story(length: int, seed: int = 0) -> str:
    """Paragraphs: in each a preposition has a name of its own, and now and then "the" or a pronoun follows instead."""
    stream = np.random.default_rng(seed)
    made: list[str] = []
    size = 0
    while size < length:
        names = dict(zip(PREPOSITIONS, stream.permutation(NAMES), strict=False))
        words: list[str] = []
        for _ in range(6):
            words += list(stream.choice(WORDS, 2))
            preposition = str(stream.choice(PREPOSITIONS[:2]))
            after = [[names[preposition]], ["the", "king"], ["him"]][stream.choice(3, p=(0.6, 0.2, 0.2))]
            words += [preposition, *after]
        made.append(" ".join(words) + ".\n\n")
        size += len(made[-1])
    return "".join(made)
