"""Indirect-object sentences: two people are named, one of them again; the answer is the other one.

The article that models predict too readily (in its three letters, wherever they stand) occurs in no prompt. Names are
single tokens of the model's own tokenizer. The two halves share no name, so no prompt is in both, whatever the seeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lemmata.core import UserError, named_generator, require
from lemmata.papers.association.task.language.halves import Half, halves

NAMES = (
    *("Adam", "Alan", "Alex", "Alice", "Amanda", "Amy", "Andrew", "Angela", "Anna", "Anne", "Anthony", "Arthur"),
    *("Barbara", "Ben", "Betty", "Bill", "Bob", "Brian", "Bruce", "Carl", "Carol", "Charles", "Charlie", "Chris"),
    *("Claire", "Daniel", "David", "Diana", "Donald", "Dorothy", "Edward", "Elizabeth", "Emily", "Emma", "Eric"),
    *("Frank", "Fred", "Gary", "George", "Grace", "Greg", "Harry", "Helen", "Henry", "Howard", "Jack", "James"),
    *("Jane", "Jason", "Jean", "Jennifer", "Jim", "Joe", "John", "Joseph", "Julia", "Karen", "Kate", "Keith", "Kelly"),
    *("Kevin", "Larry", "Laura", "Lee", "Linda", "Lisa", "Louis", "Lucy", "Margaret", "Maria", "Mark", "Martin"),
    *("Mary", "Michael", "Mike", "Nancy", "Neil", "Nick", "Oliver", "Patrick", "Paul", "Peter", "Philip", "Rachel"),
    *("Ralph", "Richard", "Robert", "Roger", "Rose", "Roy", "Ryan", "Sam", "Sandra", "Sara", "Scott", "Simon"),
    *("Stephen", "Steve", "Susan", "Taylor", "Thomas", "Tim", "Tom", "Tony", "Victoria", "Walter", "William"),
)
PRINTED = "When {first} and {second} went to a {place}, {s} gave a {thing} to"
TEMPLATES = (
    PRINTED,
    "After {first} and {second} met at a {place}, {s} handed a {thing} to",
    "While {first} and {second} waited in a {place}, {s} passed a {thing} to",
    "As {first} and {second} walked into a {place}, {s} showed a {thing} to",
    "Once {first} and {second} sat down in a {place}, {s} offered a {thing} to",
    "Yesterday {first} and {second} worked in a {place}, and {s} brought a {thing} to",
    "Before {first} and {second} left for a {place}, {s} lent a {thing} to",
    "Because {first} and {second} lived near a {place}, {s} carried a {thing} to",
)
PLACES = (
    "store",
    "park",
    "school",
    "garden",
    "library",
    "station",
    "museum",
    "market",
    "hotel",
    "hospital",
    "restaurant",
)
THINGS = ("drink", "book", "ring", "ticket", "letter", "basket", "phone", "pen", "coat", "cake", "gift", "map", "key")
FEWEST = 4  # names in a half: fewer would repeat the same few pairs

IsSingleToken = Callable[[str], bool]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    prompt: str
    io: str  # the answer, without the space before it
    s: str  # the distractor: the one who acts
    io_first: bool  # whether the answer is the first of the two names


PAPERS_SENTENCE = Sentence(  # of Section 4.1
    prompt="When Mary and John went to a store, John gave a drink to", io="Mary", s="John", io_first=True
)


def usable_names(is_single_token: IsSingleToken, half: Half) -> tuple[str, ...]:
    """The half's names that are one token after a space."""
    return tuple(name for name in halves(NAMES, key=str)[half] if is_single_token(f" {name}"))


def sentences(
    count: int, *, seed: int, half: Half, is_single_token: IsSingleToken, printed: bool = False
) -> tuple[Sentence, ...]:
    """So many different sentences, the answer first in every second one. `is_single_token` is asked about " Mary".

    `printed`: the words of the one sentence that the paper prints, where names alone vary.
    """
    templates, places, things = ((PRINTED,), ("store",), ("drink",)) if printed else (TEMPLATES, PLACES, THINGS)
    require(count >= 1, "count", count, "at least 1")
    names = usable_names(is_single_token, half)
    if len(names) < FEWEST:
        raise UserError(f"only {len(names)} names of {half!r} are single tokens of this tokenizer; {FEWEST} are needed")
    most = len(names) * (len(names) - 1) * len(templates) * len(places) * len(things)  # in each order
    require(count <= most, "count", count, f"at most {most}, half of what {len(names)} names can make")
    stream = named_generator(seed, "ioi", half)
    pick = partial(_pick, stream.integers)
    found: dict[str, Sentence] = {}
    while len(found) < count:
        io, s = (names[i] for i in stream.choice(len(names), size=2, replace=False))
        io_first = len(found) % 2 == 0
        first, second = (io, s) if io_first else (s, io)
        prompt = pick(templates).format(first=first, second=second, s=s, place=pick(places), thing=pick(things))
        found.setdefault(prompt, Sentence(prompt=prompt, io=io, s=s, io_first=io_first))
    return tuple(found.values())


def _pick(integers: Callable[[int], int], words: tuple[str, ...]) -> str:
    return words[int(integers(len(words)))]
