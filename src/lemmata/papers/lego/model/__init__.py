"""Transformers that answer LEGO sentences clause by clause."""

from lemmata.papers.lego.model.experimental import ExperimentalConfig, ExperimentalReasoner, learned
from lemmata.papers.lego.model.reasoner import SLOTS, AbstractReasoner, NextClause
from lemmata.papers.lego.model.rollout import rollout
from lemmata.papers.lego.model.smooth_relu import smooth_relu
from lemmata.papers.lego.model.theory_transformer import (
    Neurons,
    TheoryCache,
    TheoryConfig,
    TheoryTransformer,
    token_mass,
)

__all__ = [
    "SLOTS",
    "AbstractReasoner",
    "ExperimentalConfig",
    "ExperimentalReasoner",
    "Neurons",
    "NextClause",
    "TheoryCache",
    "TheoryConfig",
    "TheoryTransformer",
    "learned",
    "rollout",
    "smooth_relu",
    "token_mass",
]
