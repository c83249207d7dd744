"""The run behind Theorem 2: the first gradient of W_QK by autodiff, under Assumption F.1."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import Batch, RunConfig, RunContext, RunOutput, named_key, optimized_jit, precision, require, to_jax
from lemmata.core.constraints import Count, Inside, NonNegative, Some
from lemmata.papers.association.model import SimplifiedModel
from lemmata.papers.association.run.simplified import (
    TRIGGER,
    TableSize,
    ThreeOrMore,
    loss_gradient,
    masked_batch,
    theory_task,
    with_noise_learned,
)
from lemmata.papers.association.theory import RecallChain

SMALL = 1e-3  # the size of W_V: small enough that W_F alone decides the prediction, as Assumption F.1 has it


@dataclass(frozen=True, kw_only=True)
class KeyGradients(RunConfig):
    """-grad W_QK by autodiff under Assumption F.1, one seed a batch of fresh sequences.

    `values` says what W_V is: the diagonal form that the proof uses (equation 26), or what one gradient step of W_V
    really gives under the same assumption (phase 2), taken on `phase_two` batches of their own.
    """

    kind = "association/key-gradients"

    num_tokens: TableSize = 16  # N
    length: ThreeOrMore = 128  # T
    alpha: Inside = 0.2  # Assumption F.1 asks for α <= .38
    exclude_trigger: bool = False  # whether ȳ = q is left out; the paper draws ȳ from all of [N]
    values: Literal["diagonal", "learned"] = "diagonal"
    beta_1: NonNegative = 1.0
    beta_2: NonNegative = 1.0  # β_2 < β_1 by the proof; training leaves them equal (see SimplifiedDescent)
    batch: Count = 1024
    phase_two: Count = 16
    seeds: Some[int] = tuple(range(48))

    def cross_check(self) -> None:
        require(self.beta_1 >= self.beta_2, "beta_2", self.beta_2, f"at most beta_1 = {self.beta_1}")

    @property
    def chain(self) -> RecallChain:
        return RecallChain(self.num_tokens, self.length, self.alpha, self.exclude_trigger)

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            draw = partial(_draw, theory_task(self.chain), self.batch, to_jax(self.exclude_trigger))
            model = with_noise_learned(SimplifiedModel.create(self.num_tokens + 1), self.chain)
            if self.values == "learned":
                keys = [jax.random.fold_in(named_key(0, "phase-2"), i) for i in range(self.phase_two)]
                value = _learned_value(model, [draw(key) for key in keys]) * self.num_tokens**2
            else:
                output, token, previous = (np.asarray(e)[:-1] for e in (model.output, model.tokens, model.previous))
                value = output.T @ (self.beta_1 * token + self.beta_2 * previous)
            on_token, on_previous = model.project(to_jax(value))
            model = eqx.tree_at(lambda m: m.value, model, to_jax(SMALL * value))
            gradients = []  # of each seed: [on W_E or W̃_E, token]
            for done, seed in enumerate(self.seeds):
                gradients.append(_key_gradient(model, draw(named_key(seed, "data"))))
                context.progress("key gradients", done + 1, len(self.seeds))
        vocab = self.num_tokens + 1
        as_token, as_previous = np.array(gradients).transpose(1, 0, 2).reshape(2, -1)
        table = {"seed": np.repeat(self.seeds, vocab), "token": np.tile(np.arange(vocab), len(self.seeds))}
        arrays = {"value": np.asarray(on_token), "value_previous": np.asarray(on_previous)}
        return RunOutput(table | {"as_token": as_token, "as_previous": as_previous}, arrays)


_draw = optimized_jit(masked_batch)


@optimized_jit
def _key_gradient(model: SimplifiedModel, batch: Batch) -> tuple[Array, Array]:
    """W_E(q)^T (-grad W_QK) on each W_E(b) and each W̃_E(b), for W_V of unit size."""
    row = -model.tokens[TRIGGER] @ loss_gradient(lambda m: m.attention, model, batch) / SMALL
    return model.tokens @ row, model.previous @ row


def _learned_value(model: SimplifiedModel, batches: list[Batch]) -> Float[np.ndarray, "width width"]:
    """A unit step of W_V, without its noise row: that row does not enter the gradient of W_QK, because
    p̂(N+1) = P(y = N+1) whatever the context."""
    gradient = optimized_jit(lambda model, batch: loss_gradient(lambda m: m.value, model, batch))
    step = -np.mean([np.asarray(gradient(model, batch)) for batch in batches], axis=0)
    output = np.asarray(model.output)[:-1]
    return output.T @ (output @ step)
