"""Transformers that answer LEGO sentences clause by clause."""

from lemmata.papers.lego.model.experimental import ExperimentalConfig, ExperimentalReasoner, learned
from lemmata.papers.lego.model.reasoner import SLOTS, AbstractReasoner, NextClause, rollout
from lemmata.papers.lego.model.sizes import require_sizes
from lemmata.papers.lego.model.smooth_relu import smooth_relu
from lemmata.papers.lego.model.theory_transformer import Neurons, TheoryConfig, TheoryTransformer
