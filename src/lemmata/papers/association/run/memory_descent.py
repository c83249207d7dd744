"""Gradient descent on the linear associative memory: with orthonormal embeddings, and with random ones, truncated."""

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key
from scipy.special import logsumexp

from lemmata.core import RunConfig, RunContext, RunOutput, TrainState, named_key, named_keys, precision, require
from lemmata.core.config import stored_as
from lemmata.core.constraints import Count, Inside, Positive, Several, Some
from lemmata.papers.association.model import LinearMemory
from lemmata.papers.association.run.memory import Targets, population_loss, targets
from lemmata.train import fit, fit_many, stack
from lemmata.train.gradient_descent import GradientDescent


@dataclass(frozen=True, kw_only=True)
class MemoryDescent(RunConfig):
    """Gradient descent on the same matrix, by the training loop: t = learning rate x steps."""

    kind = "association/memory-descent"

    inputs: Several = 2
    width: Count = 8
    alpha: Inside = 0.3
    learning_rate: Positive = field(default=0.05, metadata=stored_as("rate"))
    steps: Count = 40_000
    every: Count = 400
    seed: int = 0

    def cross_check(self) -> None:
        require(self.width > self.inputs, "width", self.width, f"more than inputs = {self.inputs}")
        require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            _, rows = fit(
                GradientDescent(population_loss, lambda m: m.weight, self.learning_rate),
                targets(self.inputs, self.alpha),
                LinearMemory.orthonormal(self.inputs, self.width, self.seed),
                named_key(self.seed, "unused"),
                steps=self.steps,
                every=self.every,
                probe=_margins,
                context=context,
            )
        time = self.learning_rate * self.every * np.arange(len(rows.steps))
        return RunOutput({"time": time, "a": rows["a"], "b": rows["b"], "loss": rows["loss"]})


def _margins(model: LinearMemory, goal: Targets, key: Key[Array, ""]) -> dict[str, Array]:
    logits = model.logits()
    return {"a": logits[0, 1] - logits[0, 0], "b": logits[0, -1] - logits[0, 0]}


@dataclass(frozen=True, kw_only=True)
class RandomMemory(RunConfig):
    """Appendix G.1's experiment: random embeddings and random W, gradient descent, truncation watched as it goes.

    The paper gives neither the step size nor the number of steps. Smaller ones give the same curves in rate x step.
    """

    kind = "association/random-memory"

    inputs: Several = 3
    width: Count = 12
    alpha: Inside = 0.03
    learning_rate: Positive = field(default=3.0, metadata=stored_as("rate"))
    steps: Count = 20_000
    every: Count = 100
    ranks: Some[Count] = (1, 2, 3, 4)
    seeds: Some[int] = tuple(range(20))

    def cross_check(self) -> None:
        require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            keys = named_keys(self.seeds, "init")
            models = jax.jit(jax.vmap(lambda key: LinearMemory.random(self.inputs, self.width, key=key)))(keys)
            _, rows = fit_many(
                GradientDescent(population_loss, lambda m: m.weight, self.learning_rate),
                stack([targets(self.inputs, self.alpha)] * len(self.seeds)),
                TrainState(models, jnp.full(len(self.seeds), self.learning_rate)),
                keys,
                steps=self.steps,
                every=self.every,
                probe=lambda model, goal, key: {"weight": model.weight},
                replicas="vmap",
                context=context,
                stage=f"width {self.width}",
            )
        finite = bool(np.isfinite(rows["weight"]).all())
        require(finite, "learning_rate", self.learning_rate, "small enough for the weights to stay finite")
        losses = truncated_losses(np.asarray(models.inputs), np.asarray(models.outputs), rows["weight"], self.ranks)
        time = np.tile(self.learning_rate * self.every * np.arange(len(rows.steps)), len(self.seeds))
        table = {"seed": np.repeat(self.seeds, len(rows.steps)), "time": time}
        return RunOutput(table | {name: values.reshape(-1) for name, values in losses.items()})


def truncated_losses(
    inputs: Float[np.ndarray, "seed inputs width"],
    outputs: Float[np.ndarray, "seed outputs width"],
    weight: Float[np.ndarray, "seed record width width"],
    ranks: tuple[int, ...],
) -> dict[str, Float[np.ndarray, "seed record"]]:
    """The pure-label loss (α = 0) of each matrix and of its low-rank approximations."""
    left, values, right = np.linalg.svd(weight)
    losses = {}
    for name, rank in (("full", weight.shape[-1]), *((f"rank_{rank}", rank) for rank in ranks)):
        low = (left[..., :rank] * values[..., None, :rank]) @ right[..., :rank, :]
        logits = np.einsum("sid,srod->srio", inputs, np.einsum("soe,sred->srod", outputs, low))
        labels = np.diagonal(logits, axis1=2, axis2=3)
        losses[name] = np.mean(logsumexp(logits, axis=-1) - labels, axis=-1)
    return losses
