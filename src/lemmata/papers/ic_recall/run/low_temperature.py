"""Runs of Appendix C's schedule, one large step and a short second stage, at temperatures down to 10^-4 and below."""

from dataclasses import dataclass
from itertools import product
from math import log
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float
from scipy.special import softmax

from lemmata import core
from lemmata.papers.ic_recall.model import log_probability, pattern_logits
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep, descend, perturb
from lemmata.papers.ic_recall.run.fine_tuning_loss import FineTuning, first_step_loss
from lemmata.papers.ic_recall.run.first_step import as_jax, starting_at, theta_of, warmup_data, watch_theta
from lemmata.papers.ic_recall.run.short_schedule import SHORT
from lemmata.papers.ic_recall.task import Dataset, RandomSlopes, confusing_pattern, correct_pattern, dataset_of_kinds
from lemmata.papers.ic_recall.theory.saddle import DESCENDING
from lemmata.train import stack

KINDS = 32
CHUNK = 100  # records between two looks at whether all seeds have arrived
PASSED = log(9e-4)  # of 1 - p(r_1): no lemma speaks of what comes after

LEAST_DROP = 2e-13  # of the loss: logits / T are of order 1e4 there, so that a smaller drop is one of rounding


@dataclass(frozen=True, kw_only=True)
class LowTemperature(core.RunConfig):
    """Algorithm 1's short schedule in worlds of drawn slopes, at each share of confusing sequences and temperature.

    A sample of any size is a multinomial draw over the world's kinds of sequence: exact, and as cheap at 10^13
    sequences as at ten. Each of `sample_constants` is a K in |D| = K log(1/T)^3 / T^3; 0 takes one sequence.
    """

    kind = "ic-recall/low-temperature"
    version = 2

    n: Annotated[int, core.Bound(least=5, most=251)] = 251  # every kind of sequence is counted
    confusing: core.Some[Annotated[float, core.Bound(above=0, most=1)]] = (0.5,)
    mismatched: Annotated[float, core.Bound(above=0, most=1)] = 0.5
    temperatures: core.Some[core.Positive] = (1e-3, 5e-4, 2.5e-4, 1.25e-4)
    seeds: core.Some[int] = (0, 1, 2, 3, 4, 5)
    schedule: OneLargeStep = SHORT
    sample_constants: core.Some[core.NonNegative] = (1.0, 0.0)
    steps: core.Count = 20_000
    every: core.Count = 20

    def cross_check(self) -> None:
        for share in self.confusing:
            self._world(share)
        limit = 1 / (40 * log(self.n))
        for t in self.temperatures:
            core.require(t < limit, "temperatures", t, f"below 1/(40 log n) = {limit:.4g}")
            largest = sample_size(max(self.sample_constants), t)
            smallest = (min(self.confusing) * t) ** 3
            core.require(
                smallest >= LEAST_DROP,
                "temperatures",
                t,
                f"one whose escape, a loss smaller by (p_conf T)^3 = {smallest:.2g}, is not lost in rounding",
            )
            core.require(
                largest < 2**62, "temperatures", t, f"one that asks for fewer than 2^62 sequences, not {largest:.3g}"
            )
        core.require(self.steps % self.every == 0, "steps", self.steps, f"a multiple of every = {self.every}")

    def execute(self, context: core.RunContext) -> core.RunOutput:
        axes = self.sample_constants, self.confusing, self.temperatures, self.seeds
        constants, shares, temperatures, seeds = (np.array(column) for column in zip(*product(*axes), strict=True))
        learning_rates = np.array([self.schedule.learning_rates(float(t)) for t in temperatures])
        worlds = {
            (share, seed): self._world(share).draw(seed).kinds(2)[:2] for share in self.confusing for seed in self.seeds
        }
        with core.precision("float64"), np.errstate(divide="ignore"):
            blocks, data = [], []
            for constant, share, t in product(*axes[:-1]):
                kinds = [worlds[share, seed] for seed in self.seeds]
                drawn = [_weights(one[1], constant, t, seed) for one, seed in zip(kinds, self.seeds, strict=True)]
                of_world = [dataset_of_kinds(k[0], w, KINDS) for k, w in zip(kinds, drawn, strict=True)]
                rows = min(KINDS, sample_size(constant, t))  # a sample has no more kinds than sequences
                sample = [dataset_of_kinds(k[0][w > 0], w[w > 0], rows) for k, w in zip(kinds, drawn, strict=True)]
                blocks.append(
                    self._trained(t, sample, of_world, context, f"K = {constant:g}, p = {share:g}, T = {t:g}")
                )
                data += of_world
            settled, path, wrong = (np.concatenate(part) for part in zip(*blocks, strict=True))
            t, counts = as_jax(temperatures), stack([one.log_counts for one in data])
            weights = stack([one.weights for one in data])
            sampled = np.asarray(jnp.sum(weights * _confusing(counts), axis=-1))  # p_conf, of the sample
            least = np.asarray(_least_eigenvalue(as_jax(settled), counts, weights, t))
            two = as_jax(np.full((1, 13), -np.inf)).at[:, np.array([correct_pattern(2), confusing_pattern(2)])].set(0.0)
            alone = jnp.broadcast_to(two, (len(data), 1, 13)), jnp.ones((len(data), 1))
            uniform, after = (np.asarray(_curvature(as_jax(at), *alone, t)) for at in (0 * settled, settled))
        v, v1 = softmax(path, axis=-1), softmax(settled, axis=-1)
        step = np.arange(0, self.steps + 1, self.every)
        gap = (v[..., 0] - v[..., 2]) * (v[..., 1] - v[..., 3])
        with np.errstate(divide="ignore", invalid="ignore"):  # the control may give r_1 no probability at all
            loss = -np.log1p(-np.exp(wrong))
            growth = (gap[:, 1:] / gap[:, :-1]) ** (1 / self.every) - 1
            unit = temperatures / (learning_rates[:, 1] * sampled)
        escaped = loss <= np.log(2.0) - (sampled * temperatures)[:, None] ** 3
        escaped &= (sampled > 0)[:, None]  # where the sample has no confusing sequence nothing is promised or learned
        # Lemma C.3 bounds the growth from the escape until p(r_1) passes 0.9991. Beyond a path's end there are NaNs.
        spoken_of = escaped[:, :-1] & (wrong[:, 1:] > PASSED)
        columns = {
            "sample_constant": constants,
            "confusing": shares,
            "temperature": temperatures,
            "seed": seeds,
            "eta2": learning_rates[:, 1],
            "p_conf": sampled,
            "is_confusing": np.array([_confusing_share(*worlds[share, seed]) for _, share, _, seed in product(*axes)]),
            **{f"v{i + 1}": v1[:, i] for i in range(6)},
            "curvature_uniform": uniform,
            "curvature_after": after,
            "least_eigenvalue": least,
            "escape_steps": _first(escaped, step),
            "accurate_steps": _first(wrong <= np.log(1e-3), step),
            "slowest_growth": np.where(spoken_of, growth, np.inf).min(axis=1) * unit,
        }
        kept = slice(0, len(self.confusing) * len(self.temperatures) * len(self.seeds), len(self.seeds))
        return core.RunOutput(columns, {"gap": gap[kept], "log_wrong": wrong[kept], "step": step})

    def _trained(
        self, t: float, sample: list[Dataset], of_world: list[Dataset], context: core.RunContext, name: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every seed at one temperature: scores after Stage 1, and through Stage 2 scores and log(1 - p(r_1)), NaN from
        where all seeds have passed all that the lemmas speak of."""
        many, counts = len(sample), stack([one.log_counts for one in of_world])
        task = stack([FineTuning(one, t) for one in sample])
        first, second = ([eta] * many for eta in self.schedule.learning_rates(t))
        how: dict[str, Any] = {"probe": watch_theta, "context": context}
        start = starting_at(np.zeros((many, 6)))
        models, found = descend(first_step_loss, theta_of, task, start, first, (1,), stage=f"{name}: stage 1", **how)
        settled = found["theta"][:, -1]
        models = perturb(
            theta_of, models, as_jax(np.full(many, self.schedule.radius(t))), core.named_keys(self.seeds, "push", "low")
        )
        path = np.full((many, self.steps // self.every + 1, 6), np.nan)
        wrong = np.full(path.shape[:2], np.nan)
        for done in range(0, self.steps, CHUNK * self.every):
            stops = range(self.every, min(CHUNK * self.every, self.steps - done) + 1, self.every)
            stage = f"{name}: stage 2 from {done}"
            models, found = descend(first_step_loss, theta_of, task, models, second, stops, stage=stage, **how)
            here = slice(done // self.every, done // self.every + len(stops) + 1)
            path[:, here] = found["theta"]
            errors = _worst_log_wrong(as_jax(found["theta"]), counts, _confusing(counts), as_jax(np.full(many, t)))
            wrong[:, here] = np.asarray(errors)
            if (wrong[:, here.stop - 1] <= PASSED).all():
                break
        return settled, path, wrong

    def _world(self, confusing: float) -> RandomSlopes:
        return RandomSlopes(n=self.n, confusing=confusing, mismatched=self.mismatched)


def sample_size(constant: float, temperature: float) -> int:
    return int(max(1, constant * np.log(1 / temperature) ** 3 / temperature**3))


def _weights(share: np.ndarray, constant: float, temperature: float, seed: int) -> np.ndarray:
    """The share of each kind in a sample of the lemma's size."""
    rng = core.named_generator(seed, "sample", f"{temperature}")
    size = sample_size(constant, temperature)
    return rng.multinomial(size, share) / size


def _confusing_share(kinds: np.ndarray, share: np.ndarray) -> float:
    return float(share @ (kinds[:, confusing_pattern(2)] > 0))


def _first(reached: np.ndarray, step: np.ndarray) -> np.ndarray:
    return np.where(reached.any(axis=1), step[reached.argmax(axis=1)], np.nan)


def _confusing(log_counts: Float[Array, "replica kinds 13"]) -> Bool[Array, "replica kinds"]:
    return jnp.isfinite(log_counts[..., confusing_pattern(2)])


@jax.jit
def _worst_log_wrong(
    paths: Float[Array, "replica step 6"],
    log_counts: Float[Array, "replica kinds 13"],
    asked: Bool[Array, "replica kinds"],
    temperatures: Float[Array, " replica"],
) -> Float[Array, "replica step"]:
    """log(1 - p(r_1)) on the worst of the kinds of sequence that are asked for, along each path."""

    def one(
        theta: Float[Array, " 6"], counts: Float[Array, "kinds 13"], which: Bool[Array, " kinds"], t: Float[Array, ""]
    ):
        scaled = pattern_logits(jax.nn.softmax(theta), 2) / t + counts
        others = scaled.at[:, correct_pattern(2)].set(-jnp.inf)  # under Assumption 2.2 r_1 alone fits the context
        wrong = jax.nn.logsumexp(others, axis=1) - jax.nn.logsumexp(scaled, axis=1)
        return jnp.where(which, wrong, -jnp.inf).max()

    return jax.vmap(jax.vmap(one, in_axes=(0, None, None, None)))(paths, log_counts, asked, temperatures)


def _sample_loss(
    theta: Float[Array, " 6"],
    log_counts: Float[Array, "kinds 13"],
    weights: Float[Array, " kinds"],
    t: Float[Array, ""],
) -> Float[Array, ""]:
    return -weights @ log_probability(theta, log_counts, t, 2)


@jax.jit
@jax.vmap
def _least_eigenvalue(*at: Float[Array, "..."]) -> Float[Array, ""]:
    """Of the Hessian of L_1 over the sample."""
    return jnp.linalg.eigvalsh(jax.hessian(_sample_loss)(*at))[0]


@jax.jit
@jax.vmap
def _curvature(theta: Float[Array, " 6"], *rest: Float[Array, "..."]) -> Float[Array, ""]:
    """The second derivative of the loss along the escaping direction."""
    return jax.grad(jax.grad(lambda x: _sample_loss(theta + x * as_jax(DESCENDING), *rest)))(jnp.zeros(()))


@dataclass(frozen=True, kw_only=True)
class Movement(core.RunConfig):
    """How far gradient descent has gone from where it started, on the warm-up, with steps of each `factors` / l.

    l = `smoothness` / T^2 is the measured constant (see the smoothness run), rounded up.
    """

    kind = "ic-recall/movement"
    temperatures: core.Some[core.Positive] = (0.02, 0.05, 0.1)
    smoothness: core.Positive = 0.032
    factors: core.Some[core.Positive] = (1.0, 40.0)
    steps: core.Count = 2000
    seed: int = 0

    def execute(self, context: core.RunContext) -> core.RunOutput:
        many, times = len(self.temperatures), len(self.factors)
        random = core.named_generator(self.seed, "movement").normal(size=(many, 6))
        starts = np.concatenate([np.zeros((many, 6)), random])
        factor, t = np.repeat(self.factors, len(starts)), np.tile(self.temperatures, 2 * times)
        with core.precision("float64"):
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
        return core.RunOutput({name: column[table["step"] > 0] for name, column in table.items()})
