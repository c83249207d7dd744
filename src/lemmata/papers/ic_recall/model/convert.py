"""From one form of the model to a smaller one, and which leaves may be trained: what is not exact is refused."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lemmata.core import UserError
from lemmata.papers.ic_recall.model.fast.pattern_model import PatternModel
from lemmata.papers.ic_recall.model.memory import associative_memory
from lemmata.papers.ic_recall.model.transformer import AbstractTransformer, DenseTransformer, MemoryTransformer


def with_exact_memory(model: DenseTransformer, table: Int[np.ndarray, "relations n"]) -> MemoryTransformer:
    """The same transformer, its memory evaluated from the table instead of W and V."""
    _refuse_unless_orthonormal(model.embeddings)
    built = associative_memory(jnp.asarray(table), model.embeddings)
    same = built.read.shape == model.memory.read.shape and all(
        np.abs(np.asarray(ours) - np.asarray(theirs)).max() <= _rounding(ours)
        for ours, theirs in ((built.read, model.memory.read), (built.write, model.memory.write))
    )
    if not same:
        raise UserError(
            "the exact memory is Lemma 3.1's construction; this transformer's MLP differs from it (trained, or built "
            "for other facts): use the dense model"
        )
    return MemoryTransformer(model.key_query, model.embeddings, model.vocabulary, jnp.asarray(table))


def reduced(model: AbstractTransformer) -> PatternModel:
    """The same transformer as two attention vectors, if its attention depends on positions alone."""
    if not isinstance(model, MemoryTransformer):
        raise UserError("only a transformer with the exact memory reduces to patterns: call with_exact_memory first")
    _refuse_unless_orthonormal(model.embeddings)
    blocks = model.key_query
    if any(np.asarray(block).any() for block in (blocks.position_token, blocks.token_position, blocks.token)):
        raise UserError(
            "the reduced model has no attention to tokens, and this W^KQ has entries outside its position block: keep "
            "attention dense (MemoryTransformer)"
        )
    length = blocks.position.shape[0] - 1
    k = length // 2 - 1
    others = jnp.asarray(float(model.vocabulary.n - k - 1))
    return PatternModel(blocks.position[:length, length - 1], blocks.position[:, length], others, k)


def position_block(model: Any) -> tuple[Any, ...]:
    """The position-position block of W^KQ alone (the paper's partial fine-tuning); theta and omega when reduced."""
    return (model.theta, model.omega) if isinstance(model, PatternModel) else (model.key_query.position,)


def full_key_query(model: Any) -> tuple[Any, ...]:
    """All of W^KQ."""
    if isinstance(model, PatternModel):
        raise UserError(
            "the reduced model trains the position block alone; the full W^KQ attends to tokens, and Adam on it "
            "depends on the embedding basis: use DenseTransformer or MemoryTransformer"
        )
    blocks = model.key_query
    return (blocks.position, blocks.position_token, blocks.token_position, blocks.token)


def whole_transformer(model: Any) -> tuple[Any, ...]:
    """W^KQ and the MLP's two matrices (pre-training); embeddings stay fixed."""
    if not isinstance(model, DenseTransformer):
        raise UserError(
            f"{type(model).__name__} evaluates the constructed memory and has no MLP weights to train: "
            "use DenseTransformer"
        )
    return (*full_key_query(model), model.memory.read, model.memory.write)


def _refuse_unless_orthonormal(embeddings: Float[Array, "vocab dim"]) -> None:
    rows = np.asarray(embeddings)
    error = float(np.abs(rows @ rows.T - np.eye(len(rows))).max())
    if error > _rounding(embeddings):
        raise UserError(
            f"the exact memory needs orthonormal embeddings; overlaps of these are off by {error:.3g}: "
            "use the dense model"
        )


def _rounding(values: Float[Array, "..."]) -> float:
    return 1e3 * float(jnp.finfo(values.dtype).eps)
