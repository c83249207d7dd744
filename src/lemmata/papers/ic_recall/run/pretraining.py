"""Pre-train the whole transformer on fact triplets, then fine-tune W^KQ with the MLP frozen (Section 5, Figure 4)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import Batch, Metrics, RunConfig, RunContext, RunOutput, named_key, precision, require
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    FrozenTransformer,
    KeyQuery,
    frozen,
    full_key_query,
    token_loss,
    whole_transformer,
)
from lemmata.papers.ic_recall.task import (
    RandomBijections,
    TableWorld,
    TripletPairs,
    check_pairs,
    correct_pattern,
    every_pair,
    stored,
)
from lemmata.train import Adam, fit_many, masked_cross_entropy, stack

DIRECTIONS = ("subject", "answer", "relation")


class Pretraining(eqx.Module):
    task: TripletPairs
    batch: int = eqx.field(static=True)


class FrozenProblem(eqx.Module):
    train: Batch
    test: Batch
    temperature: Float[Array, "*replica"]


@dataclass(frozen=True, kw_only=True)
class PretrainThenFineTune(RunConfig):
    """One transformer a seed: its own world, embeddings, initial MLP and data."""

    kind: ClassVar[str] = "ic-recall/pretrain"

    world: RandomBijections
    k: int = 2
    temperature: float = 0.05
    hidden: int = 512  # the construction needs 3 |S| |A| = 192
    initial_scale: float = 1.0  # of the MLP: directions that pre-training never visits (EoS) keep their initial noise
    batch: int = 512
    pretrain_steps: int = 2000
    sequences: int = 128
    steps: int = 3000
    rate: float = 1e-3
    restart_attention: bool = True  # fine-tune from W^KQ = 0, or from what pre-training left there
    records: int = 10
    test_sequences: int = 500
    seeds: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        require(self.temperature > 0, "temperature", self.temperature, "above 0")
        check_pairs(self.k, self.world.n)
        for name in ("hidden", "batch", "pretrain_steps", "sequences", "records", "test_sequences"):
            require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")
        require(self.rate > 0, "rate", self.rate, "above 0")
        require(self.initial_scale > 0, "initial_scale", self.initial_scale, "above 0")
        require(len(self.seeds) >= 1, "seeds", self.seeds, "at least one")

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float32"):
            worlds = [self.world.draw(seed) for seed in self.seeds]
            blank = [self._untrained(seed) for seed in self.seeds]
            untrained = [_recalled(model, world) for model, world in zip(blank, worlds, strict=True)]
            models, surprise = self._pretrain(blank, worlds, context)
            recalled = [_recalled(model, world) for model, world in zip(models, worlds, strict=True)]
            found = self._fine_tune(models, worlds, context)
        records = self.records + 1
        metrics = {
            "seed": np.repeat(self.seeds, records),
            "step": np.tile(np.arange(records) * (self.steps // self.records), len(self.seeds)),
            "ceiling": np.repeat(
                [self._ceiling(world, seed) for world, seed in zip(worlds, self.seeds, strict=True)], records
            ),
            **{name: found[name].ravel() for name in ("loss", "first_argmax", "first_fitting", "second_argmax")},
        }
        for name in DIRECTIONS:
            metrics[f"recalled_{name}"] = np.repeat([values[name] for values in recalled], records)
            metrics[f"untrained_{name}"] = np.repeat([values[name] for values in untrained], records)
        metrics["pretraining_loss"] = np.repeat(surprise, records)
        return RunOutput(metrics, {name: found[name] for name in ("first_attention", "second_attention")})

    def _untrained(self, seed: int) -> DenseTransformer:
        world = self.world
        model = DenseTransformer.untrained(world.n, world.relations, self.k, self.hidden, named_key(seed, "init"))
        scaled = jax.tree.map(lambda weights: self.initial_scale * weights, model.memory)
        return eqx.tree_at(lambda m: m.memory, model, scaled)

    def _pretrain(
        self, models: list[DenseTransformer], worlds: list[TableWorld], context: RunContext
    ) -> tuple[list[DenseTransformer], np.ndarray]:
        algorithm = Adam(_pair_loss, whole_transformer, self.rate)
        state, metrics = fit_many(
            algorithm,
            stack([Pretraining(TripletPairs(world), self.batch) for world in worlds]),
            stack([algorithm.init(model) for model in models]),
            jnp.stack([named_key(seed, "pre-training") for seed in self.seeds]),
            steps=self.pretrain_steps,
            every=self.pretrain_steps,
            context=context,
            stage="pre-training",
        )
        dynamic, static = eqx.partition(state.model, eqx.is_array)
        trained = [eqx.combine(jax.tree.map(lambda a, i=i: a[i], dynamic), static) for i in range(len(models))]
        return trained, metrics["loss"][:, -1]

    def _fine_tune(
        self, models: list[DenseTransformer], worlds: list[TableWorld], context: RunContext
    ) -> dict[str, np.ndarray]:
        algorithm = Adam(_frozen_loss, full_key_query, self.rate)
        problems, states = [], []
        for model, world, seed in zip(models, worlds, self.seeds, strict=True):
            ready = frozen(model)
            if self.restart_attention:
                zero = KeyQuery.zeros(2 * self.k + 3, self.world.n * 2 + self.world.relations + 1)
                ready = eqx.tree_at(lambda m: m.key_query, ready, zero)
            states.append(algorithm.init(ready))
            train = world.sequences(self.sequences, self.k, seed=seed, name="train")
            batches = (stored(world, train).batch, stored(world, self._test(world, seed)).batch)
            problems.append(FrozenProblem(*batches, jnp.asarray(self.temperature)))
        keys = jnp.stack([named_key(seed, "fine-tuning") for seed in self.seeds])
        _, found = fit_many(
            algorithm,
            stack(problems),
            stack(states),
            keys,
            steps=self.steps,
            every=self.steps // self.records,
            probe=_probe,
            context=context,
            stage="fine-tuning",
        )
        return found | {"first_fitting": self._fitting(found["relation"], worlds)}

    def _test(self, world: TableWorld, seed: int) -> Any:
        return world.sequences(self.test_sequences, self.k, seed=seed, name="test")

    def _ceiling(self, world: TableWorld, seed: int) -> float:
        counts = world.counts(self._test(world, seed))
        return float(np.mean(1 / counts[:, correct_pattern(self.k)]))

    def _fitting(self, decoded: np.ndarray, worlds: list[TableWorld]) -> np.ndarray:
        """How often the decoded relation fits the context, whether or not it is the one the sequence was made from."""
        shares = []
        for picks, world, seed in zip(decoded, worlds, self.seeds, strict=True):
            test = self._test(world, seed)
            subjects, answers = test.subjects[:, :-1], test.answers[:, :-1]
            shares.append([(world.table[row[:, None], subjects] == answers).all(axis=1).mean() for row in picks])
        return np.array(shares)


def _pair_loss(model: DenseTransformer, task: Pretraining, key: Key[Array, ""]) -> Float[Array, ""]:
    batch = task.task.sample(task.batch, key=key)
    logits = jax.vmap(lambda tokens: _third(model, tokens))(batch.tokens)
    return masked_cross_entropy(logits[:, None], batch.targets[:, 1:], batch.mask[:, 1:])


def _third(model: DenseTransformer, tokens: Int[Array, " seq"]) -> Float[Array, " vocab"]:
    """Logits of the missing element of a triplet, over the whole vocabulary, at temperature 1."""
    return model.recall(tokens, model.attention_at(tokens, 1), slice(0, model.vocabulary.size))


@eqx.filter_jit
def _guesses(model: DenseTransformer, tokens: Int[Array, "questions 2"]) -> Int[Array, " questions"]:
    return jnp.argmax(jax.vmap(lambda pair: _third(model, pair))(tokens), axis=1)


def _recalled(model: DenseTransformer, world: TableWorld) -> dict[str, float]:
    """The share of questions answered rightly, by what is missing; of several right relations any one counts."""
    shares = {}
    for name, (tokens, right) in every_pair(world.table).items():
        guesses = np.asarray(_guesses(model, jnp.asarray(tokens)))
        shares[name] = float(right[np.arange(len(guesses)), guesses].mean())
    return shares


def _frozen_loss(model: FrozenTransformer, task: FrozenProblem, key: Key[Array, ""]) -> Float[Array, ""]:
    first, second = token_loss(model, task.train.tokens, task.train.targets, task.temperature)
    return first + second


def _probe(model: FrozenTransformer, task: FrozenProblem, key: Key[Array, ""]) -> Metrics:
    tokens, targets = task.test.tokens, task.test.targets
    last = tokens.shape[1] - 1
    relation = jnp.argmax(jax.vmap(model.relation_logits)(tokens), axis=1)
    answer = jnp.argmax(jax.vmap(model.answer_logits)(tokens), axis=1)
    start = model.vocabulary
    return {
        "first_argmax": jnp.mean(relation == targets[:, -2] - start.relations.start),
        "second_argmax": jnp.mean(answer == targets[:, -1] - start.answers.start),
        "relation": relation,
        "first_attention": jnp.mean(jax.vmap(lambda t: model.attention_at(t, last - 1))(tokens), axis=0),
        "second_attention": jnp.mean(jax.vmap(lambda t: model.attention_at(t, last))(tokens), axis=0),
    }
