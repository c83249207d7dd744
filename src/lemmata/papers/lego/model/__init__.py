"""Transformers that answer LEGO sentences clause by clause."""

from lemmata.papers.lego.model.experimental import ExperimentalConfig, ExperimentalReasoner, learned
from lemmata.papers.lego.model.reasoner import SLOTS, AbstractReasoner, NextClause, require_sizes, rollout
from lemmata.papers.lego.model.theory_transformer import (
    Branch,
    Neurons,
    TheoryConfig,
    TheoryTransformer,
    smooth_relu,
    token_mass,
)
