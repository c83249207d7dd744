"""What the experimental model learns from: sentences with true answers or with its own (equation 9, Definition 5.1),
and Adam on the next-clause loss (6a)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, PyTree

from lemmata.core import Metrics, platform, require
from lemmata.papers.lego.model import AbstractReasoner, ExperimentalReasoner, learned, rollout
from lemmata.papers.lego.task import Lego
from lemmata.train import AdamWConfig, Descent

TOKEN = jnp.int16  # holds every vocabulary of this paper in half the memory
WRITTEN_TOGETHER = {"cpu": 100}  # sentences whose keys and values a core's cache can hold


class SentenceSet(eqx.Module):
    """A finite set of sentences with whatever answers they were given. Steps draw from it uniformly."""

    clauses: Int[Array, "sentence clauses 5"]

    @classmethod
    def draw(cls, task: Lego, num: int, length: int, *, key: Key[Array, ""], chunk: int = 1000) -> "SentenceSet":
        """`num` sentences with their true answers. The n-th depends on the key, the length and n alone."""
        require(num >= 1, "num", num, "at least 1 sentence")

        def some(part: Int[Array, ""]) -> Int[Array, "chunk clauses 5"]:
            return task.draw(chunk, key=jax.random.fold_in(key, part), length=length).astype(TOKEN)

        drawn = jax.lax.map(some, jnp.arange(-(-num // chunk)))
        return cls(drawn.reshape(-1, *drawn.shape[2:])[:num])

    def batch(self, num: int, *, key: Key[Array, ""]) -> Int[Array, "batch clauses 5"]:
        return self.clauses[_below(key, num, jnp.asarray(len(self.clauses)))].astype(jnp.int32)


class FirstSentences(eqx.Module):
    """The first few sentences of a set. Their number is an array, so sets of many sizes share a program."""

    clauses: Int[Array, "sentence clauses 5"]
    count: Int[Array, ""]

    def batch(self, num: int, *, key: Key[Array, ""]) -> Int[Array, "batch clauses 5"]:
        return self.clauses[_below(key, num, self.count)].astype(jnp.int32)


Sentences = SentenceSet | FirstSentences


def _below(key: Key[Array, ""], num: int, limit: Int[Array, ""]) -> Int[Array, " num"]:
    """The numbers of `jax.random.randint(key, (num,), 0, limit)`, whose two draws are made in one: on a CPU a generator
    is a loop, and takes as long for both."""
    high, low = jax.vmap(lambda half: jax.random.bits(half, (num,), jnp.uint32))(jax.random.split(key))
    span = limit.astype(jnp.uint32)
    carried = (2**16 % span) ** 2 % span
    return ((high % span * carried + low % span) % span).astype(jnp.int32)


def written_answers(model: AbstractReasoner, sentences: SentenceSet, *, most: int | None = None) -> SentenceSet:
    """The same predicates and first answers, all later answers rolled out greedily by `model`, at most so many at a
    time."""
    num, clauses, _ = sentences.clauses.shape
    length = (clauses - 1) // 2
    parts = -(-num // (most or WRITTEN_TOGETHER.get(platform(), 1000)))
    chunk = -(-num // parts)
    padded = jnp.pad(sentences.clauses, ((0, parts * chunk - num), (0, 0), (0, 0)), mode="wrap")

    def some(part: Int[Array, "chunk clauses 5"]) -> Int[Array, "chunk clauses 5"]:
        given = part[:, : length + 1].astype(jnp.int32)
        return jax.vmap(lambda one: rollout(model, one, length))(given).astype(part.dtype)

    written = jax.lax.map(some, padded.reshape(parts, chunk, clauses, 5))
    return SentenceSet(written.reshape(-1, clauses, 5)[:num])


def label_quality(written: SentenceSet, true: SentenceSet) -> dict[str, Float[Array, ""]]:
    """The shares of right labels: of values, of whole clauses, of sentences with every label right."""
    length = (true.clauses.shape[1] - 1) // 2
    same = written.clauses[:, -length:] == true.clauses[:, -length:]
    both = jnp.all(same, axis=-1)
    return {"values": jnp.mean(same[..., 4]), "clauses": jnp.mean(both), "sentences": jnp.mean(jnp.all(both, axis=1))}


def next_clause_loss(model: ExperimentalReasoner, clauses: Int[Array, "batch clauses 5"]) -> Float[Array, ""]:
    """Equation (6a) a step of the chain: the nll of the variable and the value of every answer after the first."""
    return jnp.sum(jnp.mean(model.nll(clauses), axis=(0, 1)))


class NextClauses(eqx.Module):
    """The objective: the next-clause loss on `size` sentences of the task's set."""

    size: int = eqx.field(static=True)

    def __call__(self, moving: PyTree, fixed: PyTree, task: Sentences, key: Key[Array, ""]) -> tuple[Metrics, PyTree]:
        clauses = task.batch(self.size, key=key)
        loss, gradient = jax.value_and_grad(lambda part: next_clause_loss(eqx.combine(part, fixed), clauses))(moving)
        return {"loss": loss}, gradient


def next_clause_adam(size: int, learning_rate: float, decay: float = 0.0) -> Descent:
    """Adam, with decoupled weight decay if asked for, on batches of `size` sentences."""
    return Descent(NextClauses(size), learned, AdamWConfig(weight_decay=decay), learning_rate)
