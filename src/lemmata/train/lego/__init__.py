"""How models of LEGO sentences learn."""

from lemmata.train.lego.next_clause import FreshSentences, NextClauseAdam, SentenceSet, next_clause_loss
from lemmata.train.lego.one_step import OneStep, Pace, Token, all_inputs, score
from lemmata.train.lego.pseudo_labels import LabelQuality, label_quality, written_answers

__all__ = [
    "FreshSentences",
    "LabelQuality",
    "NextClauseAdam",
    "OneStep",
    "Pace",
    "SentenceSet",
    "Token",
    "all_inputs",
    "label_quality",
    "next_clause_loss",
    "score",
    "written_answers",
]
