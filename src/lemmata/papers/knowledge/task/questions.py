"""Which questions fine-tuning asks: by subject or by tuple, so many subjects or those inside a set of templates."""

from dataclasses import dataclass
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from lemmata.core import Batch, Config, Count, require, to_jax
from lemmata.papers.knowledge.task.facts import Facts, FactsConfig, random_stream


@dataclass(frozen=True, kw_only=True)
class CoverageConfig(Config):
    """By default every subject of the fine-tuning half is asked about. Choices nest: more subjects contain fewer, a
    larger set of templates contains a smaller one."""

    split: Literal["subject", "tuple"] = "subject"  # "tuple" is the paper's; a question then lands in both halves
    subjects: Count | None = None  # at most so many of the fine-tuning half; None: all
    templates: Count | None = None  # only subjects all of whose templates are in the first so many; None: all subjects
    answers: Literal["true", "shuffled"] = "true"  # "shuffled" trains on another subject's answer: a control

    def cross_check(self) -> None:
        by_tuple = self.split == "tuple" and (self.subjects is not None or self.templates is not None)
        require(not by_tuple, "split", self.split, "'subject' where a number of subjects or templates is given")

    def check(self, facts: FactsConfig, where: str = "coverage") -> None:
        """Refuse what this world does not have."""
        allowed = f"None, or 1 to templates = {facts.templates}, the number there is"
        inside = self.templates is None or self.templates <= facts.templates
        require(inside, f"{where}.templates", self.templates, allowed)
        most = facts.subjects - facts.num_held_out
        inside = self.subjects is None or self.subjects <= most
        require(inside, f"{where}.subjects", self.subjects, f"None, or 1 to {most}, the subjects not held out")


class Questions(eqx.Module):
    """A fine-tuning set and what is held out from it."""

    facts: Facts
    asked: Int[Array, " entry"]  # the subject of each fine-tuning sample; entries from num_asked on are padding
    num_asked: Int[Array, ""]
    different: Int[Array, " subject"]  # the subjects asked about, each once, then padding
    share: Float[Array, " subject"]  # of the fine-tuning samples, that are about each of these; 0 for padding
    train_answers: Int[Array, " subject"]  # whose answer each subject's question is to give
    test: Float[Array, "subject slot"]  # 1 on each fact (subject and slot) that is held out
    covered: Bool[Array, " template"]  # templates of some subject that is asked about

    @classmethod
    def choose(cls, facts: Facts, config: CoverageConfig, seed: int) -> "Questions":
        n, held, k = int(facts.num_subjects), int(facts.num_held_out), int(facts.multiplicity)
        templates = np.asarray(facts.templates)[:n, :k]
        order = np.asarray(facts.subject_order)[:n]
        test = np.zeros(facts.templates.shape, np.float32)
        if config.split == "tuple":
            is_train = random_stream(seed, "questions").permutation(n * k) < (n * k) // 2
            asked = np.nonzero(is_train)[0] // k
            test[:n, :k] = ~is_train.reshape(n, k)
        else:
            asked = order[: n - held]
            if config.templates is not None:
                chosen = np.asarray(np.isin(templates, np.asarray(facts.template_order)[: config.templates]))
                asked = asked[np.all(chosen[asked], axis=1)]
            asked = asked[: config.subjects]
            test[order[n - held :], :k] = 1
        covered = np.zeros(facts.template_order.shape[0], bool)
        covered[templates[asked].ravel()] = True
        train_answers = np.arange(facts.subject_order.shape[0], dtype=np.int32)
        if config.answers == "shuffled":
            train_answers[:n] = np.roll(order, 1)[np.argsort(order)]  # nobody keeps the right one
        entries = np.zeros(facts.templates.size, np.int32)
        entries[: len(asked)] = asked
        different, share = np.zeros_like(train_answers), np.zeros(len(train_answers))
        once, times = np.unique(asked, return_counts=True)
        different[: len(once)], share[: len(once)] = once, times / max(len(asked), 1)
        arrays = (entries, np.int32(len(asked)), different, share, train_answers, test, covered)
        return cls(facts, *map(to_jax, arrays))

    def draw(self, num: int, *, key: Key[Array, ""]) -> Int[Array, " batch"]:
        """Subjects to ask about, uniform over the fine-tuning samples."""
        bits = jax.random.bits(key, (num,), jnp.uint32)
        return self.asked[bits % jnp.maximum(self.num_asked, 1).astype(jnp.uint32)]

    def sample(self, num: int, *, key: Key[Array, ""]) -> Batch:
        subjects = self.draw(num, key=key)
        return self.facts.question_batch(subjects, self.train_answers[subjects])

    @property
    def asked_subjects(self) -> Bool[Array, " subject"]:
        """Whether fine-tuning asks about a subject."""
        real = jnp.arange(self.asked.shape[0]) < self.num_asked
        nobody = jnp.zeros(self.train_answers.shape[0], bool)
        return nobody.at[jnp.where(real, self.asked, 2**30)].set(True, mode="drop")

    def leak(self) -> float:
        """The share of held-out facts whose very question is asked in fine-tuning: 0 when split by subject."""
        held_out = np.asarray(self.test)
        return float((held_out * np.asarray(self.asked_subjects)[:, None]).sum() / held_out.sum())
