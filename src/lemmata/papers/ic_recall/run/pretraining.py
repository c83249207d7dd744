"""Pre-train the whole transformer on fact triplets, then fine-tune W^KQ with the MLP frozen (Section 5, Figure 4)."""

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from lemmata.core import (
    Batch,
    Count,
    Metrics,
    Positive,
    RunConfig,
    RunContext,
    RunOutput,
    Some,
    named_key,
    precision,
    require,
    to_jax,
)
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    FrozenTransformer,
    KeyQuery,
    both_attentions,
    frozen,
    full_key_query,
    whole_transformer,
)
from lemmata.papers.ic_recall.run.problems import FineTuning, best_accuracy, chain_of_thought_loss, train_all
from lemmata.papers.ic_recall.task import (
    RandomBijections,
    Sequences,
    TableWorld,
    TripletPairs,
    check_pairs,
    every_pair,
    stored,
)
from lemmata.train import Autodiff, Batches, Descent, masked_cross_entropy, only, unstack

DIRECTIONS = ("subject", "answer", "relation")


@dataclass(frozen=True, kw_only=True)
class PretrainThenFineTune(RunConfig):
    """One transformer a seed: its own world, embeddings, initial MLP and data."""

    kind = "ic-recall/pretrain"

    world: RandomBijections
    k: int = 2
    temperature: Positive = 0.05
    hidden: Count = 512  # the construction needs 3 |S| |A| = 192
    initial_scale: Positive = 1.0  # of the MLP: directions that pre-training never visits (EoS) keep their noise
    batch: Count = 512
    pretrain_steps: Count = 2000
    sequences: Count = 128
    steps: Count = 3000
    rate: Positive = 1e-3
    restart_attention: bool = False  # fine-tune from W^KQ = 0, or (as the paper) from what pre-training left there
    records: Count = 10
    test_sequences: Count = 500
    seeds: Some[int] = (0,)

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")

    def execute(self, context: RunContext) -> RunOutput:
        worlds = [self.world.draw(seed) for seed in self.seeds]
        train, test = (
            [world.sequences(num, self.k, seed=seed, name=name) for world, seed in zip(worlds, self.seeds, strict=True)]
            for num, name in ((self.sequences, "train"), (self.test_sequences, "test"))
        )
        with precision("float32"):
            blank = [self._untrained(seed) for seed in self.seeds]
            algorithm = Descent(Batches(_pair_loss, self.batch), only(whole_transformer), optax.adam, self.rate)
            pairs = [TripletPairs(world) for world in worlds]
            how: dict[str, Any] = {"steps": self.pretrain_steps, "every": self.pretrain_steps, "context": context}
            trained, before = train_all(algorithm, pairs, blank, self.seeds, "pre-training", **how)
            problems = [
                FineTuning(stored(world, shown).batch, self.temperature, stored(world, held_out).batch)
                for world, shown, held_out in zip(worlds, train, test, strict=True)
            ]
            models = unstack(trained)
            algorithm = Descent(Autodiff(chain_of_thought_loss), only(full_key_query), optax.adam, self.rate)
            ready = [self._ready(model) for model in models]
            how = {"steps": self.steps, "every": self.steps // self.records, "probe": _probe, "context": context}
            _, found = train_all(algorithm, problems, ready, self.seeds, "fine-tuning", **how)
            once = {"ceiling": list(map(best_accuracy, worlds, test))}
            for when, asked in (("recalled", models), ("untrained", blank)):
                shares = list(map(_recalled, asked, worlds))
                once |= {f"{when}_{name}": [share[name] for share in shares] for name in DIRECTIONS}
        found["first_fitting"] = np.array(list(map(_fitting, found["relation"], worlds, test)))
        names = ("loss", "first_argmax", "first_fitting", "second_argmax")
        table = found.table(names=names, seed=self.seeds, pretraining_loss=before["loss"][:, -1], **once)
        return RunOutput(table, {name: found[name] for name in ("first_attention", "second_attention")})

    def _untrained(self, seed: int) -> DenseTransformer:
        world = self.world
        model = DenseTransformer.untrained(world.n, world.relations, self.k, self.hidden, named_key(seed, "init"))
        scaled = jax.tree.map(lambda weights: self.initial_scale * weights, model.memory)
        return eqx.tree_at(lambda m: m.memory, model, scaled)

    def _ready(self, model: DenseTransformer) -> FrozenTransformer:
        """For fine-tuning: the MLP frozen, and attention restarted."""
        if not self.restart_attention:
            return frozen(model)
        zero = KeyQuery.zeros(2 * self.k + 3, model.vocabulary.size)
        return eqx.tree_at(lambda m: m.key_query, frozen(model), zero)


def _fitting(decoded: np.ndarray, world: TableWorld, test: Sequences) -> list[float]:
    """How often the decoded relation fits the context, whether or not it is the one the sequence was made from."""
    subjects, answers = test.subjects[:, :-1], test.answers[:, :-1]
    return [(world.table[row[:, None], subjects] == answers).all(axis=1).mean() for row in decoded]


def _pair_loss(model: DenseTransformer, batch: Batch) -> Float[Array, ""]:
    logits = jax.vmap(lambda tokens: _third(model, tokens))(batch.tokens)
    return masked_cross_entropy(logits[:, None], batch.targets[:, 1:], batch.mask[:, 1:])


def _third(model: DenseTransformer, tokens: Int[Array, " seq"]) -> Float[Array, " vocab"]:
    """Logits of the missing element of a triplet, over the whole vocabulary, at temperature 1."""
    return model.logits_at(tokens, 1, model.vocabulary.everything)


@eqx.filter_jit
def _guesses(model: DenseTransformer, tokens: Int[Array, "questions 2"]) -> Int[Array, " questions"]:
    return jnp.argmax(jax.vmap(lambda pair: _third(model, pair))(tokens), axis=1)


def _recalled(model: DenseTransformer, world: TableWorld) -> dict[str, float]:
    """The share of questions answered rightly, by what is missing; of several right relations any one counts."""
    shares = {}
    for name, (tokens, right) in every_pair(world.table).items():
        guesses = np.asarray(_guesses(model, to_jax(tokens)))
        shares[name] = float(right[np.arange(len(guesses)), guesses].mean())
    return shares


def _probe(model: FrozenTransformer, task: FineTuning, key: Key[Array, ""]) -> Metrics:
    tokens, targets, start = task.test.tokens, task.test.targets, model.vocabulary
    relation = jnp.argmax(jax.vmap(model.relation_logits)(tokens), axis=1)
    answer = jnp.argmax(jax.vmap(model.answer_logits)(tokens), axis=1)
    first, second = both_attentions(model, tokens)
    return {
        "first_argmax": jnp.mean(relation == targets[:, -2] - start.relations.start),
        "second_argmax": jnp.mean(answer == targets[:, -1] - start.answers.start),
        "relation": relation,
        "first_attention": jnp.mean(first, axis=0),
        "second_attention": jnp.mean(second, axis=0),
    }
