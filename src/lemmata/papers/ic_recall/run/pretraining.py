"""Pre-train the whole transformer on fact triplets, then fine-tune W^KQ with the MLP frozen (Section 5, Figure 4)."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key

from lemmata import core
from lemmata.papers.ic_recall.model import (
    DenseTransformer,
    KeyQuery,
    Recalled,
    both_attentions,
    full_key_query,
    pair_logits,
    recalled,
    recalled_logits,
    whole_transformer,
)
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning
from lemmata.papers.ic_recall.run.train_all import train_all
from lemmata.papers.ic_recall.task import (
    RandomBijections,
    Sequences,
    TableWorld,
    TripletPairs,
    check_pairs,
    every_pair,
    stored,
)
from lemmata.papers.ic_recall.task.best_accuracy import best_accuracy
from lemmata.train import Autodiff, Batches, Descent, masked_cross_entropy, only, unstack

DIRECTIONS = ("subject", "answer", "relation")


@dataclass(frozen=True, kw_only=True)
class PretrainThenFineTune(core.RunConfig):
    """One transformer a seed: its own world, embeddings, initial MLP and data."""

    kind = "ic-recall/pretrain"

    world: RandomBijections
    k: int = 2
    temperature: core.Positive = 0.05
    hidden: core.Count = 512  # the construction needs 3 |S| |A| = 192
    initial_scale: core.Positive = 1.0  # of the MLP: directions that pre-training never visits (EoS) keep their noise
    batch: core.Count = 512
    pretrain_steps: core.Count = 2000
    sequences: core.Count = 128
    steps: core.Count = 3000
    learning_rate: core.Positive = field(default=1e-3, metadata=core.stored_as("rate"))
    restart_attention: bool = False  # fine-tune from W^KQ = 0, or (as the paper) from what pre-training left there
    records: core.Count = 10
    test_sequences: core.Count = 500
    seeds: core.Some[int] = (0,)

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)
        core.require(self.steps % self.records == 0, "steps", self.steps, f"a multiple of records = {self.records}")

    def execute(self, context: core.RunContext) -> core.RunOutput:
        worlds = [self.world.draw(seed) for seed in self.seeds]
        train, test = (
            [world.sequences(num, self.k, seed=seed, name=name) for world, seed in zip(worlds, self.seeds, strict=True)]
            for num, name in ((self.sequences, "train"), (self.test_sequences, "test"))
        )
        with core.precision("float32"):
            blank = [self._untrained(seed) for seed in self.seeds]
            algorithm = Descent(Batches(pair_loss, self.batch), only(whole_transformer), optax.adam, self.learning_rate)
            pairs = [TripletPairs(world) for world in worlds]
            how: dict[str, Any] = {"steps": self.pretrain_steps, "every": self.pretrain_steps, "context": context}
            trained, before = train_all(algorithm, pairs, blank, self.seeds, "pre-training", **how)
            models = unstack(trained)
            problems = [
                FineTuning(
                    what_is_recalled(model, world, shown), self.temperature, what_is_recalled(model, world, held_out)
                )
                for model, world, shown, held_out in zip(models, worlds, train, test, strict=True)
            ]
            algorithm = Descent(Autodiff(recalled_loss), only(full_key_query), optax.adam, self.learning_rate)
            ready = [self._ready(model) for model in models]
            how = {"steps": self.steps, "every": self.steps // self.records, "probe": _probe, "context": context}
            _, found = train_all(algorithm, problems, ready, self.seeds, "fine-tuning", **how)
            once = {"ceiling": list(map(best_accuracy, worlds, test))}
            for when, asked in (("recalled", models), ("untrained", blank)):
                shares = list(map(share_recalled, asked, worlds))
                once |= {f"{when}_{name}": [share[name] for share in shares] for name in DIRECTIONS}
        found["first_fitting"] = np.array(list(map(_fitting, found["relation"], worlds, test)))
        names = ("loss", "first_argmax", "first_fitting", "second_argmax")
        table = found.table(names=names, seed=self.seeds, pretraining_loss=before["loss"][:, -1], **once)
        return core.RunOutput(table, {name: found[name] for name in ("first_attention", "second_attention")})

    def _untrained(self, seed: int) -> DenseTransformer:
        world = self.world
        model = DenseTransformer.untrained(world.n, world.relations, self.k, self.hidden, core.named_key(seed, "init"))
        scaled = jax.tree.map(lambda weights: self.initial_scale * weights, model.memory)
        return eqx.tree_at(lambda m: m.memory, model, scaled)

    def _ready(self, model: DenseTransformer) -> DenseTransformer:
        """For fine-tuning: attention restarted, if it is to be."""
        if not self.restart_attention:
            return model
        zero = KeyQuery.zeros(2 * self.k + 3, model.vocabulary.size)
        return eqx.tree_at(lambda m: m.key_query, model, zero)


def what_is_recalled(model: DenseTransformer, world: TableWorld, sequences: Sequences) -> Recalled:
    batch = stored(world, sequences).batch
    return recalled(model, batch.tokens, batch.targets)


def recalled_loss(model: DenseTransformer, task: FineTuning, key: Key[Array, ""]) -> Float[Array, ""]:
    """L_1 + L_2 (eq. 1) with the MLP frozen."""
    vocabulary, targets = model.vocabulary, task.data.targets[:, -2:]
    relation, answer = (logits / task.temperature for logits in recalled_logits(model, task.data))
    nlls = (
        jnp.mean(jax.nn.logsumexp(logits, axis=1) - jnp.take_along_axis(logits, right[:, None], axis=1)[:, 0])
        for logits, right in (
            (relation, targets[:, 0] - vocabulary.relations.start),
            (answer, targets[:, 1] - vocabulary.answers.start),
        )
    )
    return sum(nlls, jnp.zeros(()))


def _fitting(decoded: np.ndarray, world: TableWorld, test: Sequences) -> list[float]:
    """How often the decoded relation fits the context, whether or not it is the one the sequence was made from."""
    subjects, answers = test.subjects[:, :-1], test.answers[:, :-1]
    return [(world.table[row[:, None], subjects] == answers).all(axis=1).mean() for row in decoded]


def pair_loss(model: DenseTransformer, batch: core.Batch) -> Float[Array, ""]:
    logits = pair_logits(model, batch.tokens)
    return masked_cross_entropy(logits[:, None], batch.targets[:, 1:], batch.mask[:, 1:])


def share_recalled(model: DenseTransformer, world: TableWorld) -> dict[str, float]:
    """The share of questions answered rightly, by what is missing; of several right relations any one counts."""
    questions = every_pair(world.table)
    tokens = np.concatenate([tokens for tokens, _ in questions.values()])  # one program for all directions
    guesses, shares = np.asarray(_guesses(model, core.to_jax(tokens))), {}
    for name, (tokens, right) in questions.items():
        given, guesses = np.split(guesses, [len(tokens)])
        shares[name] = float(right[np.arange(len(given)), given].mean())
    return shares


@eqx.filter_jit
def _guesses(model: DenseTransformer, tokens: Int[Array, "questions 2"]) -> Int[Array, " questions"]:
    return jnp.argmax(pair_logits(model, tokens), axis=1)


def _probe(model: DenseTransformer, task: FineTuning, key: Key[Array, ""]) -> core.Metrics:
    targets, start = task.test.targets, model.vocabulary
    relation, answer = (jnp.argmax(logits, axis=1) for logits in recalled_logits(model, task.test))
    first, second = both_attentions(model, task.test.tokens)
    return {
        "first_argmax": jnp.mean(relation == targets[:, -2] - start.relations.start),
        "second_argmax": jnp.mean(answer == targets[:, -1] - start.answers.start),
        "relation": relation,
        "first_attention": jnp.mean(first, axis=0),
        "second_attention": jnp.mean(second, axis=0),
    }
