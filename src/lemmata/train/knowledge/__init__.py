"""How facts are learned and how questions unlock them."""

from lemmata.train.knowledge.finetuning import FineTuning, FineTuningConfig, question_logits, question_loss
from lemmata.train.knowledge.pretraining import PreTraining, PreTrainingConfig, pretraining_gradient
from lemmata.train.knowledge.sentence_gradient import sentence_gradient

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
