"""The first decoding step alone, as the reduced model computes it (float64): theta and omega never meet in a loss."""

from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, Key

from lemmata.core import Metrics, named_generator, to_jax
from lemmata.papers.ic_recall.model import PatternModel, pattern_logits
from lemmata.papers.ic_recall.task import Affine, AllBijections, Dataset, correct_pattern, dataset, patterns
from lemmata.papers.ic_recall.theory.relations import TABLE_1, matching_of
from lemmata.train import stack

LogCounts = Float[Array, " 13"]
Temperature = Float[Array, ""] | float


def warmup_data() -> Dataset:
    """Three subjects, all six bijections: every sequence is alike."""
    return dataset(AllBijections(n=3).draw(), 1, 2, seed=0, name="warm-up")


def warmup_log_counts() -> LogCounts:
    return warmup_data().log_counts[0]


def affine_log_counts(n: int) -> LogCounts:
    """The full affine world of n subjects: again every sequence is alike."""
    return dataset(Affine(n=n).draw(), 1, 2, seed=0, name="affine").log_counts[0]


def loss_in_v(v: Float[Array, " 6"], log_counts: LogCounts, temperature: Temperature) -> Float[Array, ""]:
    scaled = pattern_logits(v, 2) / temperature
    return jax.nn.logsumexp(scaled + log_counts) - scaled[correct_pattern(2)]


def loss_in_theta(theta: Float[Array, " 6"], log_counts: LogCounts, temperature: Temperature) -> Float[Array, ""]:
    return loss_in_v(jax.nn.softmax(theta), log_counts, temperature)


def warmup_rows() -> list[int]:
    """Where r_1 ... r_6 of Table 1 stand among the model's patterns."""
    return [patterns(2).index(matching_of(row)) for row in TABLE_1]


def simplex_points(rows: int, seed: int, name: str) -> Float[np.ndarray, "rows 6"]:
    """Random attention vectors, uniform on the simplex."""
    return named_generator(seed, name).dirichlet(np.ones(6), size=rows)


def scores_of(v: np.ndarray) -> Float[np.ndarray, "... 6"]:
    """theta with softmax(theta) = v; zeros become scores so low that nothing is left of them."""
    return np.log(np.maximum(v, 1e-80))


def near_ties(rows: int, temperature: float, seed: int) -> Float[np.ndarray, "rows 6"]:
    """Attention vectors at which l(r_1) - l(r_2) is a few T: where the loss bends most at low temperature.

    The same draws at every temperature, so that a maximum over them changes with T alone.
    """
    points = simplex_points(rows, seed, "near ties")
    points[:, 4:] *= 0.1  # little attention on the query and EoS: only r_1 and r_2 compete
    points /= points.sum(-1, keepdims=True)
    spread = named_generator(seed, "spread").uniform(-4, 4, size=rows) * temperature
    apart = points[:, 0] - points[:, 2]
    wanted = spread / (2 * np.where(np.abs(apart) < 1e-3, 1e-3, apart))
    total = points[:, 1] + points[:, 3]
    half = np.clip(wanted, -total, total) / 2
    points[:, 1], points[:, 3] = total / 2 + half, total / 2 - half
    return points


def as_jax(values: np.ndarray) -> Float[Array, "..."]:
    return to_jax(values, np.float64)


def starting_at(thetas: Float[np.ndarray, "replica 6"]) -> PatternModel:
    """A stack of models with these first-step scores, to be trained by their `theta_of` alone."""
    blank = PatternModel.zeros(2, 3)
    return stack([eqx.tree_at(theta_of, blank, to_jax(theta)) for theta in thetas])


def theta_of(model: PatternModel) -> Any:
    return model.theta


def watch_theta(model: PatternModel, task: Any, key: Key[Array, ""]) -> Metrics:
    """A probe: the scores themselves."""
    return {"theta": model.theta}
