"""A name after a preposition, asked for where the preposition comes again: a task that any text holds.

    ... I sent to Padua, and she is come with all her company to

In the words of the paper's synthetic task: the trigger is the preposition, the noise is "the", which follows it more
often than anything else, and what is right by the context is the name that followed it here. Prompts are pieces of a
text that the model has not seen, with one pronoun ("to her") replaced by a name of the same text; from there to the end
the preposition does not occur. Names are single tokens of the model's
own tokenizer; they are drawn at random, and so is `absent`, a name that is not in the prompt: without
use of the context neither is likelier on average.
"""

import re
from collections import Counter
from dataclasses import dataclass

from lemmata.core import UserError, named_generator
from lemmata.papers.association.task.language.halves import HALVES, Half, halves
from lemmata.papers.association.task.language.ioi import IsSingleToken
from lemmata.papers.association.task.language.sentences import PREPOSITIONS

TRIGGERS = (*PREPOSITIONS, "unto", "upon")
PRONOUNS = ("me", "thee", "you", "him", "them", "us", "it")  # "her" is also a determiner
BEFORE, BETWEEN = 120, 350  # characters of text before the preposition; at most so many from the name to the end
WORD = re.compile(r"[A-Za-z][A-Za-z']*")
NAME = re.compile(r"(?<=[a-z,] )(?<!\. )([A-Z][a-z]{2,})\b(?!')")
FEWEST = 4  # names in a half


@dataclass(frozen=True, kw_only=True)
class Repeat:
    prompt: str  # ends with the preposition
    name: str  # what followed it before
    absent: str  # a name of the same half that is not in the prompt


def names_of(text: str) -> tuple[str, ...]:
    """Words that are written large inside sentences, at least twice, and never small; the most frequent first."""
    small = set(re.findall(r"\b[a-z]+\b", text))
    found = Counter(NAME.findall(text))
    return tuple(name for name, count in found.most_common() if count >= 2 and name.lower() not in small)


def repeats(text: str, *, seed: int, half: Half, is_single_token: IsSingleToken, most: int = 200) -> tuple[Repeat, ...]:
    """So many at most. The halves share neither a piece of the text nor a name. `is_single_token` is asked " Mary"."""
    names = halves((name for name in names_of(text) if is_single_token(f" {name}")), key=str)[half]
    middle = len(text) // 2
    places = _places(text[:middle] if half == HALVES[0] else text[middle:])
    if len(names) < FEWEST or not places:
        raise UserError(
            f"the text has {len(names)} names and {len(places)} places of {half!r}: {FEWEST} and 1 are needed"
        )
    stream = named_generator(seed, "repeats", half)
    found = []
    for before, after in places:
        name, absent = (names[i] for i in stream.choice(len(names), size=2, replace=False))
        prompt = f"{before} {name}{after}"
        if len(re.findall(rf"\b{name}\b", prompt, re.IGNORECASE)) == 1 and not _holds(prompt, absent):
            found.append(Repeat(prompt=prompt, name=name, absent=absent))
    return tuple(found[i] for i in sorted(stream.permutation(len(found))[:most]))


def _places(text: str) -> list[tuple[str, str]]:
    """What stands before and after each pronoun that a name could replace."""
    words = [(match.group(), match.start()) for match in WORD.finditer(text)]
    found = []
    for place in range(1, len(words)):
        (trigger, at), (pronoun, start) = words[place - 1], words[place]
        if trigger not in TRIGGERS or pronoun not in PRONOUNS or text[at + len(trigger) : start] != " ":
            continue
        again = next((there for word, there in words[place + 1 : place + 120] if word == trigger), None)
        if again is not None and again - start <= BETWEEN:
            found.append(
                (text[max(0, at - BEFORE) : at + len(trigger)], text[start + len(pronoun) : again + len(trigger)])
            )
    return found


def _holds(prompt: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", prompt, re.IGNORECASE) is not None
