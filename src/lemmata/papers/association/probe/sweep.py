"""A trained model cut at its end: matrices to fractions of their rank, with and without the last layer's residual, and
with a token's direction removed from what the first layer writes (Figures 3 and 13)."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lemmata.papers.association.model import Transformer
from lemmata.papers.association.model.truncate import decompose, replace_weight
from lemmata.papers.association.probe.answers import answers_of_edits, answers_without_residual, rank_name
from lemmata.papers.association.task import RecallSample

BARE = "bare."  # what is read without the last layer's residual
FIRST_OUTPUT = "blocks.0.output"  # W_O of layer 1


def rank_sweep(
    models: Sequence[Any],
    paths: Sequence[str],
    fractions: Sequence[float],
    sample: RecallSample,
    noise: int,
    *,
    bare: bool,
) -> dict[str, np.ndarray]:
    """Exact truncation of each matrix at every fraction: "sweep.answer", [matrix, seed, fraction]."""
    names = [rank_name(fraction) for fraction in fractions]
    ways = {"": answers_of_edits} | ({BARE: answers_without_residual} if bare else {})
    read = {way: eqx.filter_jit(lambda edits, sample, of=of: of(edits, sample, noise)) for way, of in ways.items()}

    def sweep(model: Any, path: str) -> dict[str, Array]:
        decomposition = decompose(model, path)
        cut = [decomposition.truncate(fraction=fraction)[0] for fraction in fractions]
        edits = dict(zip(names, cut, strict=True))
        return {f"{way}{key}": value for way in ways for key, value in read[way](edits, sample).items()}

    found = [[sweep(model, path) for model in models] for path in paths]
    kinds = sorted({(way, key.split(".")[-1]) for key in found[0][0] for way in ways if key.startswith(way)})
    return {
        f"sweep.{way}{one}": np.array(
            [[[float(by[f"{way}{name}.{one}"]) for name in names] for by in seeds] for seeds in found]
        )
        for way, one in kinds
    }


def without_direction(model: Transformer, token: int) -> Transformer:
    """W_O^1 without what it writes along a token's output vector (less the mean of all, which no softmax sees)."""
    direction = model.output[token] - model.output.mean(axis=0)
    direction = direction / jnp.linalg.norm(direction)
    written = model.blocks[0].output
    return replace_weight(model, FIRST_OUTPUT, written - jnp.outer(direction, direction @ written))


def removed(
    models: Sequence[Transformer], sample: RecallSample, noise: int, another: int
) -> dict[str, Float[np.ndarray, "direction seed"]]:
    """ "removed.answer" with the noise's direction gone, and another token's."""
    ways = {"": answers_of_edits, BARE: answers_without_residual}

    @eqx.filter_jit
    def read(model: Transformer) -> dict[str, Array]:
        edits = {"noise": without_direction(model, noise), "another": without_direction(model, another)}
        return {f"{way}{key}": value for way, of in ways.items() for key, value in of(edits, sample, noise).items()}

    found = [jax.device_get(read(model)) for model in models]
    return {
        f"removed.{way}{one}": np.array(
            [[by[f"{way}{direction}.{one}"] for by in found] for direction in ("noise", "another")]
        )
        for way in ways
        for one in ("correct", "noise", "clean_loss")
    }
