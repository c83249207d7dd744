"""What a language model is asked, which words are read of its answers, and the table of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lemmata.core import UserError
from lemmata.lm.model import LanguageModel
from lemmata.papers.association.probe.logits import next_tokens, probability, rank, single_token
from lemmata.papers.association.task.language.facts import CITIES, OTHER_WORDINGS, TABLE_5, Fact
from lemmata.papers.association.task.language.halves import HALVES, Half, halves
from lemmata.papers.association.task.language.ioi import Sentence, sentences

Task = Literal["ioi", "facts"]


@dataclass(frozen=True)
class Questions:
    """Prompts, and by the name of a reading the word whose chance is read after each of them."""

    prompts: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]


def about_people(found: tuple[Sentence, ...]) -> Questions:
    words = {"answer": tuple(one.io for one in found), "distractor": tuple(one.s for one in found)}
    return Questions(tuple(one.prompt for one in found), words | {"the": ("the",) * len(found)})


def about_facts(found: tuple[Fact, ...]) -> Questions:
    words = {"answer": tuple(one.answer for one in found), "the": ("the",) * len(found)}
    return Questions(tuple(one.prompt for one in found), words)


def ask(model: LanguageModel, task: Task, *, half: Half, count: int, seed: int) -> Questions:
    """One half of a task's prompts. IOI's halves share no name; of facts no answer is in both halves."""
    if task == "ioi":
        single = single_token(encoder(model))
        return about_people(sentences(count, seed=seed, half=half, is_single_token=single))
    return about_facts(facts_of(half)[:count])


def facts_of(half: Half) -> tuple[Fact, ...]:
    """Of the paper's Table 5, of cities in the words of Table 1, and in others, by turns: the first few are of all."""
    groups = (TABLE_5, CITIES, OTHER_WORDINGS)
    mine = halves([fact for group in groups for fact in group], key=lambda fact: fact.answer)[half]
    turns = [[fact for fact in mine if fact in group] for group in groups]
    places = [(i, which) for which, group in enumerate(turns) for i in range(len(group))]
    return tuple(turns[which][i] for i, which in sorted(places))


def both_halves(model: LanguageModel, task: Task, *, count: int, seed: int) -> dict[Half, Questions]:
    """Both halves of a task; no prompt may be in both."""
    found: dict[Half, Questions] = {half: ask(model, task, half=half, count=count, seed=seed) for half in HALVES}
    check_apart(found["choose"].prompts, found["judge"].prompts)
    return found


def check_apart(chosen_on: tuple[str, ...], judged_on: tuple[str, ...]) -> None:
    """What is chosen on a prompt is not judged on it."""
    if shared := sorted(set(chosen_on) & set(judged_on)):
        raise UserError(f"{len(shared)} prompts are both chosen and judged on, the first is {shared[0]!r}")


def encoder(model: LanguageModel) -> Callable[[str], list[int]]:
    return lambda text: list(model.tokenizer(text, add_special_tokens=False)["input_ids"])


class Reader:
    """Logits after the prompts -> by reading, a probability (and a rank) a prompt."""

    def __init__(self, model: LanguageModel, questions: Questions) -> None:
        encode = encoder(model)
        self.tokens = {name: next_tokens(questions.prompts, words, encode) for name, words in questions.words.items()}

    def __call__(self, logits: np.ndarray) -> dict[str, np.ndarray]:
        return {name: probability(logits, tokens) for name, tokens in self.tokens.items()}

    def ranks(self, logits: np.ndarray) -> dict[str, np.ndarray]:
        return {f"rank of {name}": rank(logits, tokens) for name, tokens in self.tokens.items()}


class LongTable:
    """One row a prompt of each edit; what an edit is called stands in every of its rows."""

    def __init__(self) -> None:
        self._parts: list[dict[str, np.ndarray]] = []

    def add(self, readings: Mapping[str, np.ndarray], **labels: Any) -> None:
        count = len(next(iter(readings.values())))
        labelled = {name: np.full(count, value) for name, value in labels.items()}
        self._parts.append(labelled | {"prompt": np.arange(count)} | dict(readings))

    def columns(self) -> dict[str, np.ndarray]:
        return {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}
