"""Runs that question the constructed memory, and that try to do without the relation (Lemmas 3.1 and B.1)."""

from dataclasses import dataclass
from typing import Annotated, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import Bound, Count, Positive, RunConfig, RunContext, RunOutput, Some, named_key, precision, require
from lemmata.papers.ic_recall.model import DenseTransformer, KeyQuery, Vocabulary, associative_memory, orthonormal
from lemmata.papers.ic_recall.task import AllBijections, WorldConfig, stored

DIRECTIONS = ("answer", "relation", "subject")
# Logits are sums of at most a few hundred products of numbers up to 4, in float64.
ROUNDING = 1e-11
LARGEST = 2**27  # numbers in one array


@dataclass(frozen=True, kw_only=True)
class MemoryRecall(RunConfig):
    """Every fact of a world asked in all three directions, over the whole vocabulary; then again with the three hidden
    units of one (s, a) pair silenced."""

    kind = "ic-recall/memory"

    world: WorldConfig
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        table = self.world.draw(self.seed).table
        m, n = table.shape
        vocabulary = Vocabulary(n, m)
        cells = max(3 * n * n, m * n) * vocabulary.size
        require(cells <= LARGEST, "world.n", n, f"{cells} weights or logits; at most {LARGEST} are computed at once")
        with precision("float64"):
            embeddings = orthonormal(vocabulary.size, vocabulary.size, named_key(self.seed, "embeddings"))
            memory = associative_memory(jnp.asarray(table), embeddings)
            units = np.arange(3) * n * n + int(table[0, 0])  # those of the pair (s, a) = (0, r_0(0))
            broken = eqx.tree_at(lambda whole: whole.read, memory, memory.read.at[:, units].set(0.0))
            rows: list[dict[str, Any]] = []
            for state, subject in (("whole", memory), ("broken", broken)):
                ask = jax.jit(jax.vmap(lambda x, f=subject: embeddings @ f(x)))
                for direction in DIRECTIONS:
                    asked = {"memory": state, "direction": direction}
                    rows += [asked | row for row in _answers(ask, embeddings, table, direction)]
        return RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]})


def _answers(ask: Any, embeddings: Any, table: np.ndarray, direction: str) -> list[dict[str, Any]]:
    """What share of the facts is recalled, and the range of logits, for each kind of token."""
    m, n = table.shape
    vocabulary = Vocabulary(n, m)
    relation, subject = (part.ravel() for part in np.indices((m, n)))
    tokens = {"subject": subject, "answer": n + table.ravel(), "relation": 2 * n + relation}
    first, second = (tokens[name] for name in DIRECTIONS if name != direction)
    logits = np.asarray(ask(embeddings[first] + embeddings[second]))
    right = np.zeros(logits.shape, bool)
    if direction == "relation":  # every relation that maps s to a is a right answer
        right[:, vocabulary.relations] = table.ravel()[:, None] == table[:, subject].T
    else:
        right[np.arange(len(logits)), tokens[direction]] = True
    best = logits >= logits.max(axis=1, keepdims=True) - ROUNDING
    recalled = float((best == right).all(axis=1).mean())
    rows = []
    for kind in ("subjects", "answers", "relations"):
        part = getattr(vocabulary, kind)
        for wanted in (True, False):
            values = logits[:, part][right[:, part] == wanted]
            if values.size:
                found = {"smallest": values.min(), "largest": values.max(), "recalled": recalled, "facts": m * n}
                rows.append({"logit_of": _name(direction, kind, wanted), **found})
    return rows


def _name(direction: str, kind: str, right: bool) -> str:
    if kind.rstrip("s") != direction:
        return kind
    if right:
        return "fitting relations" if direction == "relation" else f"the {direction}"
    return f"other {kind}"


@dataclass(frozen=True, kw_only=True)
class DirectDecoding(RunConfig):
    """Answers read at EoS, without the relation, for random full W^KQ: the largest accuracy and spread over draws."""

    kind = "ic-recall/direct-decoding"

    n: Annotated[int, Bound(least=3, most=5)] = 3
    draws: Count = 50
    temperature: Positive = 0.05
    scales: Some[float] = (0.1, 1.0, 10.0)
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        world = AllBijections(n=self.n).draw(self.seed)
        sequences = world.sequences(36, 2, seed=self.seed, name="direct decoding")
        with precision("float64"):
            batch = stored(world, sequences).batch
            model = DenseTransformer.constructed(world.table, 2, named_key(self.seed, "embeddings"))
            width = model.key_query.matrix().shape[0]

            @eqx.filter_jit
            def read(matrix: jax.Array) -> tuple[jax.Array, ...]:
                tried = eqx.tree_at(lambda m: m.key_query, model, KeyQuery.split(matrix, 7))
                direct = jax.vmap(tried.direct_answer_logits)(batch.tokens)
                stepped = jax.vmap(tried.answer_logits)(batch.tokens)
                truth = (batch.targets[:, -1] - self.n)[:, None]
                spread = (direct.max(axis=1) - direct.min(axis=1)).max()

                def accuracy(logits: jax.Array) -> tuple[jax.Array, jax.Array]:
                    tied = logits >= logits.max(axis=1, keepdims=True) - ROUNDING
                    greedy = jnp.take_along_axis(tied / tied.sum(axis=1, keepdims=True), truth, axis=1).max()
                    likely = jnp.take_along_axis(jax.nn.softmax(logits / self.temperature), truth, axis=1).max()
                    return greedy, likely

                return (spread, *accuracy(direct), *accuracy(stepped))

            draws = [
                scale * jax.random.normal(jax.random.fold_in(named_key(self.seed, "draws"), i), (width, width))
                for scale in self.scales
                for i in range(self.draws)
            ]
            values = np.array([[float(x) for x in read(matrix)] for matrix in draws])
        names = ("spread", "direct_argmax", "direct_probability", "stepped_argmax", "stepped_probability")
        return RunOutput({"scale": np.repeat(self.scales, self.draws), **dict(zip(names, values.T, strict=True))})
