"""Stage 1 of the short schedule, one large step from zero, in as many digits as it takes (Lemma C.1).

What the lemma bounds is far below what float64 can tell from 0: at T = 10^-4 it is exp(-278) beside numbers of order 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Annotated, Any, NamedTuple

import numpy as np
from mpmath import mp, mpf

from lemmata.core import Bound, NonNegative, RunConfig, RunContext, RunOutput, Some, named_generator, require
from lemmata.papers.ic_recall.run.algorithm_1 import OneLargeStep
from lemmata.papers.ic_recall.run.short_schedule import SHORT
from lemmata.papers.ic_recall.task import (
    RandomSlopes,
    SomeAffine,
    confusing_pattern,
    correct_pattern,
    mismatched_patterns,
    patterns,
)

FIVE = SomeAffine(n=5, share=0.3)
ATTEMPTS = 100  # at a world with confusing sequences; some settings have none
Exact = Any  # an mpmath number
Kind = tuple[int, ...]  # how many relations show each pattern
CONFUSING, CORRECT, MISMATCHED = confusing_pattern(2), correct_pattern(2), np.flatnonzero(mismatched_patterns(2))


def digits(temperature: float) -> int:
    """So many that what is of order exp(-1/(15T)) has thirty of them left beside 1."""
    return ceil(1 / (15 * temperature * log(10))) + 30


@dataclass(frozen=True, kw_only=True)
class ExactFirstStep(RunConfig):
    """One step of size eta_1 from theta = 0, on |D| = log(1/T)^2 / T^`sample_power` sequences of one world a seed.

    The lemma asks for more than log(1/T)^2 / T^3 sequences: any power above 3.
    """

    kind = "ic-recall/exact-first-step"
    version = 2

    world: SomeAffine | RandomSlopes = FIVE
    world_seed: int = 0
    temperatures: Some[Annotated[float, Bound(least=2e-5)]] = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6e-5)
    sample_power: NonNegative = 3.75
    schedule: OneLargeStep = SHORT
    seeds: Some[int] = tuple(range(24))
    hottest_start: Annotated[float, Bound(above=0, most=0.05)] = 0.02  # of the temperatures at which the start is read

    def cross_check(self) -> None:
        limit = 1 / (40 * log(self.world.n))
        for t in self.temperatures:
            require(t < limit, "temperatures", t, f"below 1/(40 log n) = {limit:.4g}")
            size = log(1 / t) ** 2 / t**self.sample_power
            few = f"one that asks for fewer than 2^62 sequences, not {size:.3g}"
            require(size < 2**62, "sample_power", self.sample_power, few)

    def execute(self, context: RunContext) -> RunOutput:
        counts, repeats = self._kinds()
        kinds = [tuple(int(count) for count in row) for row in counts]
        rows = []
        for done, t in enumerate(self.temperatures):
            with mp.workdps(digits(t)):
                start = Attention.uniform(t)
                slopes = [start.gradient(kind) for kind in kinds]
                for seed in self.seeds:
                    sample = self._sample(repeats / repeats.sum(), t, seed)
                    mean = _mean(slopes, sample)
                    eta = self.schedule.learning_rates(t)[0]
                    alpha = mpf(eta) / t * (mean[4] - sum(mean) / 6) / 72  # the step to first order
                    rows.append({"temperature": t, "seed": seed, **_reading(start.moved(mean, eta), alpha, kinds)})
            context.progress("temperatures", done + 1, len(self.temperatures))
        hot = np.geomspace(self.hottest_start, max(self.temperatures), 4)[:-1]
        start_rows = [row for t in (*hot, *self.temperatures) for row in _at_the_start(float(t), kinds)]
        metrics = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        arrays = {f"start_{name}": np.array([row[name] for row in start_rows]) for name in start_rows[0]}
        return RunOutput(metrics, {**arrays, "kind_share": repeats / repeats.sum()})

    def _kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """The kinds of sequence of the first world drawn in which some are confusing, as the lemma assumes, and how
        many sequences there are of each."""
        if isinstance(self.world, RandomSlopes):  # 32 kinds at any n, known by counting slopes
            counts, shares, _ = self.world.draw(self.world_seed).kinds(2)
            return counts, shares
        worlds = (self.world.draw(self.world_seed + attempt) for attempt in range(ATTEMPTS))
        found = (np.unique(world.counts(world.every_sequence(2)), axis=0, return_counts=True) for world in worlds)
        first = next(found)
        if np.any(first[0][:, CONFUSING]):
            return first
        return next((one for one in found if np.any(one[0][:, CONFUSING])), first)

    def _sample(self, share: np.ndarray, temperature: float, seed: int) -> np.ndarray:
        """How many sequences of each kind a sample has."""
        rng = named_generator(seed, "sample", f"{temperature}")
        return rng.multinomial(sample_size(temperature, self.sample_power), share)


def sample_size(temperature: float, power: float) -> int:
    return max(1, int(log(1 / temperature) ** 2 / temperature**power))


def _mean(slopes: Sequence[Sequence[Exact]], sample: np.ndarray) -> list[Exact]:
    """The mean gradient over a sample with so many sequences of each kind."""
    drawn = [(int(many), slope) for many, slope in zip(sample, slopes, strict=True) if many]
    return [sum((many * slope[i] for many, slope in drawn), mpf(0)) / int(sample.sum()) for i in range(6)]


class Attention(NamedTuple):
    """An exact v at a temperature, and the weight exp((l - l(r_1)) / T) of a relation of each pattern."""

    v: list[Exact]
    temperature: Exact
    weights: list[Exact]

    @classmethod
    def uniform(cls, temperature: float) -> "Attention":
        return cls.of([mpf(1) / 6] * 6, mpf(temperature))

    @classmethod
    def of(cls, v: list[Exact], temperature: Exact) -> "Attention":
        logits = [sum((2 * v[2 * i] * v[2 * j + 1] for i, j in pattern), mpf(0)) for pattern in patterns(2)]
        return cls(v, temperature, [mp.exp((logit - logits[CORRECT]) / temperature) for logit in logits])

    def masses(self, kind: Kind) -> list[Exact]:
        """Of all relations of a pattern together, that of r_1 being 1."""
        return [weight * count if count else mpf(0) for weight, count in zip(self.weights, kind, strict=True)]

    def wrong(self, kind: Kind) -> Exact:
        """1 - p(r_1)."""
        total = sum((weight * count for weight, count in zip(self.weights, kind, strict=True) if count), mpf(0))
        return (total - 1) / total

    def gradient(self, kind: Kind) -> list[Exact]:
        """T dl/dv on a sequence of this kind; the squares' part is the same for every relation and drops out."""
        masses = self.masses(kind)
        total = sum(masses, mpf(0))
        excess = [mass / total - (i == CORRECT) for i, mass in enumerate(masses)]
        slope = [mpf(0)] * 6
        for q, pattern in zip(excess, patterns(2), strict=True):
            twice = 2 * q
            for i, j in pattern if q else ():
                slope[2 * i] += twice * self.v[2 * j + 1]
                slope[2 * j + 1] += twice * self.v[2 * i]
        return slope

    def moved(self, scaled_gradient: Sequence[Exact], eta: float) -> "Attention":
        """After a step of this learning rate in theta, from T times the gradient in v."""
        mean = sum((a * b for a, b in zip(self.v, scaled_gradient, strict=True)), mpf(0))
        theta = [-mpf(eta) / self.temperature * v * (g - mean) for v, g in zip(self.v, scaled_gradient, strict=True)]
        weights = [v * mp.exp(x) for v, x in zip(self.v, theta, strict=True)]
        return Attention.of([w / sum(weights) for w in weights], self.temperature)


def _log(value: Exact) -> float:
    return float(mp.log(abs(value))) if value else -np.inf


def _reading(after: Attention, alpha: Exact, kinds: Sequence[Kind]) -> dict[str, float]:
    """What Lemma C.1 says of the point: v, and log-distances, the worst over kinds of sequence."""
    v = after.v
    ideal = [mpf(1) / 6 + alpha * x for x in (1, 0, 1, 0, -2, 0)]
    found = {
        **{f"v{i + 1}": float(x) for i, x in enumerate(v)},
        "alpha": float(alpha),
        "rest": float(max(abs(a - b) for a, b in zip(v, ideal, strict=True))),
        "log_subjects_apart": _log(v[0] - v[2]),
        "log_answers_apart": _log(v[1] - v[3]),
    }
    for name, is_confusing in (("plain", False), ("confusing", True)):
        wrong = [after.wrong(kind) for kind in kinds if bool(kind[CONFUSING]) == is_confusing]
        found[f"log_wrong_{name}"] = _log_of_largest(wrong)
        found[f"log_off_half_{name}"] = _log_of_largest([w - mpf(1) / 2 for w in wrong])
    return found


def _log_of_largest(values: Sequence[Exact]) -> float:
    """The largest logarithm; one is taken alone, for it costs more than everything else."""
    return _log(max(values, key=abs)) if values else np.nan


def _at_the_start(temperature: float, kinds: Sequence[Kind]) -> list[dict[str, Any]]:
    """Every kind of sequence at v = 1/6: p(r_1), and T times the gradient."""
    rows = []
    with mp.workdps(digits(temperature)):
        start = Attention.uniform(temperature)
        for kind in kinds:
            slope, matching = start.gradient(kind), [kind[i] for i, p in enumerate(patterns(2)) if len(p) == 2]
            right = 1 - start.wrong(kind)
            rows.append(
                {
                    "temperature": temperature,
                    "matchings": sum(matching),  # I(Z)
                    "confusing": bool(kind[CONFUSING]),
                    "mismatched": any(kind[i] for i in MISMATCHED),
                    "p": float(right),
                    "log_short_of": _log(mpf(1) / sum(matching) - right),
                    "slope": [float(x) for x in slope],
                    "log_slope": [_log(x) for x in slope],
                    "log_sum": _log(slope[0] + slope[2] + slope[4]),
                }
            )
    return rows
