"""Which templates prompts are made from, where rows do not say: a frame of words around a slot, and what fills it.

A frame is a beginning and an end that several prompts share. The right one ends where what follows begins to vary
(Harris' successor variety): a frame counts for as much as its prompts, times its words, times the share of slots that
begin, and that end, in words of their own.
"""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORD = re.compile(r"['’]s\b|\w+|[^\w\s]")
LONGEST = 12  # words and signs of a subject
FEWEST = 3  # subjects of a template

Spans = list[tuple[int, int]]
Slot = tuple[int, int, int]  # prompt, and the words of its slot


@dataclass(frozen=True)
class Made:
    """How one prompt is made. What no other prompt shares is its own template, without a slot."""

    template: str
    subject: str | None


def templates_of(prompts: Iterable[str]) -> dict[str, Made]:
    """The best frame takes its prompts, then the best of those that are left, until none has enough subjects."""
    texts = list(dict.fromkeys(prompts))
    spans = [[found.span() for found in WORD.finditer(text)] for text in texts]
    words = [[text[a:b].lower() for a, b in mine] for text, mine in zip(texts, spans, strict=True)]
    frames = _frames(words)
    waiting = [(-_worth(slots, words), frame) for frame, slots in frames.items()]
    heapq.heapify(waiting)
    made: dict[str, Made] = {}
    while waiting:
        known, frame = heapq.heappop(waiting)
        slots = [slot for slot in frames[frame] if texts[slot[0]] not in made]
        worth = _worth(slots, words)
        if worth < -known:  # some of its prompts are taken: it waits for its new turn
            if worth > 0:
                heapq.heappush(waiting, (-worth, frame))
            continue
        template = _around(slots[0], texts, spans)[0]
        made |= {texts[slot[0]]: Made(template, _around(slot, texts, spans)[1]) for slot in slots}
    return {text: made.get(text, Made(text, None)) for text in texts}


def _frames(words: Sequence[Sequence[str]]) -> dict[tuple[int, int], list[Slot]]:
    """Beginning and end, each by number, with the slots between them, one a prompt; those of enough prompts."""
    numbers: dict[tuple[int, str], int] = {}
    places, counts = [], Counter()
    for row, mine in enumerate(words):
        before, after = _ids(mine, numbers, 1), _ids(mine[::-1], numbers, -1)[::-1]
        some = {
            (before[i], after[j]): (row, i, j)
            for i in range(len(mine))
            for j in range(i + 1, min(len(mine), i + LONGEST) + 1)
            if i + len(mine) - j > 0
        }
        counts.update(some.keys())
        places.append(some)
    frames: defaultdict[tuple[int, int], list[Slot]] = defaultdict(list)
    for some in places:
        for frame, slot in some.items():
            if counts[frame] >= FEWEST:
                frames[frame].append(slot)
    return frames


def _ids(words: Sequence[str], numbers: dict[tuple[int, str], int], side: int) -> list[int]:
    """A number for each beginning of the words; 0, or -1 from the other side, for the empty one."""
    found = [min(0, side)]
    for word in words:
        found.append(side * abs(numbers.setdefault((found[-1], word), len(numbers) + 2)))
    return found


def _worth(slots: Sequence[Slot], words: Sequence[Sequence[str]]) -> float:
    if len(slots) < FEWEST:
        return 0.0
    row, i, j = slots[0]
    ends = ([words[row][i] for row, i, _ in slots], [words[row][j - 1] for row, _, j in slots])
    return (i + len(words[row]) - j) * min(map(_varieties, ends))


def _varieties(words: Sequence[str]) -> float:
    """As many different words, all as frequent, would be as hard to foretell."""
    shares = [count / len(words) for count in Counter(words).values()]
    return math.exp(-sum(share * math.log(share) for share in shares))


def _around(slot: Slot, texts: Sequence[str], spans: Sequence[Spans]) -> tuple[str, str]:
    row, i, j = slot
    start, end = spans[row][i][0], spans[row][j - 1][1]
    return texts[row][:start] + "{}" + texts[row][end:], texts[row][start:end]
