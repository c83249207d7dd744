"""Runs of the linear associative memory: gradient flow and gradient descent on the real matrix, by autodiff."""

import math
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key
from scipy.integrate import solve_ivp
from scipy.special import logsumexp

from lemmata.core import RunConfig, RunContext, RunOutput, TrainState, named_integer, named_key, precision, require
from lemmata.models.truncate import decompose
from lemmata.papers.association.model import LinearMemory
from lemmata.papers.association.task import MemoryConfig
from lemmata.train import fit_many, stack
from lemmata.train.gradient_descent import GradientDescent


class Targets(eqx.Module):
    """Equation (38): p_α(y | x) for every input; uniform inputs make the loss the mean over its rows."""

    chance: Float[Array, "inputs outputs"]


def population_loss(model: LinearMemory, targets: Targets, key: Key[Array, ""] | None = None) -> Float[Array, ""]:
    return -jnp.mean(jnp.sum(targets.chance * jax.nn.log_softmax(model.logits()), axis=1))


def targets(inputs: int, alpha: float) -> Targets:
    return Targets(jnp.asarray(MemoryConfig(inputs=inputs, alpha=alpha).distribution()))


def orthonormal_memory(inputs: int, width: int, seed: int) -> LinearMemory:
    """Assumptions G.1 and G.2 in a random basis: orthonormal embeddings, W = 0."""
    require(width > inputs, "width", width, f"more than inputs = {inputs}")
    stream = np.random.default_rng(named_integer(seed, "embeddings"))
    first, second = (np.linalg.qr(stream.normal(size=(width, width)))[0] for _ in range(2))
    return LinearMemory(jnp.asarray(first[:inputs]), jnp.asarray(second[: inputs + 1]), jnp.zeros((width, width)))


@jax.jit
def _velocity(model: LinearMemory, goal: Targets, weight: Float[Array, " flat"]) -> Float[Array, " flat"]:
    def loss(flat: Float[Array, " flat"]) -> Float[Array, ""]:
        return population_loss(eqx.tree_at(lambda m: m.weight, model, flat.reshape(model.weight.shape)), goal)

    return -jax.grad(loss)(weight)


@jax.jit
def _jacobian(model: LinearMemory, goal: Targets, weight: Float[Array, " flat"]) -> Float[Array, "flat flat"]:
    return jax.jacfwd(lambda flat: _velocity(model, goal, flat))(weight)


@dataclass(frozen=True, kw_only=True)
class MemoryFlow(RunConfig):
    """Gradient flow dW/dt = -grad L from W = 0, the gradient by autodiff, in log-time with a stiff solver."""

    kind = "association/memory-flow"
    version = 1

    inputs: int = 2  # n
    width: int = 8  # d
    alpha: float = 0.3
    last_time: float = 1e8
    points: int = 121
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.inputs >= 2, "inputs", self.inputs, "2 or more")
        require(0 < self.alpha < 1, "alpha", self.alpha, "between 0 and 1")
        require(self.last_time > 1, "last_time", self.last_time, "more than 1")

    @property
    def times(self) -> Float[np.ndarray, " times"]:
        return np.concatenate([[0.0], np.logspace(-2, math.log10(self.last_time), self.points - 1)])

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            model, goal = orthonormal_memory(self.inputs, self.width, self.seed), targets(self.inputs, self.alpha)
            u = np.log1p(self.times)

            def slope(u: float, flat: np.ndarray) -> np.ndarray:
                return math.exp(u) * np.asarray(_velocity(model, goal, jnp.asarray(flat)))

            def jacobian(u: float, flat: np.ndarray) -> np.ndarray:
                return math.exp(u) * np.asarray(_jacobian(model, goal, jnp.asarray(flat)))

            start = np.zeros(self.width**2)
            found = solve_ivp(
                slope, (0.0, u[-1]), start, method="LSODA", t_eval=u, jac=jacobian, rtol=1e-10, atol=1e-12
            )
            require(found.success, "last_time", self.last_time, f"a time the solver reaches ({found.message})")
            rows = [self._row(model, weight.reshape(self.width, self.width)) for weight in found.y.T]
        columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return RunOutput({"time": self.times, **columns}, {"weight": found.y.T.reshape(-1, self.width, self.width)})

    def _row(self, model: LinearMemory, weight: np.ndarray) -> dict[str, float]:
        n = self.inputs
        model = eqx.tree_at(lambda m: m.weight, model, weight)
        model = jax.tree.map(np.asarray, model)
        logits = np.asarray(model.inputs @ weight.T @ model.outputs.T)
        split = decompose(model, "weight")
        (spectrum,) = split.spectra
        cut = np.asarray(model.inputs @ spectrum.low_rank(n - 1).T @ model.outputs.T)
        ones = model.inputs.sum(axis=0) / math.sqrt(n)
        overlap = np.abs(spectrum.right.T @ ones)  # which right singular vector is the all-ones input
        values = spectrum.values[:n]
        carrier = int(np.argmax(overlap[:n])) if values[0] > 0 else 0
        others = np.delete(values, carrier)
        full, truncated = _probabilities(logits), _probabilities(cut)
        return {
            "a": float(np.mean([logits[i, j] - logits[i, i] for i in range(n) for j in range(n) if i != j])),
            "b": float(np.mean([logits[i, n] - logits[i, i] for i in range(n)])),
            **{f"full_{name}": value for name, value in full.items()},
            **{f"cut_{name}": value for name, value in truncated.items()},
            "noise_singular": float(values[carrier]),
            "signal_singular": float(others.min()),
            "overlap": float(overlap[:n].max()),
        }


def _probabilities(logits: np.ndarray) -> dict[str, float]:
    """Mean over inputs of the probability of the label, of the noise, and of all else."""
    n = len(logits)
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = shifted / shifted.sum(axis=1, keepdims=True)
    correct, noise = float(p[np.arange(n), np.arange(n)].mean()), float(p[:, n].mean())
    wrong = float((p[:, :n].sum(axis=1) - p[np.arange(n), np.arange(n)]).mean())
    return {"correct": correct, "noise": noise, "wrong": wrong}


@dataclass(frozen=True, kw_only=True)
class MemoryDescent(RunConfig):
    """Gradient descent on the same matrix, by the training loop: t = rate x steps."""

    kind = "association/memory-descent"
    version = 1

    inputs: int = 2
    width: int = 8
    alpha: float = 0.3
    rate: float = 0.05
    steps: int = 40_000
    every: int = 400
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            model = orthonormal_memory(self.inputs, self.width, self.seed)
            algorithm = GradientDescent(population_loss, lambda m: m.weight, self.rate)
            _, rows = fit_many(
                algorithm,
                stack([targets(self.inputs, self.alpha)]),
                stack([algorithm.init(model)]),
                named_key(self.seed, "unused")[None],
                steps=self.steps,
                every=self.every,
                probe=_margins,
                context=context,
            )
        time = self.rate * self.every * np.arange(self.steps // self.every + 1)
        return RunOutput({"time": time, "a": rows["a"][0], "b": rows["b"][0], "loss": rows["loss"][0]})


def _margins(model: LinearMemory, goal: Targets, key: Key[Array, ""]) -> dict[str, Array]:
    logits = model.logits()
    return {"a": logits[0, 1] - logits[0, 0], "b": logits[0, -1] - logits[0, 0]}


@dataclass(frozen=True, kw_only=True)
class RandomMemory(RunConfig):
    """Appendix G.1's experiment: random embeddings and random W, gradient descent, truncation watched as it goes.

    The paper gives neither the step size nor the number of steps. Smaller rates give the same curves in rate x step.
    """

    kind = "association/random-memory"
    version = 1

    inputs: int = 3
    width: int = 12
    alpha: float = 0.03
    rate: float = 3.0
    steps: int = 20_000
    every: int = 100
    ranks: tuple[int, ...] = (1, 2, 3, 4)
    seeds: tuple[int, ...] = tuple(range(20))

    def execute(self, context: RunContext) -> RunOutput:
        with precision("float64"):
            keys = jnp.stack([named_key(seed, "init") for seed in self.seeds])
            models = stack([LinearMemory.random(self.inputs, self.width, key=key) for key in keys])
            goals = jax.tree.map(lambda x: jnp.stack([x] * len(self.seeds)), targets(self.inputs, self.alpha))
            algorithm = GradientDescent(population_loss, lambda m: m.weight, self.rate)
            state = TrainState(models, jnp.full(len(self.seeds), self.rate))

            _, rows = fit_many(
                algorithm,
                goals,
                state,
                keys,
                steps=self.steps,
                every=self.every,
                probe=_weight,
                replicas="vmap",
                context=context,
                stage=f"width {self.width}",
            )
        losses = truncated_losses(np.asarray(models.inputs), np.asarray(models.outputs), rows["weight"], self.ranks)
        records = self.steps // self.every + 1
        return RunOutput(
            {
                "seed": np.repeat(self.seeds, records),
                "time": np.tile(self.rate * self.every * np.arange(records), len(self.seeds)),
                **{name: values.reshape(-1) for name, values in losses.items()},
            }
        )


def _weight(model: LinearMemory, goal: Targets, key: Key[Array, ""]) -> dict[str, Array]:
    return {"weight": model.weight}


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
