"""Which leaves a training run may change. A choice that an engine is not exact for is refused here."""

from typing import Any

from lemmata.core import UserError
from lemmata.papers.ic_recall.model.pattern_model import PatternModel
from lemmata.papers.ic_recall.model.transformer import DenseTransformer


def position_block(model: Any) -> tuple[Any, ...]:
    """The position-position block of W^KQ alone (the paper's partial fine-tuning); theta and omega when reduced."""
    return (model.theta, model.omega) if isinstance(model, PatternModel) else (model.key_query.position,)


def full_key_query(model: Any) -> tuple[Any, ...]:
    """All of W^KQ."""
    if isinstance(model, PatternModel):
        raise UserError(
            "the reduced engine trains the position block alone; the full W^KQ attends to tokens, and Adam on it "
            "depends on the embedding basis: use DenseTransformer or MemoryTransformer"
        )
    blocks = model.key_query
    return (blocks.position, blocks.position_token, blocks.token_position, blocks.token)


def memory_weights(model: Any) -> tuple[Any, ...]:
    """The MLP's two matrices (pre-training)."""
    if not isinstance(model, DenseTransformer):
        raise UserError(
            f"{type(model).__name__} evaluates the constructed memory and has no MLP weights to train: "
            "use DenseTransformer"
        )
    return (model.memory.read, model.memory.write)


def whole_transformer(model: Any) -> tuple[Any, ...]:
    """W^KQ and the MLP; embeddings stay fixed."""
    return (*full_key_query(model), *memory_weights(model))
