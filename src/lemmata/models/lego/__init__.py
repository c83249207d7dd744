"""Transformers that answer LEGO sentences clause by clause."""

from lemmata.models.lego.experimental import ExperimentalConfig, ExperimentalReasoner, learned
from lemmata.models.lego.reasoner import SLOTS, AbstractReasoner, NextClause
from lemmata.models.lego.rollout import rollout
from lemmata.models.lego.smooth_relu import smooth_relu
from lemmata.models.lego.theory_transformer import Neurons, TheoryCache, TheoryConfig, TheoryTransformer, token_mass

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
