"""Facts told in sentences, and questions about them."""

from lemmata.papers.knowledge.task.facts import Facts, FactsConfig
from lemmata.papers.knowledge.task.questions import CoverageConfig, Questions
from lemmata.papers.knowledge.task.spelled import PhraseQuestions, padded, phrase_questions
from lemmata.papers.knowledge.task.vocabulary import ASK, DUMMY, START, Vocabulary
