"""The world of facts: N subjects with an answer each, K of |R| templates a subject (appendix, steps 39-45), in words
numbered o, p, d, then relations, subjects, answers, or the letters that spell these."""

from dataclasses import dataclass, field, replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from lemmata.core import AbstractTask, Batch, Config, Count, Inside, Several, named_generator, require, to_jax
from lemmata.core.config import UNSAID

START, ASK, DUMMY = 0, 1, 2  # o, which opens every sequence; p, which ends a question; d, the dummy that follows o
SPECIAL = 3


@dataclass(frozen=True)
class Vocabulary:
    """One token a name, or names spelled with `name_length` letters of one alphabet. Sizes count padding too."""

    templates: int
    subjects: int
    name_length: int = 1
    alphabet: int = 32
    opened: bool = True

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
        """The tokens that may follow a prefix, in order: d, then relations and answers (or the letters). Subjects, o
        and p are never predicted, so they need no neurons."""
        if self.name_length > 1:
            return np.concatenate([[DUMMY], np.arange(SPECIAL, self.size)]).astype(np.int32)
        relations = np.arange(SPECIAL, self.first_subject)
        answers = np.arange(self.first_answer, self.size)
        return np.concatenate([[DUMMY], relations, answers]).astype(np.int32)

    def read(self) -> Bool[np.ndarray, " token"]:
        """The tokens a model ever reads: an answer of one token, and d, are only predicted."""
        seen = np.arange(self.size) < self.first_answer if self.name_length == 1 else np.ones(self.size, bool)
        seen[DUMMY] = False
        seen[START] = self.opened
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


@dataclass(frozen=True, kw_only=True)
class FactsConfig(Config):
    """The pads make room for a larger world: the arrays grow, no number changes, and worlds of one shape share a
    compiled program."""

    subjects: Several = 200  # N
    templates: Count = 20  # |R|
    multiplicity: Count = 5  # K, templates a subject
    held_out: Inside = 0.5  # of the subjects, never asked about in fine-tuning (the paper's half)
    opened: bool = True  # every sequence begins with o, which d follows (the lemmas); steps 39-45 print neither
    name_length: Count = 1  # tokens a name; the paper's figures say "5-token data" without defining it
    phrase: Count = field(default=1, metadata=UNSAID)  # words of a template, its own; s, three of them, a are 5 tokens
    alphabet: Count = 32  # of spelled names
    pad_subjects: int | None = None
    pad_templates: int | None = None
    pad_multiplicity: int | None = None

    def cross_check(self) -> None:
        n, r, k = self.subjects, self.templates, self.multiplicity
        require(k <= r, "multiplicity", k, f"1 to templates = {r}: templates are drawn without replacement")
        require(1 <= self.num_held_out < n, "held_out", self.held_out, f"some, but not all, of {n} subjects")
        for name, pad, real in zip(("subjects", "templates", "multiplicity"), self.pads, (n, r, k), strict=True):
            require(pad is None or pad >= real, f"pad_{name}", pad, f"None, or at least {real}")
        require(self.phrase == 1 or self.name_length == 1, "phrase", self.phrase, "1 where names are spelled")
        if self.name_length > 1:
            allowed = f"enough letters for {r + 2 * n} different names of {self.name_length}, twice over"
            letters = min(self.name_length, 64)  # as many as are ever needed: a power of more takes forever
            require(self.alphabet**letters >= 2 * (r + 2 * n), "alphabet", self.alphabet, allowed)

    @property
    def pads(self) -> tuple[int | None, int | None, int | None]:
        return self.pad_subjects, self.pad_templates, self.pad_multiplicity

    @property
    def num_held_out(self) -> int:
        return round(self.held_out * self.subjects)

    def vocabulary(self) -> Vocabulary:
        """Of the padded world."""
        templates, subjects = (self.pad_templates or self.templates) * self.phrase, self.pad_subjects or self.subjects
        return Vocabulary(templates, subjects, self.name_length, self.alphabet, self.opened)

    def present(self) -> Bool[np.ndarray, " token"]:
        """The tokens of the padded vocabulary that are real."""
        words = self.vocabulary()
        real = np.ones(words.size, bool)
        real[DUMMY] = self.opened  # it follows o alone
        if self.name_length == 1:
            real[SPECIAL + self.templates * self.phrase : words.first_subject] = False
            real[words.first_subject + self.subjects : words.first_answer] = False
            real[words.first_answer + self.subjects :] = False
        return real


class Facts(AbstractTask):
    """The sizes are arrays, so one compiled program serves every world that fits the padded shape."""

    templates: Int[Array, "subject slot"]  # the K of each subject, by their first word; unused slots hold 0
    subject_order: Int[Array, " subject"]  # real subjects in split order (fine-tuning first), then padding
    template_order: Int[Array, " template"]  # the order in which templates are covered, then padding
    subject_names: Int[Array, "subject letter"]
    template_names: Int[Array, "template word"]
    answer_names: Int[Array, "subject letter"]
    num_subjects: Int[Array, ""]
    multiplicity: Int[Array, ""]
    num_held_out: Int[Array, ""]
    vocabulary: Vocabulary = eqx.field(static=True)

    @classmethod
    def create(cls, config: FactsConfig, seed: int) -> "Facts":
        """Drawn on the host at the real size, one stream a purpose, and padded afterwards."""
        n, r, k, phrase = config.subjects, config.templates, config.multiplicity, config.phrase
        words = config.vocabulary()
        if config.name_length == 1:
            relations, subjects, answers = words.single_names()
            following = np.arange(phrase)[None, :] + np.arange(len(relations))[:, None]
            relations = relations[np.minimum(following, len(relations) - 1), 0]
        else:
            real = replace(words, templates=r, subjects=n)
            relations, subjects, answers = real.spelled_names(random_stream(seed, "names"))
        drawn = phrase * np.argsort(random_stream(seed, "facts").random((n, r)), axis=1)[:, :k]
        order = phrase * random_stream(seed, "templates").permutation(r)
        arrays = (
            _grown(drawn, words.subjects, config.pad_multiplicity or k),
            np.append(random_stream(seed, "subjects").permutation(n), np.arange(n, words.subjects)),
            np.append(order, np.setdiff1d(np.arange(words.templates), order)),
            _grown(subjects, words.subjects, config.name_length),
            _grown(relations, words.templates, relations.shape[1]),
            _grown(answers, words.subjects, config.name_length),
            *(n, k, config.num_held_out),
        )
        return cls(*(to_jax(array, jnp.int32) for array in arrays), vocabulary=words)

    def draw(self, num: int, *, key: Key[Array, ""]) -> tuple[Int[Array, " batch"], Int[Array, " batch"]]:
        """Subjects and templates of `num` sentences, uniform over the N K facts."""
        bits = jax.random.bits(key, (2, num), jnp.uint32)
        subjects = (bits[0] % self.num_subjects.astype(jnp.uint32)).astype(jnp.int32)
        slots = (bits[1] % self.multiplicity.astype(jnp.uint32)).astype(jnp.int32)
        return subjects, self.templates[subjects, slots]

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        """Sentences `o s r a`: [o] is followed by d in training, [o s] by r, [o s r] by a; or `s r a` alone."""
        return self.sentences(*self.draw(num, key=key))

    def sentences(self, subjects: Int[Array, " batch"], templates: Int[Array, " batch"]) -> Batch:
        names = (self.subject_names[subjects], self.template_names[templates], self.answer_names[subjects])
        length = self.vocabulary.name_length
        last = sum(name.shape[1] for name in names)
        position = jnp.arange(last + 1)
        # A subject is given, not predicted: the loss is taken at o and wherever a letter of r or a comes next.
        mask = (position == 0) | ((position >= length) & (position < last))
        return self._batch(names, mask, dummy_first=True)

    def prefixes(self, subjects: Int[Array, " batch"]) -> Int[Array, "batch seq"]:
        """What is said before a relation: `o s`."""
        return self.question_batch(subjects).tokens[:, : self.vocabulary.name_length + self.vocabulary.opened]

    def prompts(self, subjects: Int[Array, " batch"]) -> Int[Array, "batch seq"]:
        """The questions alone: `o s p`."""
        return self.question_batch(subjects).tokens[:, : 2 * self.vocabulary.name_length + self.vocabulary.opened]

    def question_batch(self, subjects: Int[Array, " batch"], answers: Int[Array, " batch"] | None = None) -> Batch:
        """Questions `o s p a`, the loss on a alone; other `answers` than the subjects' own make wrong examples.
        The prompt is as long as a name: a decoder learns where an answer stands, here as in a sentence."""
        length = self.vocabulary.name_length
        ask = jnp.full((subjects.shape[0], length), ASK, jnp.int32)
        train_answers = self.answer_names[subjects if answers is None else answers]
        position = jnp.arange(3 * length + 1)
        mask = (position >= 2 * length) & (position < 3 * length)
        return self._batch((self.subject_names[subjects], ask, train_answers), mask, dummy_first=False)

    def _batch(self, names: tuple[Int[Array, "batch _"], ...], mask: Array, *, dummy_first: bool) -> Batch:
        start = jnp.full((names[0].shape[0], 1), START, jnp.int32)
        tokens = jnp.concatenate([start, *names], axis=1)
        following = jnp.concatenate([tokens[:, 1:], jnp.zeros_like(start)], axis=1)
        targets = following.at[:, 0].set(DUMMY) if dummy_first else following
        whole = tokens, targets, jnp.broadcast_to(mask, tokens.shape)
        return Batch(*(part if self.vocabulary.opened else part[:, 1:] for part in whole))


def _grown(array: np.ndarray, *shape: int) -> np.ndarray:
    return np.pad(array, [(0, size - real) for size, real in zip(shape, array.shape, strict=True)])


def random_stream(seed: int, *purpose: str) -> np.random.Generator:
    return named_generator(seed, "knowledge", *purpose)
