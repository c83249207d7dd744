"""Facts told in sentences, and questions about them."""

from lemmata.tasks.knowledge.facts import Facts, FactsConfig
from lemmata.tasks.knowledge.questions import CoverageConfig, Questions
from lemmata.tasks.knowledge.spelled import PhraseQuestions, padded, phrase_questions
from lemmata.tasks.knowledge.vocabulary import ASK, DUMMY, START, Vocabulary

__all__ = [
    "ASK",
    "DUMMY",
    "START",
    "CoverageConfig",
    "Facts",
    "FactsConfig",
    "PhraseQuestions",
    "Questions",
    "Vocabulary",
    "padded",
    "phrase_questions",
]
