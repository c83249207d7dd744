"""How facts are learned and how questions unlock them."""

from lemmata.papers.knowledge.train.finetuning import FineTuning, FineTuningConfig, question_logits, question_loss
from lemmata.papers.knowledge.train.pretraining import PreTraining, PreTrainingConfig, pretraining_gradient
from lemmata.papers.knowledge.train.sentence_gradient import sentence_gradient

__all__ = [
    "FineTuning",
    "FineTuningConfig",
    "PreTraining",
    "PreTrainingConfig",
    "pretraining_gradient",
    "question_logits",
    "question_loss",
    "sentence_gradient",
]
