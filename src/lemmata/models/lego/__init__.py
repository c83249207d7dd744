"""Transformers that answer LEGO sentences clause by clause."""

from lemmata.models.lego.reasoner import SLOTS, AbstractReasoner, NextClause
from lemmata.models.lego.rollout import rollout

__all__ = ["SLOTS", "AbstractReasoner", "NextClause", "rollout"]
