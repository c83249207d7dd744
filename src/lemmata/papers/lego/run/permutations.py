"""Sentences before and after their predicates are permuted, read by both models with random weights."""

from dataclasses import dataclass, field
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lemmata.core import Count, Positive, RunConfig, RunContext, RunOutput, Several, Some, named_keys, require
from lemmata.papers.lego.model import ExperimentalConfig, ExperimentalReasoner, TheoryConfig, TheoryTransformer
from lemmata.papers.lego.task import Lego, LegoConfig, permute_predicates

MODELS = ("theory", "experimental")


@dataclass(frozen=True, kw_only=True)
class Permutations(RunConfig):
    """Both models with random weights, and the same on sentences whose clauses carry a code of their place.

    Random weights are the harder subject: nothing learned can hide a dependence on the order. Training keeps the
    architecture, so it cannot bring one in.
    """

    kind = "lego/permutations"
    version = 4

    task: LegoConfig = field(default_factory=lambda: LegoConfig(action="S5", variables=41, length=10))
    sentences: Count = 64
    sharpness: Positive = 2.0  # standard deviation of the theory model's attention scores
    width: Several = 16  # of the experimental model's slots
    hidden: Count = 64
    seeds: Some[int] = (0, 1, 2)

    def cross_check(self) -> None:
        require(self.width % 2 == 0, "width", self.width, "even: there are two heads")

    def execute(self, context: RunContext) -> RunOutput:
        task, keys = Lego.create(self.task), named_keys(self.seeds, "permutations")
        tables = []
        for done, name in enumerate(MODELS):
            context.progress("models", done, len(MODELS))
            read = eqx.filter_jit(lambda keys, name=name: jax.lax.map(lambda key: self.changes(task, name, key), keys))
            found = {column: np.asarray(value, float) for column, value in read(keys).items()}
            tables.append({"seed": np.array(self.seeds), "model": np.repeat(name, len(self.seeds)), **found})
        return RunOutput({column: np.concatenate([table[column] for table in tables]) for column in tables[0]})

    def changes(self, task: Lego, name: str, key: Key[Array, ""]) -> dict[str, Float[Array, ""]]:
        """The largest change of a logit over sentences, steps and tokens; with places; and the logits' own size."""
        weights, words, orders = jax.random.split(key, 3)
        model = self.model(task, name, weights)
        clauses = task.draw(self.sentences, key=words)
        permuted = permute_predicates(clauses, orders)

        read = jnp.stack([clauses, permuted, placed(clauses, task), placed(permuted, task)])
        write = jax.vmap(lambda sentence: model.next_clause(sentence[:-1], self.task.length))
        after = jax.lax.map(write, read)  # one program for all four
        plain, plain_permuted, with_places, with_places_permuted = jnp.concatenate([after.variable, after.value], -1)
        return {
            "change": jnp.max(jnp.abs(plain - plain_permuted)),
            "change_with_places": jnp.max(jnp.abs(with_places - with_places_permuted)),
            "size": jnp.max(jnp.abs(plain)),
        }

    def model(self, task: Lego, name: str, key: Key[Array, ""]) -> ExperimentalReasoner | TheoryTransformer:
        v = task.vocabulary
        sizes: dict[str, Any] = {"variables": v.variables, "actions": v.actions, "values": v.values}
        if name == "experimental":
            made = ExperimentalConfig(**sizes, width=self.width, hidden=self.hidden)
            return ExperimentalReasoner.create(made, key=key)
        model = TheoryTransformer.create(TheoryConfig(**sizes, scale=0.5, clip=1000.0), key=key)  # a clip hides changes
        blocks = self.sharpness * jax.random.normal(jax.random.fold_in(key, 1), (2, v.variables, v.variables))
        return eqx.tree_at(lambda m: (m.query_third, m.query_fourth), model, (blocks[0], blocks[1]))


def placed(clauses: Int[Array, "num clauses 5"], task: Lego) -> Int[Array, "num clauses 5"]:
    """A positional code: the k-th clause's action is read as the k-th one after it."""
    v = task.vocabulary
    acting = clauses[..., 1]
    moved = v.first_action + (acting - v.first_action + jnp.arange(clauses.shape[1])) % v.actions
    return clauses.at[..., 1].set(jnp.where(acting < v.first_value, moved, acting))
