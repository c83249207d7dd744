"""Runs of Appendix C's schedule, one large step and a short second stage, at temperatures down to 10^-4 and below."""

from dataclasses import dataclass
from math import log
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.special import softmax

from lemmata.core import (
    Bound,
    Count,
    Inside,
    NonNegative,
    Positive,
    RunConfig,
    RunContext,
    RunOutput,
    Some,
    named_generator,
    named_keys,
    precision,
    require,
)
from lemmata.papers.ic_recall.model import pattern_logits
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep, algorithm_1, descend
from lemmata.papers.ic_recall.run.first_step import (
    as_jax,
    loss_in_theta,
    starting_at,
    theta_of,
    warmup_data,
    watch_theta,
)
from lemmata.papers.ic_recall.run.problems import FineTuning, first_step_loss
from lemmata.papers.ic_recall.task import Affine, Dataset, confusing_pattern, correct_pattern, mismatched_patterns
from lemmata.papers.ic_recall.theory.saddle import DESCENDING
from lemmata.train import stack


@dataclass(frozen=True, kw_only=True)
class LowTemperature(RunConfig):
    """Algorithm 1's short schedule on the affine world of n subjects whose slopes form a subgroup of this index.

    With -1 among the slopes every sequence is confusing; which mismatched relations exist depends on the sequence
    through (s_3 - s_1)/(s_2 - s_1) alone, so a sample of any size is a multinomial draw over its n - 2 values: exact,
    and as cheap at 10^13 sequences as at ten. Each of `sample_constants` is a K in |D| = K log(1/T)^3 / T^3; 0 takes
    one sequence.
    """

    kind = "ic-recall/low-temperature"
    n: Annotated[int, Bound(least=3, most=100_000)] = 101  # every s_3 is counted
    index: Count = 2
    temperatures: Some[Positive] = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6e-5)
    seeds: Some[int] = (0, 1, 2, 3, 4, 5)
    c1: Positive = 100.0  # eta_1 = c1 T sqrt(T) log(1/T)
    c2: Positive = 1000.0  # eta_2 = c2 T^2
    sample_constants: Some[NonNegative] = (1.0, 0.0)
    steps: Count = 20_000
    every: Count = 20
    delta: Inside = 0.1

    def cross_check(self) -> None:
        require((self.n - 1) % self.index == 0, "index", self.index, f"a divisor of n - 1 = {self.n - 1}")
        require(((self.n - 1) // self.index) % 2 == 0, "index", self.index, "one that leaves -1 among the slopes")
        Affine(n=self.n, subgroup=(self.n - 1) // self.index)
        limit = 1 / (40 * log(self.n))
        for t in self.temperatures:
            require(t < limit, "temperatures", t, f"below 1/(40 log n) = {limit:.4g}")
            largest = sample_size(max(self.sample_constants), t)
            require(
                largest < 2**62, "temperatures", t, f"one that asks for fewer than 2^62 sequences, not {largest:.3g}"
            )
        require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    def execute(self, context: RunContext) -> RunOutput:
        cells = [(k, t, seed) for k in self.sample_constants for t in self.temperatures for seed in self.seeds]
        constants, temperatures, seeds = (np.array(column) for column in zip(*cells, strict=True))
        schedule = OneLargeStep(c1=self.c1, c2=self.c2, delta=self.delta)
        rates = np.array([schedule.rates(t) for _, t, _ in cells])
        counts, share = self._kinds()
        with precision("float64"), np.errstate(divide="ignore"):
            data = [Dataset(as_jax(counts), as_jax(_weights(share, *cell))) for cell in cells]
            trained = algorithm_1(
                first_step_loss,
                theta_of,
                schedule,
                stack([FineTuning(one, t) for one, (_, t, _) in zip(data, cells, strict=True)]),
                starting_at(np.zeros((len(cells), 6))),
                named_keys(seeds.tolist(), "push", "low"),
                stops=((1,), range(self.every, self.steps + 1, self.every)),
                probe=watch_theta,
                context=context,
            )
            settled, path = trained.stage1["theta"][:, -1], trained.stage2["theta"]
            most = counts[np.argmax(counts[:, mismatched_patterns(2)].sum(axis=1))]  # the hardest kind
            confusing = as_jax(np.log(most))
            plain = confusing.at[confusing_pattern(2)].set(-jnp.inf)
            two = jnp.full(13, -jnp.inf).at[np.array([correct_pattern(2), confusing_pattern(2)])].set(0.0)
            t, whole = as_jax(temperatures), as_jax(np.concatenate([settled[:, None], path], axis=1))
            both, alone = (np.asarray(_log_wrong_along(whole, kind, t)) for kind in (confusing, plain))
            uniform = np.asarray(_curvature(as_jax(0 * settled), two, t))
            after = np.asarray(_curvature(as_jax(settled), confusing, t))
        v, v1, wrong, step = softmax(path, axis=-1), softmax(settled, axis=-1), both[:, 1:], trained.stage2.steps
        gap = (v[..., 0] - v[..., 2]) * (v[..., 1] - v[..., 3])
        with np.errstate(divide="ignore", invalid="ignore"):  # the control may give r_1 no probability at all
            loss = -np.log1p(-np.exp(wrong))
            growth = (gap[:, 1:] / gap[:, :-1]) ** (1 / self.every) - 1
        escaped = loss <= np.log(2.0) - temperatures[:, None] ** 3
        # Lemma C.3 bounds the growth from the escape until p(r_1) passes 0.9991.
        spoken_of = escaped[:, :-1] & (wrong[:, 1:] > np.log(9e-4))
        columns = {
            "sample_constant": constants,
            "temperature": temperatures,
            "seed": seeds,
            "eta1": rates[:, 0],
            "eta2": rates[:, 1],
            **{f"v{i + 1}": v1[:, i] for i in range(6)},
            "log_wrong_confusing": both[:, 0],
            "log_wrong_plain": alone[:, 0],
            "curvature_uniform": uniform,
            "curvature_after": after,
            "escape_steps": _first(escaped, step),
            "accurate_steps": _first(wrong <= np.log(1e-3), step),
            "slowest_growth": np.where(spoken_of, growth, np.inf).min(axis=1) * temperatures / rates[:, 1],
            "moved": np.linalg.norm(v - v1[:, None], axis=-1).max(axis=1),
            "final_log_wrong": wrong[:, -1],
        }
        kept = slice(0, len(self.temperatures) * len(self.seeds), len(self.seeds))
        return RunOutput(columns, {"gap": gap[kept], "log_wrong": wrong[kept], "v": v[kept], "step": step})

    def _kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """Pattern counts of every kind of sequence, and its share: r = identity, s_1 = 0, s_2 = 1, any s_3."""
        world = Affine(n=self.n, subgroup=(self.n - 1) // self.index).draw()
        thirds = np.arange(2, self.n)
        subjects = np.stack([0 * thirds, 0 * thirds + 1, thirds], axis=1)
        every = world.counts(world.sequences_of(0 * thirds + 1, 0 * thirds, subjects))
        kinds, repeats = np.unique(every, axis=0, return_counts=True)
        return kinds, repeats / repeats.sum()


def sample_size(constant: float, temperature: float) -> int:
    return int(max(1, constant * np.log(1 / temperature) ** 3 / temperature**3))


def _weights(share: np.ndarray, constant: float, temperature: float, seed: int) -> np.ndarray:
    """The share of each kind in a sample of the lemma's size."""
    rng = named_generator(seed, "sample", f"{temperature}")
    size = sample_size(constant, temperature)
    return rng.multinomial(size, share) / size


def _first(reached: np.ndarray, step: np.ndarray) -> np.ndarray:
    return np.where(reached.any(axis=1), step[reached.argmax(axis=1)], np.nan)


def _log_wrong(theta: Float[Array, " 6"], log_counts: Float[Array, " 13"], t: Float[Array, ""]) -> Float[Array, ""]:
    """log(1 - p(r_1)) on a sequence with these counts."""
    correct = correct_pattern(2)
    scaled = pattern_logits(jax.nn.softmax(theta), 2) / t + log_counts
    others = scaled.at[correct].add(jnp.where(log_counts[correct] > 0, 0.0, -jnp.inf))
    return jax.nn.logsumexp(others) - jax.nn.logsumexp(scaled)


_log_wrong_along = jax.jit(jax.vmap(jax.vmap(_log_wrong, in_axes=(0, None, None)), in_axes=(0, None, 0)))


@jax.jit
def _curvature(
    thetas: Float[Array, "replica 6"], log_counts: Float[Array, " 13"], temperatures: Float[Array, " replica"]
) -> Float[Array, " replica"]:
    """The second derivative of the loss along the escaping direction."""

    def along(x: Float[Array, ""], theta: Float[Array, " 6"], t: Float[Array, ""]) -> Float[Array, ""]:
        return loss_in_theta(theta + x * as_jax(DESCENDING), log_counts, t)

    return jax.vmap(jax.grad(jax.grad(along)), in_axes=(None, 0, 0))(jnp.zeros(()), thetas, temperatures)


@dataclass(frozen=True, kw_only=True)
class Movement(RunConfig):
    """How far gradient descent has gone from where it started, on the warm-up, with steps of each `factors` / l.

    l = `smoothness` / T^2 is the measured constant (see the smoothness run), rounded up.
    """

    kind = "ic-recall/movement"
    temperatures: Some[Positive] = (0.02, 0.05, 0.1)
    smoothness: Positive = 0.032
    factors: Some[Positive] = (1.0, 40.0)
    steps: Count = 2000
    seed: int = 0

    def execute(self, context: RunContext) -> RunOutput:
        many, times = len(self.temperatures), len(self.factors)
        random = named_generator(self.seed, "movement").normal(size=(many, 6))
        starts = np.concatenate([np.zeros((many, 6)), random])
        factor, t = np.repeat(self.factors, len(starts)), np.tile(self.temperatures, 2 * times)
        with precision("float64"):
            _, rows = descend(
                first_step_loss,
                theta_of,
                stack([FineTuning(warmup_data(), float(x)) for x in t]),
                starting_at(np.tile(starts, (times, 1))),
                factor * t**2 / self.smoothness,
                range(1, self.steps + 1),
                probe=watch_theta,
                context=context,
                stage="movement",
            )
        rows["moved"] = np.linalg.norm(rows["theta"] - rows["theta"][:, :1], axis=-1)
        same = {"factor": factor, "temperature": t, "replica": np.arange(len(t)), "first_loss": rows["loss"][:, 0]}
        table = rows.table(names=("moved",), **same)
        return RunOutput({name: column[table["step"] > 0] for name, column in table.items()})
