"""How words are numbered: o, p, d, then relations, subjects, answers; or the letters that spell these."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

START, ASK, DUMMY = 0, 1, 2  # o, which opens every sequence; p, which ends a question; d, the dummy that follows o
SPECIAL = 3


@dataclass(frozen=True)
class Vocabulary:
    """One token a name, or names spelled with `name_length` letters of one alphabet. Sizes count padding too."""

    templates: int
    subjects: int
    name_length: int = 1
    alphabet: int = 32

    @property
    def size(self) -> int:
        return SPECIAL + (self.templates + 2 * self.subjects if self.name_length == 1 else self.alphabet)

    @property
    def template_slice(self) -> slice:
        return slice(SPECIAL, self.first_subject)

    @property
    def first_subject(self) -> int:
        return SPECIAL + self.templates

    @property
    def first_answer(self) -> int:
        return SPECIAL + self.templates + self.subjects

    def classes(self) -> Int[np.ndarray, " class"]:
        """The tokens that may follow a prefix, in order: d, then relations and answers (or the letters).

        Subjects, o and p are never predicted, so they need no neurons.
        """
        if self.name_length > 1:
            return np.concatenate([[DUMMY], np.arange(SPECIAL, self.size)]).astype(np.int32)
        relations = np.arange(SPECIAL, self.first_subject)
        answers = np.arange(self.first_answer, self.size)
        return np.concatenate([[DUMMY], relations, answers]).astype(np.int32)

    def present(self, templates: int, subjects: int) -> Bool[np.ndarray, " token"]:
        """The tokens that are real where only so many templates and subjects are."""
        real = np.ones(self.size, bool)
        if self.name_length == 1:
            real[SPECIAL + templates : self.first_subject] = False
            real[self.first_subject + subjects : self.first_answer] = False
            real[self.first_answer + subjects :] = False
        return real

    def read(self) -> Bool[np.ndarray, " token"]:
        """The tokens a model ever reads: an answer of one token, and d, are only predicted."""
        seen = np.arange(self.size) < self.first_answer if self.name_length == 1 else np.ones(self.size, bool)
        seen[DUMMY] = False
        return seen

    def single_names(self) -> list[Int[np.ndarray, "name 1"]]:
        """The token of every relation, subject and answer, where a name is one token."""
        return self._by_kind(np.arange(SPECIAL, self.size, dtype=np.int32)[:, None])

    def spelled_names(self, stream: np.random.Generator) -> list[Int[np.ndarray, "name letter"]]:
        """A different random word of the alphabet for every relation, subject and answer."""
        words: dict[tuple[int, ...], None] = {}
        while len(words) < self.templates + 2 * self.subjects:
            words.setdefault(tuple(stream.integers(self.alphabet, size=self.name_length).tolist()))
        return self._by_kind(SPECIAL + np.array(list(words), np.int32))

    def _by_kind(self, names: np.ndarray) -> list[np.ndarray]:
        return np.split(names, [self.templates, self.templates + self.subjects])
