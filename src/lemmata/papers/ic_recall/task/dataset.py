"""A fine-tuning set as the reduced model sees it: distinct rows of pattern counts, with their weights."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.core import precision, require, to_jax
from lemmata.papers.ic_recall.task.sequences import Sequences
from lemmata.papers.ic_recall.task.worlds import World


class Dataset(eqx.Module):
    """`weights[i]` is the share of sequences whose relations show the patterns `counts[i]`."""

    counts: Float[Array, "*replica rows patterns"]
    log_counts: Float[Array, "*replica rows patterns"]
    weights: Float[Array, "*replica rows"]

    def __init__(self, counts: Float[Array, "rows patterns"], weights: Float[Array, " rows"]):
        self.counts = counts
        self.log_counts = jnp.log(counts)
        self.weights = weights


def dataset(world: World, num: int, k: int, seed: int, name: str, rows: int | None = None) -> Dataset:
    """`num` sequences of a world, reduced. `rows` pads with rows of no weight, so that data sets can be stacked."""
    return dataset_of(world, world.sequences(num, k, seed=seed, name=name), rows)


def dataset_of(world: World, sequences: Sequences, rows: int | None = None) -> Dataset:
    """The reduced form of given sequences (float64, whatever the caller's precision)."""
    counts, repeats = np.unique(world.counts(sequences), axis=0, return_counts=True)
    return dataset_of_kinds(counts, repeats / repeats.sum(), rows)


def dataset_of_kinds(
    counts: Float[np.ndarray, "kinds patterns"], weights: Float[np.ndarray, " kinds"], rows: int | None = None
) -> Dataset:
    """Kinds of sequence with the share of each; `rows` pads as in `dataset`."""
    if rows is not None:
        require(rows >= len(counts), "rows", rows, f"at least the {len(counts)} distinct rows of this data set")
        padding = rows - len(counts)
        counts = np.concatenate([counts, np.repeat(counts[:1], padding, axis=0)])
        weights = np.concatenate([weights, np.zeros(padding)])
    with precision("float64"):
        return Dataset(to_jax(counts), to_jax(weights))
