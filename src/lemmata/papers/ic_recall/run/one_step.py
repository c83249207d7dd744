"""The first step of a rule on all of W^KQ, from zero: how far scores of tokens move, and scores of positions."""

from dataclasses import dataclass
from typing import Any, Literal

import equinox as eqx
import jax
import numpy as np
import optax

from lemmata import core
from lemmata.papers.ic_recall.model import KeyQuery, MemoryTransformer, orthonormal
from lemmata.papers.ic_recall.run.adam_fine_tuning import loss_from_counts, tokens_and_counts
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning
from lemmata.papers.ic_recall.task import RandomBijections, check_pairs

Rule = Literal["adam", "adamw", "sign descent", "gradient descent"]
RULES = {
    "adam": optax.adam(1.0, eps=1e-30),
    "adamw": optax.adamw(1.0, eps=1e-30, weight_decay=0.1),
    "sign descent": optax.sign_sgd(1.0),
    "gradient descent": optax.sgd(1.0),
}


@dataclass(frozen=True, kw_only=True)
class OneStep(core.RunConfig):
    """Rows by rule, width, number of sequences and seed: a step of size 1 at the second decoding step.

    `token` and `position` are the moves of the query subject's score, by its token and by its place, the mean over the
    training sequences; `coefficient` and `norm` are those of the token block's gradient in the basis of the tokens.
    """

    kind = "ic-recall/one-step"

    world: RandomBijections
    k: int = 2
    temperature: core.Positive = 0.05
    rules: core.Some[Rule] = ("adam", "adamw", "sign descent", "gradient descent")
    widths: core.Some[core.Count] = (1, 2, 4)  # of the embeddings, in units of the number of tokens
    sequences: core.Some[core.Count] = (8, 32, 128)
    seeds: core.Some[int] = (0,)

    def cross_check(self) -> None:
        check_pairs(self.k, self.world.n)
        largest = max(self.sequences)
        for num in self.sequences:  # sets are repeated to the largest, so that one program serves them all
            core.require(largest % num == 0, "sequences", num, f"a divisor of the largest number, {largest}")

    def execute(self, context: core.RunContext) -> core.RunOutput:
        rows = []
        with core.precision("float64"):
            for seed in self.seeds:
                for num in self.sequences:
                    tokens, gradient = self._gradient(seed, num)
                    rows += [
                        {"width": w, "sequences": num, "seed": seed, **row}
                        for w in self.widths
                        for row in self._moves(tokens, gradient, w, seed)
                    ]
        return core.RunOutput({name: np.array([row[name] for row in rows]) for name in rows[0]})

    def _gradient(self, seed: int, num: int) -> tuple[np.ndarray, KeyQuery]:
        """Of the loss at W^KQ = 0 in the basis of the tokens: embeddings are the identity there."""
        world = self.world.draw(seed)
        model = MemoryTransformer.constructed(world.table, self.k, core.named_key(seed, "unused"))
        model = eqx.tree_at(lambda m: m.embeddings, model, core.to_jax(np.eye(model.vocabulary.size)))
        data = tokens_and_counts(world, world.sequences(num, self.k, seed=seed, name="train"), max(self.sequences))
        return np.asarray(data.tokens)[:num], _gradient(model, FineTuning(data, self.temperature))

    def _moves(self, tokens: np.ndarray, gradient: KeyQuery, width: int, seed: int) -> list[dict[str, float | str]]:
        size = gradient.token.shape[0]
        phi = np.asarray(orthonormal(size, width * size, core.named_key(seed, "embeddings")))
        mixed = phi.T @ gradient.token_position, phi.T @ gradient.token @ phi
        turned: Any = KeyQuery(gradient.position, gradient.position_token @ phi, *map(core.to_jax, mixed))
        query, relation, place = tokens[:, 2 * self.k], tokens[:, -1], tokens.shape[1] - 1
        coefficient = -np.asarray(gradient.token)[query, relation].mean()
        rows = []
        for rule in self.rules:
            zero: Any = jax.tree.map(lambda part: 0 * part, turned)
            step: Any = RULES[rule].update(turned, RULES[rule].init(zero), zero)[0]
            by_token = np.einsum("nd,de,ne->n", phi[query], np.asarray(step.token), phi[relation])
            rows.append(
                {
                    "rule": rule,
                    "token": by_token.mean(),
                    "position": float(step.position[2 * self.k, place]),
                    "coefficient": coefficient,
                    "norm": float(np.linalg.norm(gradient.token)),
                }
            )
        return rows


@eqx.filter_jit
def _gradient(model: MemoryTransformer, task: FineTuning) -> KeyQuery:
    def loss(key_query: KeyQuery) -> jax.Array:
        return loss_from_counts(eqx.tree_at(lambda m: m.key_query, model, key_query), task, core.named_key(0, "unused"))

    return jax.grad(loss)(model.key_query)
