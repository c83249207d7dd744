"""One way to pre-train the memory, then fine-tuning on it: what the memory answers beside the facts it was shown.

A trained memory is a quadratic form in the attention on the tokens. Pre-training shows pairs of two kinds of token
alone, so nothing decides what the form has for EoS, for two subjects or for two answers. Here these are taken out.
"""

from dataclasses import dataclass
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float

from lemmata import core
from lemmata.papers.ic_recall.model import DenseTransformer, Recalled, full_key_query, pair_logits, whole_transformer
from lemmata.papers.ic_recall.run.pretraining import share_recalled, what_is_recalled
from lemmata.papers.ic_recall.run.silenced_memory import PAIRS, EditedTask, edited_loss, read
from lemmata.papers.ic_recall.run.train_all import train_all
from lemmata.papers.ic_recall.task import RandomBijections, TripletPairs
from lemmata.papers.ic_recall.task.best_accuracy import best_accuracy
from lemmata.train import Autodiff, Batches, Descent, only, unstack

Change = Literal["none", "residual doubled", "EoS masked"]


@dataclass(frozen=True)
class PairLoss:
    """The cross-entropy of the third element of a fact triplet, at a temperature; over the whole vocabulary, or, with
    n subjects given, over tokens of the missing element's kind."""

    temperature: float
    n: int = 0

    def __call__(self, model: DenseTransformer, batch: core.Batch) -> Float[Array, ""]:
        logits, right = pair_logits(model, batch.tokens) / self.temperature, batch.targets[:, 1]
        if self.n:
            kind = jnp.minimum(jnp.arange(logits.shape[1]) // self.n, 2)
            logits = jnp.where(kind == kind[right][:, None], logits, -jnp.inf)
        return jnp.mean(jax.nn.logsumexp(logits, axis=1) - jnp.take_along_axis(logits, right[:, None], axis=1)[:, 0])


def adamw(rates: tuple[Any, Any]) -> optax.GradientTransformation:
    """At a learning rate and a weight decay; both are arguments of the compiled program."""
    return optax.adamw(rates[0], weight_decay=rates[1])


@dataclass(frozen=True, kw_only=True)
class WaysToPretrain(core.RunConfig):
    """Rows by change and seed. Fine-tuning trains all of W^KQ by Adam from what pre-training left there."""

    kind = "ic-recall/ways-to-pretrain"

    world: RandomBijections
    memory: Literal["pre-trained", "constructed", "untrained"] = "pre-trained"
    hidden: core.Count = 512
    initial_scale: core.Positive = 1.0  # of the MLP's weights
    pretrain_temperature: core.Positive = 1.0
    over: Literal["vocabulary", "missing part"] = "vocabulary"  # what the softmax of pre-training runs over
    weight_decay: core.NonNegative = 0.0  # of AdamW in pre-training
    batch: core.Count = 256
    pretrain_steps: core.Count = 1200
    temperature: core.Positive = 0.05  # of fine-tuning
    sequences: core.Count = 512
    steps: core.Count = 500
    changes: core.Some[Change] = ("none",)  # of the second step in fine-tuning, one after the other
    learning_rate: core.Positive = 1e-3
    test_sequences: core.Count = 500
    seeds: core.Some[int] = (0,)

    def execute(self, context: core.RunContext) -> core.RunOutput:
        worlds = [self.world.draw(seed) for seed in self.seeds]
        train, test = (
            [world.sequences(num, PAIRS, seed=seed, name=name) for world, seed in zip(worlds, self.seeds, strict=True)]
            for num, name in ((self.sequences, "train"), (self.test_sequences, "test"))
        )
        with core.precision("float32"):
            models = self._memories(worlds, context)
            known = [min(share_recalled(model, world).values()) for model, world in zip(models, worlds, strict=True)]
            shown, fresh = (list(map(what_is_recalled, models, worlds, sets)) for sets in (train, test))
            best = np.array(list(map(best_accuracy, worlds, test)))
            tables = [self._fine_tuned(change, models, shown, fresh, context) for change in self.changes]
        columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
        same = {"seed": np.array(self.seeds), "ceiling": best, "recalled": np.array(known)}
        same = {name: np.tile(values, len(self.changes)) for name, values in same.items()}
        return core.RunOutput({"change": np.repeat(self.changes, len(self.seeds)), **same, **columns})

    def _memories(self, worlds: list[Any], context: core.RunContext) -> list[DenseTransformer]:
        n, m = self.world.n, self.world.relations
        if self.memory == "constructed":
            keys = [core.named_key(seed, "embeddings") for seed in self.seeds]
            return [DenseTransformer.constructed(w.table, PAIRS, key) for w, key in zip(worlds, keys, strict=True)]
        blank = [
            DenseTransformer.untrained(n, m, PAIRS, self.hidden, core.named_key(seed, "init")) for seed in self.seeds
        ]
        blank = [eqx.tree_at(lambda x: x.memory, b, jax.tree.map(self._scaled, b.memory)) for b in blank]
        if self.memory == "untrained":
            return blank
        loss = PairLoss(self.pretrain_temperature, n if self.over == "missing part" else 0)
        rates = (self.learning_rate, self.weight_decay)
        algorithm = Descent(Batches(loss, self.batch), only(whole_transformer), adamw, rates)
        how = {"steps": self.pretrain_steps, "every": self.pretrain_steps, "context": context}
        trained, _ = train_all(algorithm, [TripletPairs(w) for w in worlds], blank, self.seeds, "pre-training", **how)
        return unstack(trained)

    def _scaled(self, weights: Array) -> Array:
        return self.initial_scale * weights

    def _fine_tuned(
        self,
        change: Change,
        models: list[DenseTransformer],
        shown: list[Recalled],
        fresh: list[Recalled],
        context: core.RunContext,
    ) -> dict[str, np.ndarray]:
        how = 2.0 if change == "residual doubled" else 1.0, change == "EoS masked"
        problems = [EditedTask.of(a, b, self.temperature, *how) for a, b in zip(shown, fresh, strict=True)]
        algorithm = Descent(Autodiff(edited_loss), only(full_key_query), optax.adam, self.learning_rate)
        loop = {"steps": self.steps, "every": self.steps, "context": context}
        trained, _ = train_all(algorithm, problems, models, self.seeds, f"fine-tuning, change: {change}", **loop)
        rows = [read(model, task) for model, task in zip(unstack(trained), problems, strict=True)]
        return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
