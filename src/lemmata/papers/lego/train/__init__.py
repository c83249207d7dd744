"""How models of LEGO sentences learn."""

from lemmata.papers.lego.train.attention import FRESH, AttentionDescent, Chains, Course, chains_of
from lemmata.papers.lego.train.next_clause import FreshSentences, NextClauseAdam, SentenceSet, next_clause_loss
from lemmata.papers.lego.train.one_step import OneStep, Pace, Token, all_inputs, score
from lemmata.papers.lego.train.pseudo_labels import LabelQuality, label_quality, written_answers
from lemmata.papers.lego.train.self_training import Stage, StageRecord, doubling, train_stages

__all__ = [
    "FRESH",
    "AttentionDescent",
    "Chains",
    "Course",
    "FreshSentences",
    "LabelQuality",
    "NextClauseAdam",
    "OneStep",
    "Pace",
    "SentenceSet",
    "Stage",
    "StageRecord",
    "Token",
    "all_inputs",
    "chains_of",
    "doubling",
    "label_quality",
    "next_clause_loss",
    "score",
    "train_stages",
    "written_answers",
]
