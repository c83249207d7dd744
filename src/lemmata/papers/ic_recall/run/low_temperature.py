"""Runs of Appendix C's schedule, one large step and a short second stage, at temperatures down to 10^-4 and below."""

from dataclasses import dataclass
from math import log
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from lemmata.core import RunConfig, RunContext, RunOutput, named_integer, precision, require
from lemmata.papers.ic_recall.model import pattern_logits
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep, radius
from lemmata.papers.ic_recall.run.first_step import as_jax, loss_in_theta
from lemmata.papers.ic_recall.run.first_step_training import descend_theta, pushed, softmax, warmup_data
from lemmata.papers.ic_recall.run.problems import FineTuning
from lemmata.papers.ic_recall.task import Affine, Dataset, confusing_pattern, correct_pattern, mismatched_patterns
from lemmata.papers.ic_recall.theory.saddle import DESCENDING


@dataclass(frozen=True, kw_only=True)
class LowTemperature(RunConfig):
    """Algorithm 1's short schedule on the affine world of n subjects whose slopes form a subgroup of this index.

    With -1 among the slopes every sequence is confusing; which mismatched relations exist depends on the sequence
    through (s_3 - s_1)/(s_2 - s_1) alone, so a sample of any size is a multinomial draw over its n - 2 values: exact,
    and as cheap at 10^13 sequences as at ten. Each of `sample_constants` is a K in |D| = K log(1/T)^3 / T^3; 0 takes
    one sequence.
    """

    kind: ClassVar[str] = "ic-recall/low-temperature"
    version: ClassVar[int] = 1
    n: int = 101
    index: int = 2
    temperatures: tuple[float, ...] = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6e-5)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    c1: float = 100.0  # eta_1 = c1 T sqrt(T) log(1/T)
    c2: float = 1000.0  # eta_2 = c2 T^2
    sample_constants: tuple[float, ...] = (1.0, 0.0)
    steps: int = 20_000
    every: int = 20
    delta: float = 0.1

    def __post_init__(self) -> None:
        require((self.n - 1) % self.index == 0, "index", self.index, f"a divisor of n - 1 = {self.n - 1}")
        require(((self.n - 1) // self.index) % 2 == 0, "index", self.index, "one that leaves -1 among the slopes")
        limit = 1 / (40 * log(self.n))
        for t in self.temperatures:
            require(0 < t < limit, "temperatures", t, f"below 1/(40 log n) = {limit:.4g}")
        require(min(self.sample_constants) >= 0, "sample_constants", self.sample_constants, "at least 0")
        require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    def execute(self, context: RunContext) -> RunOutput:
        counts, share = self._kinds()
        triples = [(k, t, seed) for k in self.sample_constants for t in self.temperatures for seed in self.seeds]
        pairs = [(t, seed) for _, t, seed in triples]
        temperatures = np.array([t for t, _ in pairs])
        schedule = OneLargeStep(c1=self.c1, c2=self.c2, delta=self.delta)
        rates = np.array([schedule.rates(t) for t, _ in pairs])
        correct = correct_pattern(2)
        with precision("float64"):
            weights = [self._weights(share, k, t, seed) for k, t, seed in triples]
            tasks = [
                FineTuning(Dataset(as_jax(counts), as_jax(w)), t) for w, (t, _) in zip(weights, pairs, strict=True)
            ]
            first = descend_theta(
                np.zeros((len(pairs), 6)), tasks, rates[:, 0], steps=1, every=1, context=context, stage="stage 1"
            )
            settled = first["theta"][:, -1]
            starts = np.stack(
                [pushed(theta, radius(schedule, t), s, "low") for theta, (t, s) in zip(settled, pairs, strict=True)]
            )
            second = descend_theta(
                starts, tasks, rates[:, 1], steps=self.steps, every=self.every, context=context, stage="stage 2"
            )

            def log_wrong(theta: jax.Array, log_counts: jax.Array, t: jax.Array) -> jax.Array:
                """log(1 - p(r_1)) on a sequence with these counts."""
                scaled = pattern_logits(jax.nn.softmax(theta), 2) / t + log_counts
                others = scaled.at[correct].add(jnp.where(log_counts[correct] > 0, 0.0, -jnp.inf))
                return jax.nn.logsumexp(others) - jax.nn.logsumexp(scaled)

            most = counts[np.argmax(counts[:, mismatched_patterns(2)].sum(axis=1))]  # the hardest kind
            with np.errstate(divide="ignore"):
                confusing = as_jax(np.log(most))
            plain = confusing.at[confusing_pattern(2)].set(-jnp.inf)
            two = jnp.full(13, -jnp.inf).at[np.array([correct, confusing_pattern(2)])].set(0.0)
            along = jax.jit(jax.vmap(jax.vmap(log_wrong, in_axes=(0, None, None)), in_axes=(0, None, 0)))
            paths = as_jax(np.concatenate([settled[:, None], second["theta"]], axis=1))
            both = np.asarray(along(paths, confusing, as_jax(temperatures)))
            wrong, settled_wrong = both[:, 1:], both[:, 0]
            settled_plain = np.asarray(along(paths, plain, as_jax(temperatures)))[:, 0]

            def curve(x: jax.Array, theta: jax.Array, log_counts: jax.Array, t: jax.Array) -> jax.Array:
                return loss_in_theta(theta + x * as_jax(DESCENDING), log_counts, t)

            bend = jax.jit(jax.vmap(jax.grad(jax.grad(curve)), in_axes=(None, 0, None, 0)))
            at = (jnp.zeros(()), as_jax(0 * settled), two, as_jax(temperatures))
            uniform = np.asarray(bend(*at))
            after = np.asarray(bend(at[0], as_jax(settled), confusing, at[3]))
        v, v1 = softmax(second["theta"]), softmax(settled)
        gap = (v[..., 0] - v[..., 2]) * (v[..., 1] - v[..., 3])
        step = np.arange(gap.shape[1]) * self.every
        with np.errstate(divide="ignore"):  # a replica of the control may give r_1 no probability at all
            loss = -np.log1p(-np.exp(wrong))
        escaped = loss <= np.log(2.0) - temperatures[:, None] ** 3
        accurate = wrong <= np.log(1e-3)
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = (gap[:, 1:] / gap[:, :-1]) ** (1 / self.every) - 1
        # Lemma C.3 bounds the growth from the escape until p(r_1) passes 0.9991.
        spoken_of = escaped[:, :-1] & (wrong[:, 1:] > np.log(9e-4))
        slowest = np.where(spoken_of, growth, np.inf).min(axis=1) * temperatures / rates[:, 1]
        columns = {
            "sample_constant": np.array([k for k, _, _ in triples]),
            "temperature": temperatures,
            "seed": np.array([s for _, s in pairs]),
            "eta1": rates[:, 0],
            "eta2": rates[:, 1],
            **{f"v{i + 1}": v1[:, i] for i in range(6)},
            "log_wrong_confusing": settled_wrong,
            "log_wrong_plain": settled_plain,
            "curvature_uniform": uniform,
            "curvature_after": after,
            "escape_steps": _first(escaped, step),
            "accurate_steps": _first(accurate, step),
            "slowest_growth": slowest,
            "moved": np.linalg.norm(v - v1[:, None], axis=-1).max(axis=1),
            "final_log_wrong": wrong[:, -1],
        }
        kept = slice(0, len(self.temperatures) * len(self.seeds), len(self.seeds))
        arrays = {"gap": gap[kept], "log_wrong": wrong[kept], "v": v[kept], "step": step}
        return RunOutput(columns, arrays)

    def _kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """Pattern counts of every kind of sequence, and its share: r = identity, s_1 = 0, s_2 = 1, any s_3."""
        world = Affine(n=self.n, subgroup=(self.n - 1) // self.index).draw()
        thirds = np.arange(2, self.n)
        subjects = np.stack([0 * thirds, 0 * thirds + 1, thirds], axis=1)
        every = world.counts(world.sequences_of(0 * thirds + 1, 0 * thirds, subjects))
        kinds, repeats = np.unique(every, axis=0, return_counts=True)
        return kinds, repeats / repeats.sum()

    def _weights(self, share: np.ndarray, constant: float, temperature: float, seed: int) -> np.ndarray:
        rng = np.random.default_rng(named_integer(seed, "sample", f"{temperature}"))
        size = int(max(1, constant * np.log(1 / temperature) ** 3 / temperature**3))
        return rng.multinomial(size, share) / size


def _first(reached: np.ndarray, step: np.ndarray) -> np.ndarray:
    return np.where(reached.any(axis=1), step[reached.argmax(axis=1)], np.nan)


@dataclass(frozen=True, kw_only=True)
class Movement(RunConfig):
    """How far gradient descent has gone from where it started, on the warm-up, with steps of each `factors` / l.

    l = `smoothness` / T^2 is the measured constant (see the smoothness run), rounded up.
    """

    kind: ClassVar[str] = "ic-recall/movement"
    version: ClassVar[int] = 1
    temperatures: tuple[float, ...] = (0.02, 0.05, 0.1)
    smoothness: float = 0.032
    factors: tuple[float, ...] = (1.0, 40.0)
    steps: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        require(min(self.temperatures) > 0, "temperatures", self.temperatures, "above 0")
        require(self.smoothness > 0, "smoothness", self.smoothness, "above 0")
        require(min(self.factors) > 0, "factors", self.factors, "above 0")

    def execute(self, context: RunContext) -> RunOutput:
        temperatures = np.array(self.temperatures)
        rng = np.random.default_rng(named_integer(self.seed, "movement"))
        starts = np.concatenate([np.zeros((len(temperatures), 6)), rng.normal(size=(len(temperatures), 6))])
        times = len(self.factors)
        factor, t = np.repeat(self.factors, len(starts)), np.tile(temperatures, 2 * times)
        with precision("float64"):
            data = warmup_data()
            rows = descend_theta(
                np.tile(starts, (times, 1)),
                [FineTuning(data, float(x)) for x in t],
                factor * t**2 / self.smoothness,
                steps=self.steps,
                every=1,
                context=context,
                stage="movement",
            )
        moved = np.linalg.norm(rows["theta"] - rows["theta"][:, :1], axis=-1)[:, 1:]
        replicas, steps = moved.shape
        return RunOutput(
            {
                "factor": np.repeat(factor, steps),
                "temperature": np.repeat(t, steps),
                "replica": np.repeat(np.arange(replicas), steps),
                "step": np.tile(np.arange(1, steps + 1), replicas),
                "moved": moved.ravel(),
                "first_loss": np.repeat(rows["loss"][:, 0], steps),
            }
        )
