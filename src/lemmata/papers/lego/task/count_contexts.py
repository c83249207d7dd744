"""What stands around the answered pair, for S_n and the features of Theorem C.1: how often each value is sent to each.

With those features a neuron r_{j,y} sees of a predicate whether its action sends y to j, so that the other L - 1
predicates matter by their count matrix alone: N[j, y] of them send y to j. Name classes by what g_2 makes of a value
(multiply every action by its inverse), and g_2 is the identity, the right class is y_1, and the other actions are
independent and uniform, g_1 too, whatever y_0 and y_1 are. Values are named so that y_1 is 0 and y_0, where it
differs, is 1. Count matrices are few for short sentences. For longer ones they are drawn with known weights, often
where predicates collide: such sentences are rare and have most of the loss.
"""

import itertools

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import named_generator, require, to_jax

SUMS = 200_000  # of matrices, at most, on the way to all of them
COLLIDING = (0.0, 0.3, 0.6, 0.9)  # of draws: the chance that an action is made to collide


class CountContexts(eqx.Module):
    counts: Float[Array, "contexts classes values"]
    weights: Float[Array, " contexts"]  # probabilities
    length: Float[Array, ""]


def count_contexts(points: int, length: int, *, most: int, drawn: int, seed: int = 0) -> CountContexts:
    """All of D^L up to a renaming of values 2, 3, ...; `drawn` weighted ones where there are more than `most`."""
    require(length >= 2, "length", length, "at least 2")
    found = enumerated(points, length - 1, most)
    counts, weights = found or weighted(points, length - 1, drawn, seed)
    return CountContexts(to_jax(counts, float), to_jax(weights, float), to_jax(length, float))


def worst_context(points: int, length: int) -> CountContexts:
    """Lemma F.9's: y_0 is not y_1, and every other action makes of y_0 what g_2 makes of it, and not so of y_1."""
    action = [2, 1, 0, *range(3, points)]
    counts = (length - 1) * np.eye(points)[action].T[None]
    return CountContexts(to_jax(counts, float), to_jax(np.ones(1), float), to_jax(length, float))


def enumerated(points: int, others: int, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Every sum of so many permutation matrices with its probability; None where they are too many."""
    actions = _matrices(points)
    counts, weights = _merged(actions, np.full(len(actions), 1 / len(actions)), points)
    for _ in range(others - 1):
        if len(counts) * len(actions) > SUMS:
            return None
        sums = (counts[:, None] + actions[None]).reshape(-1, points, points)
        counts, weights = _merged(sums, np.repeat(weights / len(actions), len(actions)), points)
    return (counts, weights) if len(counts) <= most else None


def weighted(points: int, others: int, drawn: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Drawn from a mixture: each action is uniform, or with some chance made to leave value 1 (or 2) where it is. The
    weight is the probability over the mixture's, in which 2 stands for all values after it: the loss sees no
    difference."""
    stream = named_generator(seed, "counts", f"{points} values, {others} others")
    parts = [(share, target) for share in COLLIDING for target in ((1, 2) if share else (1,))]
    part = np.arange(drawn) % len(parts)
    share, target = (np.array(column)[part][:, None] for column in zip(*parts, strict=True))
    actions = np.argsort(stream.random((drawn, others, points)), axis=-1)
    forced = (stream.random((drawn, others)) < share)[..., None]
    at = actions == target[..., None]  # the value that is sent to the target changes places with it
    target_image = np.take_along_axis(actions, np.broadcast_to(target[..., None], (drawn, others, 1)), axis=-1)
    swapped = np.where(at, target_image, actions)
    swapped = np.where(np.arange(points) == target[..., None], target[..., None], swapped)
    actions = np.where(forced, swapped, actions)
    counts = (actions[..., None, :] == np.arange(points)[:, None]).sum(axis=1).astype(float)
    density = np.zeros(drawn)
    for share, target in parts:
        values = [1] if target == 1 else range(2, points)
        each = [
            (1 - share) ** (others - counts[:, v, v]) * (1 + (points - 1) * share) ** counts[:, v, v] for v in values
        ]
        density += np.mean(each, axis=0) / len(parts)
    weights = 1 / density
    return counts, weights / weights.sum()


def _matrices(points: int) -> np.ndarray:
    """Of every permutation: [permutation, class, value]."""
    actions = np.array(list(itertools.permutations(range(points))))
    return (actions[:, None, :] == np.arange(points)[:, None]).astype(np.int8)


def _merged(counts: np.ndarray, weights: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Equal ones together, up to a renaming of the values after 1."""
    best, digits = counts.reshape(len(counts), -1), counts.reshape(len(counts), -1)
    place = np.random.default_rng(0).integers(1, 2**62, points * points, dtype=np.uint64)  # a hash that orders
    key = digits.astype(np.uint64) @ place
    for order in itertools.permutations(range(2, points)):
        new = [0, 1, *order]
        renamed = counts[:, new][:, :, new].reshape(len(counts), -1)
        other = renamed.astype(np.uint64) @ place
        better = other < key
        best, key = np.where(better[:, None], renamed, best), np.where(better, other, key)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return best[first].reshape(-1, points, points), np.bincount(inverse.ravel(), weights)
