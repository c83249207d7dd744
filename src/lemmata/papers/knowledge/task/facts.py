"""The world of facts: N subjects with an answer each, told through K of |R| templates (appendix, steps 39-45)."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from lemmata.core import AbstractTask, Batch, Config, Count, Inside, Several, named_integer, require
from lemmata.papers.knowledge.task.vocabulary import ASK, DUMMY, START, Vocabulary


@dataclass(frozen=True, kw_only=True)
class FactsConfig(Config):
    """The pads make room for a larger world: the arrays grow, no number changes, and worlds of one shape share a
    compiled program."""

    subjects: Several = 200  # N
    templates: Count = 20  # |R|
    multiplicity: Count = 5  # K, templates a subject
    held_out: Inside = 0.5  # of the subjects, never asked about in fine-tuning (the paper's half)
    name_length: Count = 1  # tokens a name; the paper's figures say "5-token data" without defining it
    alphabet: Count = 32  # of spelled names
    pad_subjects: int | None = None
    pad_templates: int | None = None
    pad_multiplicity: int | None = None

    def cross_check(self) -> None:
        n, r, k = self.subjects, self.templates, self.multiplicity
        require(k <= r, "multiplicity", k, f"1 to templates = {r}: templates are drawn without replacement")
        require(1 <= self.num_held_out < n, "held_out", self.held_out, f"some, but not all, of {n} subjects")
        for name, pad, real in (
            ("pad_subjects", self.pad_subjects, n),
            ("pad_templates", self.pad_templates, r),
            ("pad_multiplicity", self.pad_multiplicity, k),
        ):
            require(pad is None or pad >= real, name, pad, f"None, or at least {real}")
            require(pad is None or self.name_length == 1, name, pad, "None where names are spelled")
        if self.name_length > 1:
            allowed = f"enough letters for {r + 2 * n} different names of {self.name_length}, twice over"
            require(self.alphabet**self.name_length >= 2 * (r + 2 * n), "alphabet", self.alphabet, allowed)

    @property
    def num_held_out(self) -> int:
        return round(self.held_out * self.subjects)

    def vocabulary(self) -> Vocabulary:
        """Of the padded world."""
        templates, subjects = self.pad_templates or self.templates, self.pad_subjects or self.subjects
        return Vocabulary(templates, subjects, self.name_length, self.alphabet)

    def present(self) -> Bool[np.ndarray, " token"]:
        """The tokens of the padded vocabulary that are real."""
        return self.vocabulary().present(self.templates, self.subjects)


class Facts(AbstractTask):
    """The sizes are arrays, so one compiled program serves every world that fits the padded shape."""

    templates: Int[Array, "subject slot"]  # the K templates of each subject; unused slots hold 0
    subject_order: Int[Array, " subject"]  # real subjects in split order (fine-tuning first), then padding
    template_order: Int[Array, " template"]  # the order in which templates are covered, then padding
    subject_names: Int[Array, "subject letter"]
    template_names: Int[Array, "template letter"]
    answer_names: Int[Array, "subject letter"]
    num_subjects: Int[Array, ""]
    num_templates: Int[Array, ""]
    multiplicity: Int[Array, ""]
    num_held_out: Int[Array, ""]
    vocabulary: Vocabulary = eqx.field(static=True)

    @classmethod
    def create(cls, config: FactsConfig, seed: int) -> "Facts":
        """Drawn on the host at the real size, one stream a purpose, and padded afterwards."""
        n, r, k = config.subjects, config.templates, config.multiplicity
        vocabulary = config.vocabulary()
        subjects = _stream(seed, "subjects").permutation(n)
        templates = _stream(seed, "templates").permutation(r)
        chance = _stream(seed, "facts").random((n, r))
        drawn = np.zeros((vocabulary.subjects, config.pad_multiplicity or k), np.int32)
        drawn[:n, :k] = np.argsort(chance, axis=1)[:, :k]
        spelled = config.name_length > 1
        names = vocabulary.spelled_names(_stream(seed, "names")) if spelled else vocabulary.single_names()
        return cls(
            jnp.asarray(drawn),
            jnp.asarray(_padded(subjects, vocabulary.subjects)),
            jnp.asarray(_padded(templates, vocabulary.templates)),
            jnp.asarray(names["subject"]),
            jnp.asarray(names["relation"]),
            jnp.asarray(names["answer"]),
            jnp.asarray(n, jnp.int32),
            jnp.asarray(r, jnp.int32),
            jnp.asarray(k, jnp.int32),
            jnp.asarray(config.num_held_out, jnp.int32),
            vocabulary,
        )

    def draw(self, num: int, *, key: Key[Array, ""]) -> tuple[Int[Array, " batch"], Int[Array, " batch"]]:
        """Subjects and templates of `num` sentences, uniform over the N K facts."""
        bits = jax.random.bits(key, (2, num), jnp.uint32)
        subjects = (bits[0] % self.num_subjects.astype(jnp.uint32)).astype(jnp.int32)
        slots = (bits[1] % self.multiplicity.astype(jnp.uint32)).astype(jnp.int32)
        return subjects, self.templates[subjects, slots]

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        """Sentences `o s r a`: [o] is followed by d in training, [o s] by r, [o s r] by a."""
        return self.sentences(*self.draw(num, key=key))

    def sentences(self, subjects: Int[Array, " batch"], templates: Int[Array, " batch"]) -> Batch:
        names = (self.subject_names[subjects], self.template_names[templates], self.answer_names[subjects])
        length = self.vocabulary.name_length
        position = jnp.arange(3 * length + 1)
        # A subject is given, not predicted: the loss is taken at o and wherever a letter of r or a comes next.
        mask = (position == 0) | ((position >= length) & (position < 3 * length))
        return _batch(names, mask, dummy_first=True)

    def prompts(self, subjects: Int[Array, " batch"]) -> Int[Array, "batch seq"]:
        """The questions alone: `o s p`."""
        return self.question_batch(subjects).tokens[:, : self.vocabulary.name_length + 2]

    def question_batch(self, subjects: Int[Array, " batch"], answers: Int[Array, " batch"] | None = None) -> Batch:
        """Questions `o s p a`, the loss on a alone; other `answers` than the subjects' own make a wrong lesson."""
        ask = jnp.full((subjects.shape[0], 1), ASK, jnp.int32)
        taught = self.answer_names[subjects if answers is None else answers]
        position = jnp.arange(2 * self.vocabulary.name_length + 2)
        mask = (position > self.vocabulary.name_length) & (position < len(position) - 1)
        return _batch((self.subject_names[subjects], ask, taught), mask, dummy_first=False)


def _batch(names: tuple[Int[Array, "batch _"], ...], mask: Array, *, dummy_first: bool) -> Batch:
    start = jnp.full((names[0].shape[0], 1), START, jnp.int32)
    tokens = jnp.concatenate([start, *names], axis=1)
    following = jnp.concatenate([tokens[:, 1:], jnp.zeros_like(start)], axis=1)
    targets = following.at[:, 0].set(DUMMY) if dummy_first else following
    return Batch(tokens, targets, jnp.broadcast_to(mask, tokens.shape))


def _stream(seed: int, purpose: str) -> np.random.Generator:
    return np.random.default_rng(named_integer(seed, "knowledge", purpose))


def _padded(order: Int[np.ndarray, " real"], size: int) -> Int[np.ndarray, " padded"]:
    return np.concatenate([order, np.arange(len(order), size)]).astype(np.int32)
